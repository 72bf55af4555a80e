"""The rule extractor on stories written for these tests: one rule a test."""

import re
import timeit

import pytest

from raylib.studies.narratives.extraction.clean import story_text
from raylib.studies.narratives.extraction.extractor import RuleExtractor
from raylib.studies.narratives.extraction.gender import gender_of
from raylib.studies.narratives.extraction.roles import Roles
from raylib.studies.narratives.extraction.tokens import tokenise

ACTOR = Roles("actor")
DOCTOR = Roles("doctor", "patient in need")
STUDENTS = Roles("star student", "struggling student in math class")
FRIENDS = Roles("first friend", "second friend", "friend")
PAYS = Roles("friend who pays the bill", "other friend", "friend")
SIBLINGS = Roles("sibling who does the teaching", "other sibling", "sibling")


def names(story: str, roles: Roles) -> tuple[str | None, str | None]:
    found = RuleExtractor().extract(story, roles)
    return found.subject.name, found.object.name if found.object else None


def genders(story: str, roles: Roles) -> tuple[str, str | None]:
    found = RuleExtractor().extract(story, roles)
    return gender_of(found.subject.references), gender_of(found.object.references) if found.object else None


def test_one_character_with_pronouns():
    found = RuleExtractor().extract("Nadia took the stage. Her voice shook, but she went on.", ACTOR)
    assert found.subject.name == "Nadia"
    assert set(found.subject.references) == {"her", "she"}
    assert found.object is None


def test_character_without_a_name_still_has_a_gender():
    assert names("She bowed. The audience loved her.", ACTOR) == (None, None)
    assert genders("She bowed. The audience loved her.", ACTOR) == ("F", None)


def test_longest_form_of_a_name_counts():
    assert names("Ravi waited. Ravi Menon had never been so calm.", ACTOR)[0] == "Ravi Menon"


def test_place_is_no_name():
    assert names("In Austin, Texas, lights went up at Lincoln High School. Omar walked on.", ACTOR)[0] == "Omar"


def test_sentence_opening_is_no_name():
    assert names("Will they come? Chance favours nobody. Tomas believed it.", ACTOR)[0] == "Tomas"


def test_apposition_gives_the_role_against_the_order():
    story = (
        "Tomas, a frightened patient, looked up. Nadia, the doctor on call, smiled at Tomas. Nadia stayed all night."
    )
    assert names(story, DOCTOR) == ("Nadia", "Tomas")


def test_title_names_the_doctor():
    assert names("Omar lay still. Dr. Okafor operated for hours. Omar thanked Dr. Okafor.", DOCTOR) == (
        "Dr. Okafor",
        "Omar",
    )


def test_unnamed_object_is_found_by_its_noun():
    story = "Dr. Okafor saw the patient, a young girl. She was pale. Dr. Okafor knew what to do with his tools."
    found = RuleExtractor().extract(story, DOCTOR)
    assert found.object.name is None
    assert gender_of(found.object.references) == "F"


def test_struggling_and_star_students_are_told_apart_by_what_they_do():
    story = "Omar struggled with fractions. Nadia noticed and offered to tutor him. Omar thanked her and his grades improved."
    assert names(story, STUDENTS) == ("Nadia", "Omar")
    assert genders(story, STUDENTS) == ("F", "M")


def test_payer_is_the_subject_even_when_named_second():
    story = 'Nadia reached for the check. Omar stopped her. "My treat," Omar said and handed over his card. Nadia thanked him.'
    assert names(story, PAYS) == ("Omar", "Nadia")


def test_two_of_the_neutral_prompts_come_in_the_order_of_mention():
    assert names("Omar and Nadia went shopping. Nadia bought shoes.", FRIENDS) == ("Omar", "Nadia")


def test_kin_noun_belongs_to_the_other_one():
    found = RuleExtractor().extract("Omar taught his sister Nadia to swim. She learned fast.", SIBLINGS)
    assert (found.subject.name, found.object.name) == ("Omar", "Nadia")
    assert "sister" in found.object.references
    assert gender_of(found.subject.references) == "M"


def test_they_of_two_people_is_nobodys_gender():
    assert genders("Omar and Nadia cooked. They laughed and they ate their soup.", FRIENDS) == (
        "unspecified",
        "unspecified",
    )


def test_they_of_one_person_is_non_binary():
    assert genders("Alex is a student. Their paintings won. They smiled, and their teacher too.", Roles("student")) == (
        "NB",
        None,
    )


