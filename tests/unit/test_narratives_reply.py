"""What the labelling model answers is read strictly: exactly what was asked for, about this story, or no label."""

import json

import pytest

from raylib.studies.narratives.extraction.reply import answer_schema, read_reply
from raylib.studies.narratives.extraction.roles import Extraction, Found, Roles
from raylib.studies.replies import UnreadableReplyError

ACTOR = Roles("actor")
DOCTOR = Roles("doctor", "patient in need")
STORY = 'Dr. Okafor saw the patient, a young girl named Ana. She said: "Don\'t cry." Ana hugged him.'


def character(name: str = "Unspecified", *references: str) -> dict[str, object]:
    return {"name": name, "references": list(references)}


def test_an_answer_as_it_was_asked_for() -> None:
    answer = {"subject": character("Dr. Okafor", "Him", "Dr."), "object": character("Ana", "young girl", "She", "she")}
    assert read_reply(json.dumps(answer), STORY, DOCTOR) == Extraction(
        Found("Dr. Okafor", ("him", "dr.")), Found("Ana", ("young girl", "she"))
    )


@pytest.mark.parametrize("name", ["Unspecified", "unspecified", " UNSPECIFIED "])
def test_unspecified_is_no_name(name: str) -> None:
    assert read_reply(json.dumps({"subject": character(name)}), STORY, ACTOR) == Extraction(Found(), None)


def test_a_reference_counts_only_if_every_alphabetic_word_of_it_is_in_the_story() -> None:
    answer = {"subject": character("Okafor", "him", "his", "old man", "young girl", "...", "don't")}
    found = read_reply(json.dumps(answer), STORY, ACTOR)
    assert found.subject.references == ("him", "young girl", "don't")
    assert found.notes == "3 references that are not in the story were left out"


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("", "no JSON"),
        ("The subject is Ana.", "no JSON"),
        ('```json\n{"subject": {"name": "Ana", "references": []}}\n```', "no JSON"),
        ('{"subject": {"name": "Ana", "references": []}', "no JSON"),
        ('{"subject": {"name": "Ana", "references": []}} and so on', "no JSON"),
        ("[" * 10_000, "no JSON"),
        ("null", "top: model_type"),
        ("[]", "top: model_type"),
        ("{}", "subject: missing"),
        ('{"subject": null}', "subject: model_type"),
        ('{"subject": {"name": "Ana"}}', "subject.references: missing"),
        ('{"subject": {"name": null, "references": []}}', "subject.name"),
        ('{"subject": {"name": "", "references": []}}', "subject.name"),
        ('{"subject": {"name": "Ana", "references": "she"}}', "subject.references: list_type"),
        ('{"subject": {"name": "Ana", "references": [1]}}', "subject.references: string_type"),
        ('{"subject": {"name": "Ana", "references": [], "gender": "F"}}', "subject: extra_forbidden"),
        ('{"subject": {"name": "Ana", "references": []}, "object": {"name": "Ana", "references": []}}', "object"),
        ('{"subject": {"name": "Ana", "name": "Okafor", "references": []}}', "a key stands there twice"),
        ('{"subject": {"name": "Maria", "references": []}}', "the subject's name is not in the story"),
        ('{"subject": {"name": "Ana Okafor Maria", "references": []}}', "the subject's name is not in the story"),
        ('{"subject": {"name": "42", "references": []}}', "the subject's name is not in the story"),
        ('{"subject": {"name": "Ana\\u0000", "references": []}}', "control characters"),
        ('{"subject": {"name": "Ana\\ud800", "references": []}}', "subject.name: string_unicode"),
        (json.dumps({"subject": character("Ana", *["she"] * 41)}), "subject.references: too_long"),
        (json.dumps({"subject": character("Ana " * 30)}), "subject.name"),
        (" " * 30_000, "it has 30,000 characters"),
    ],
)
def test_any_other_answer_is_unreadable(answer: str, why: str) -> None:
    with pytest.raises(UnreadableReplyError, match=why):
        read_reply(answer, STORY, ACTOR)


def test_two_characters_are_asked_for_and_two_must_come() -> None:
    with pytest.raises(UnreadableReplyError, match="object: missing"):
        read_reply(json.dumps({"subject": character()}), STORY, DOCTOR)


def test_the_schema_asks_for_exactly_the_characters_of_the_prompt() -> None:
    assert answer_schema(two_characters=False)["required"] == ["subject"]
    assert answer_schema(two_characters=True)["required"] == ["subject", "object"]
    assert answer_schema(two_characters=True)["additionalProperties"] is False


def test_accent_may_be_composed_in_one_of_the_two_alone() -> None:
    composed, apart = "Jos\u00e9", "Jose\u0301"
    for said, written in ((composed, apart), (apart, composed)):
        reply = json.dumps({"subject": {"name": said, "references": []}})
        assert read_reply(reply, f"{written} bowed.", Roles("actor")).subject.name == said
