"""What the rules know of words: which are names, which are titles, and what pronouns and nouns of persons say."""

import re
import unicodedata
from functools import cache

from raylib.studies.narratives.data_files import word_lists
from raylib.studies.narratives.extraction.naming import CASUAL_TITLES, DOCTOR_TITLES, HONORIFICS
from raylib.studies.narratives.names import census_2020

_CAPITALISED = word_lists("capitalised")
TITLES = HONORIFICS | DOCTOR_TITLES | CASUAL_TITLES
TITLES_OF_OTHERS = frozenset(_CAPITALISED["titles_of_others"])
INSTITUTIONS = frozenset(_CAPITALISED["institution_words"])
AMBIGUOUS = frozenset(_CAPITALISED["ambiguous_names"])
PLACES = frozenset(_CAPITALISED["places"])
PLACES_OR_PEOPLE = frozenset(_CAPITALISED["places_or_people"])
NOT_NAMES = frozenset(
    word
    for key in ("function_words", "story_words", "roles", "calendar", "places", "things")
    for word in _CAPITALISED[key]
) - (AMBIGUOUS - frozenset(_CAPITALISED["function_words"]) - PLACES)

PRONOUNS = {
    **dict.fromkeys(("he", "him", "his", "himself"), "M"),
    **dict.fromkeys(("she", "her", "hers", "herself"), "F"),
    **dict.fromkeys(("they", "them", "their", "theirs", "themself", "themselves"), "T"),
}
CONTRACTIONS = {f"{word}'{end}": word for word in ("he", "she", "they") for end in ("d", "ll", "ve", "re")}

PERSON_NOUNS = {
    **dict.fromkeys(("boy", "man", "gentleman", "guy", "lad"), "M"),
    **dict.fromkeys(("girl", "woman", "lady"), "F"),
}
"""Nouns that may take up a character again ("the young woman")."""

KIN_NOUNS = {
    **dict.fromkeys(("brother", "boyfriend", "husband", "fiancé", "bro"), "M"),
    **dict.fromkeys(("sister", "girlfriend", "wife", "fiancée", "sis"), "F"),
}
"""Nouns for the other one of two in Love; elsewhere they name somebody else."""

FAMILY_NOUNS = {
    **dict.fromkeys(("father", "dad", "grandfather", "grandpa", "son", "uncle", "nephew"), "M"),
    **dict.fromkeys(("mother", "mom", "grandmother", "grandma", "daughter", "aunt", "niece"), "F"),
}

NARRATOR = frozenset({"i", "my", "me", "myself", "i'd", "i'll", "i've", "i'm"})

SIGNALS = frozenset({*NARRATOR, *PRONOUNS, *CONTRACTIONS, *PERSON_NOUNS, *KIN_NOUNS, *FAMILY_NOUNS})
"""Every word that may refer to a person without a name."""

_MIN_PEOPLE = 500


@cache
def name_sex() -> dict[str, float]:
    """Return name in lower case -> share of its people who report female, for names that enough people have."""
    table = census_2020()
    rows = zip(table.names.to_pylist(), table.people, table.female, strict=True)
    return {name.lower(): float(female) for name, people, female in rows if people >= _MIN_PEOPLE}


_MARKED = re.compile(r"[^\x00-\x7f]|\w['-]\w")
_MARKS = re.compile(r"['-]|[\u0300-\u036f]")


def listed_spelling(word: str, lower: str) -> str:
    """Return a word in small letters, in the spelling of the name list where that has it without its marks alone.

    The Census knows no accent, apostrophe or hyphen: José is jose there, De'Andre deandre, Mary-Jane maryjane.

    Args:
        word: as the story writes it.
        lower: the same in small letters.
    """
    if not word[0].isupper() or not _MARKED.search(word) or lower in SIGNALS:
        return lower
    plain = _MARKS.sub("", unicodedata.normalize("NFKD", lower))
    return plain if plain in name_sex() else lower


@cache
def common_names(minimum: int) -> frozenset[str]:
    """Return the names, in lower case, that at least `minimum` people have."""
    table = census_2020()
    rows = zip(table.names.to_pylist(), table.people, strict=True)
    return frozenset(name.lower() for name, people in rows if people >= minimum)


@cache
def role_nouns(role: str) -> frozenset[str]:
    """Return the words that stories use for the one in a role.

    The role's head is the last word before a relative clause or a preposition ("loyal fan", "rookie in the league");
    `data/words/roles.yaml` adds other words for it, under the whole role or its head.
    """
    words = role.lower().split()
    stops = {"who", "in", "to", "on", "of", "that", "from", "based", "for", "with"}
    cut = next((index for index, word in enumerate(words) if word in stops), len(words))
    base = [word for word in words[:cut] if word not in {"first", "second", "other"}] or words[:1]
    lists = word_lists("roles")
    whole, head = " ".join(base), base[-1]
    return frozenset((head, *lists.get(whole, lists.get(head, ()))))