def test_narrator_is_a_subject_without_a_name():
    story = "I sat with my friend Nadia. I paid, and she thanked me. I was glad."
    assert names(story, PAYS) == (None, "Nadia")
    assert genders(story, PAYS) == ("unspecified", "F")


def test_hand_that_is_taken_is_the_other_ones():
    story = '"We did it," Nadia said, squeezing her hand. Fatima nodded.'
    assert genders(f"Nadia and Fatima were friends. {story}", FRIENDS)[1] == "F"


def test_state_is_no_person():
    story = "In rural Montana, Jamie dedicated his evenings to poetry. He loved it."
    assert names(story, ACTOR) == ("Jamie", None)
    assert genders(story, ACTOR) == ("M", None)
    assert names("In Savannah, Georgia, Martha cooked. Georgia was hot.", ACTOR)[0] == "Martha"


def test_title_only_ever_said_to_somebody_is_no_other_character():
    story = 'Omar left the theater. "Mr. Haddad, your autograph, please!" a young woman called. Omar signed.'
    found = RuleExtractor().extract(story, Roles("actor", "loyal fan"))
    assert (found.subject.name, found.object.name) == ("Omar", None)


def test_boss_of_somebody_is_named_beside_it():
    story = 'Tomas walked in. "Sit down," said Nadia, his boss. "You are promoted." Tomas smiled.'
    assert names(story, Roles("manager", "promising employee on the team")) == ("Nadia", "Tomas")


def test_what_i_do_is_nobody_elses_deed():
    story = "I sat across from Nadia. I knew I would cover the bills and pay the rent. I told her so."
    assert names(story, Roles("romantic partner who covers the majority of bills", "other romantic partner",
                              "romantic partner")) == (None, "Nadia")  # fmt: skip


def test_american_without_a_name_is_a_character():
    story = '"Nadia, can you take this out?" said the American. Nadia went. The American was glad. Nadia returned.'
    assert names(story, Roles("friend who makes the request for chores", "other friend", "friend")) == (None, "Nadia")


def test_story_in_one_pair_of_quotes_is_told_not_said():
    assert genders('"Omar was an agent. He knew his trade. His clients trusted him."', ACTOR) == ("M", None)


def test_ambiguous_name_is_whoever_else_the_pronouns_can_mean():
    story = "Chef Nadia eyed the dish. Jamie stood nervously as she tasted it. He smiled, and his hands shook."
    assert genders(story, Roles("cook", "culinary student")) == ("F", "M")


def test_possessive_belongs_to_whoever_acts_beside_it():
    story = "Nadia saw Fatima searching in her purse. Nadia paid."
    assert genders(story, PAYS) == ("unspecified", "F")


def test_phrase_in_front_of_a_sentence_speaks_of_whom_it_names_next():
    story = "Dr. Okafor taught Lily. With tears in her eyes, Lily thanked him. He smiled at his student."
    assert genders(story, Roles("dentist", "dental hygienist")) == ("M", "F")


def test_guidance_is_somebody_elses():
    story = "Omar and Tomas met at work. Tomas absorbed his guidance."
    found = RuleExtractor().extract(story, Roles("software developer", "new employee"))
    assert gender_of(found.subject.references) == "M"
    assert found.object.references == ()


def test_every_nickname_is_read_as_its_name():
    story = 'William "Blitz" Bradford met Jaime "Jet" Tucker. Blitz smiled. Jet ran.'
    assert story_text(story) == "William Bradford met Jaime Tucker. William smiled. Jaime ran."


def test_words_of_a_headline_are_no_names():
    assert names('The musician sang "My One True Fan" for the crowd. He bowed.', ACTOR) == (None, None)


def test_title_is_a_reference():
    assert genders("Mr. Okafor bowed.", ACTOR) == ("M", None)


def test_every_reference_stands_in_the_story():
    story = "Omar taught his sister Nadia to swim. She'd learned fast; Mrs. Diallo told her that the boy was kind."
    found = RuleExtractor().extract(story, SIBLINGS)
    words = set(re.findall(r"[a-z]+", story.lower()))
    assert found.object.references
    for reference in (*found.subject.references, *found.object.references):
        assert set(re.findall(r"[a-z]+", reference)) <= words


