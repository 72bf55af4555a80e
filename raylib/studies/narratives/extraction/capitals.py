"""Stories all in capitals: there a capital says nothing, so only names that many people have are taken for names."""

import re

from raylib.studies.narratives.extraction.lexicon import AMBIGUOUS, NOT_NAMES, TITLES, common_names, listed_spelling

_WORD = re.compile(r"[^\W\d_]+")
_MANY = 20_000
"""People of a name that a word in capitals is believed to be."""


def recased(text: str) -> str:
    """Return the text as it is, or, if it has no small letter, with capitals for names and titles alone."""
    return _WORD.sub(_recase, text) if text.isupper() else text


def _recase(found: re.Match[str]) -> str:
    word = found[0].lower()
    known = listed_spelling(found[0], word) in common_names(_MANY)
    is_name = known and word not in NOT_NAMES and word not in AMBIGUOUS
    return word.capitalize() if is_name or word in TITLES or f"{word}." in TITLES else word
