"""They for one person. It nearly always means both characters, or a crowd: it counts only where it can mean one alone."""

from raylib.studies.narratives.extraction.lexicon import CONTRACTIONS, PRONOUNS
from raylib.studies.narratives.extraction.people import Person
from raylib.studies.narratives.extraction.tokens import Tokens

_THEY = frozenset(word for word, gender in PRONOUNS.items() if gender == "T")
_THEY |= frozenset(short for short, word in CONTRACTIONS.items() if word in _THEY)
_ALONE, _BESIDE_A_GENDERED_ONE, _BESIDE_ANOTHER = 2, 2, 3
"""How many times a story must say they, them or their."""


def resolve_they(tokens: Tokens, subject: Person, other: Person | None) -> dict[int, Person]:
    """Return position of a they, them or their -> the one character that it means.

    The character is never he or she, and is either alone in its story or the one without a name beside another ("the
    fan ... their face"). Two named people are they together, so nothing is found there.
    """
    person = subject if other is None else other
    if other is not None and other.name is not None:
        return {}
    if _is_gendered(tokens, person):
        return {}
    needed = _ALONE
    if other is not None:
        needed = _BESIDE_A_GENDERED_ONE if _is_gendered(tokens, subject) else _BESIDE_ANOTHER
    found = [position for position in tokens.signals if tokens.lower[position] in _THEY and not tokens.quoted[position]]
    return dict.fromkeys(found, person) if len(found) >= needed else {}


def _is_gendered(tokens: Tokens, person: Person) -> bool:
    return any(tokens.lower[position] not in _THEY for position in person.references)
