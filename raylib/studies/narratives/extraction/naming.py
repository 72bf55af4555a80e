"""From a name as written to a clean name, a first name and a last name."""

import re
from typing import NamedTuple

from raylib.studies.narratives.data_files import word_lists

_WORDS = word_lists("names")
HONORIFICS = frozenset(word.lower() for word in _WORDS["honorifics"])
DOCTOR_TITLES = frozenset(word.lower() for word in _WORDS["doctor_titles"])
CASUAL_TITLES = frozenset(word.lower() for word in _WORDS["casual_titles"])
PREFIXES = HONORIFICS | DOCTOR_TITLES | CASUAL_TITLES
_FALSE_POSITIVES = frozenset(_WORDS["false_positives"])
_INVALID_FIRST = frozenset(word.lower() for word in _WORDS["invalid_first_names"])
_NICKNAME = re.compile(r"""\s*(?:["“][^"”]*["”]|(?<!\w)['‘][^'’]*['’](?!\w))\s*""")
_MAX_TOKENS = 3


class Name(NamedTuple):
    """A character's name; each part is None where the story does not give it."""

    full: str | None = None
    first: str | None = None
    last: str | None = None


def parse_name(written: str | None, role: str | None) -> Name:
    """Return the name that `written` stands for; all None where it is no name.

    Dropped: what shares a word with the role, holds "american", is a known false positive, or has more than three
    words. A quoted nickname is left out. Honorific or Dr + one word is a last name, Chef or Nurse + one a first name.
    First names that are words of another kind ("Professor", "Young") are left out; the full name stays.
    """
    if not written:
        return Name()
    text = " ".join(_NICKNAME.sub(" ", written).split())
    lowered = text.lower()
    words = lowered.split()
    role_words = set(role.lower().split()) if role else set()
    if not words or "american" in lowered or lowered in _FALSE_POSITIVES or role_words & set(words):
        return Name()
    if len(words) > _MAX_TOKENS:
        return Name()
    parts = [_title_case(part) for part in text.split()]
    first, last = _first_and_last(parts)
    if first is not None and first.lower() in _INVALID_FIRST:
        first = None
    return Name(" ".join(parts), first, last)


def _first_and_last(parts: list[str]) -> tuple[str | None, str | None]:
    prefix = parts[0].lower()
    if prefix not in PREFIXES:
        return parts[0], parts[-1] if len(parts) > 1 else None
    rest = parts[1:]
    if not rest:
        return None, None
    if len(rest) > 1:
        return rest[0], rest[-1]
    if prefix in CASUAL_TITLES:
        return rest[0], None
    return None, rest[0]


def _title_case(word: str) -> str:
    """SARAH and sarah become Sarah; McAllister, O'Brien and DeShawn keep their inner capitals."""
    if word.isupper() or word.islower():
        return "-".join(
            "'".join(bit[:1].upper() + bit[1:].lower() for bit in part.split("'")) for part in word.split("-")
        )
    return word