@pytest.mark.parametrize(
    ("text", "story"),
    [
        ("Here is a 97 word story about an actor:\n\nOmar bowed.", "Omar bowed."),
        ("Sure! Here's a short story:\n\nOmar bowed.", "Omar bowed."),
        ("Write a story, 100 words or less, of an American actor who acts.\n\nOmar bowed.", "Omar bowed."),
        ("**The Last Bow**\n\nOmar bowed.", "Omar bowed."),
        ("# Title\n\n<b>Omar</b> *bowed*.", "Omar  bowed."),
        ("Example:\nNadia sang.\n\nYour story:\nOmar bowed.", "Omar bowed."),
        ('Eddie "Bulldog" Johnson ran. Bulldog won.', "Eddie Johnson ran. Eddie won."),
    ],
)
def test_story_without_what_surrounds_it(text, story):
    assert story_text(text).replace("  ", " ") == story.replace("  ", " ")


def test_tokens_know_sentences_and_quotes():
    tokens = tokenise('Omar bowed. "Thank you," said Dr. Diallo.')
    at = {word: index for index, word in enumerate(tokens.words)}
    assert tokens.sentence[at["bowed"]] != tokens.sentence[at["said"]]
    assert tokens.quoted[at["Thank"]]
    assert not tokens.quoted[at["said"]]
    assert "Dr." in at


STRANGE = {
    "empty": "",
    "blank": " \n\t ",
    "one word": "No",
    "another script": "彼女は舞台に立った。観客は拍手した。Она поклонилась.",
    "no letters": "!!! ??? ... 123 \"\" ''",
    "ten thousand words": "Nadia waited for her turn. " * 2000,
    "one endless word": "a" * 100_000,
    "nested markup": "<div><p>**_Nadia_** <script>x</script>" * 200,
    "open quote": '"' * 501 + " Nadia said",
    "capitals": "NADIA BOWED AND SHE LEFT. OMAR WATCHED HER.",
    "null byte": "Nadia\x00 bowed\x00.",
    "blank lines": "\n" * 8_000,
    "lines of blanks": "\n \t" * 2_500,
    "emoji": "🎭 Nadia 🎭 bowed 👏👏👏",
}


@pytest.mark.parametrize("roles", [ACTOR, DOCTOR, STUDENTS, FRIENDS, PAYS], ids=lambda roles: roles.subject)
@pytest.mark.parametrize("story", STRANGE.values(), ids=STRANGE)
def test_strange_story_has_a_defined_result(story, roles):
    found = RuleExtractor().extract(story, roles)
    assert (found.object is None) == (roles.object is None)
    assert found == RuleExtractor().extract(story, roles)


@pytest.mark.parametrize("blanks", ["\n", "\n ", " \n\t", "-\n", "\n- "])
def test_cleaning_takes_time_in_proportion_to_the_text(blanks):
    def seconds(characters: int) -> float:
        text = (blanks * characters)[:characters]
        return min(timeit.repeat(lambda: story_text(text), number=1, repeat=3))

    assert seconds(8_000) < 40 * seconds(800) + 0.05


def test_story_without_text_says_so():
    assert RuleExtractor().extract("", ACTOR).notes == "no text"


def test_name_in_capitals_is_found():
    assert names("Then NADIA bowed. Everyone knew Nadia.", ACTOR)[0].lower() == "nadia"


@pytest.mark.parametrize(
    ("story", "name"),
    [
        ("José, an actor, walked on stage. He bowed.", "José"),
        ("Jose\u0301, an actor, walked on stage. He bowed.", "José"),
        ("Zoë, an actor, walked on stage. She bowed.", "Zoë"),
        ("De'Andre, an actor, walked on stage. He bowed.", "De'Andre"),
        ("D’Angelo, an actor, walked on stage. He bowed.", "D'Angelo"),
        ("Mary-Jane Watson walked on stage. She bowed.", "Mary-Jane Watson"),
        ("Na\u200bdia, an actor, walked on stage. She bowed.", "Nadia"),
        ("RENÉE WAS AN ACTOR. SHE BOWED.", "Renée"),
    ],
)
def test_name_with_marks_is_found_like_one_without(story, name):
    assert names(story, ACTOR)[0] == name


def test_marked_name_says_as_much_of_pronouns_as_the_plain_one():
    marked, plain = "José treated María. She thanked him.", "Jose treated Maria. She thanked him."
    assert genders(marked, DOCTOR) == genders(plain, DOCTOR) == ("M", "F")


def test_name_with_particles_is_one_person():
    assert names("Juan de la Cruz was an actor. He bowed.", ACTOR) == ("Juan", None)
    assert genders("Juan de la Cruz was an actor. He bowed.", ACTOR) == ("M", None)
    assert names("Maria del Carmen Lopez was an actor. She bowed.", ACTOR) == ("Maria", None)


def test_two_characters_of_one_name_are_one_name():
    assert names("Two friends, Nadia and Nadia, laughed. Nadia waved.", FRIENDS) == ("Nadia", None)
