"""A story as parallel lists of tokens, with what the rules ask of each: sentence, start of a sentence, in a quote."""

import re
from dataclasses import dataclass

from raylib.studies.narratives.extraction.lexicon import SIGNALS, listed_spelling

_PATTERN = (
    r"\b(?:Dr|Mr|Mrs|Ms|Mx|Prof|St|Jr|Sr)\.|LETTER+(?:-LETTER+)*(?:'(?!s\b)LETTER+)?"
    r"|'s\b|'(?=\s)|\d[\d,-]*|[.!?]+|[\",;:()\n—–-]"
)
_TOKEN = re.compile(_PATTERN.replace("LETTER", r"[^\W\d_]"))
_ASCII_TOKEN = re.compile(_PATTERN.replace("LETTER", "[A-Za-z]"))  # the same on such texts, and faster
_SEPARATOR = "\x00"  # never part of a token
_ENDS = frozenset(".!?\n")
_MARKS = frozenset('.!?",;:()\n—–-')
_OPENS = frozenset('"\n:—–(')


@dataclass(slots=True)
class Tokens:
    """The tokens of one story; every list but `signals` has the same length."""

    words: list[str]
    lower: list[str]
    """The words in small letters, names in the spelling of the name list (`lexicon.listed_spelling`)."""
    sentence: list[int]
    """Number of the sentence that the token stands in."""
    starts: list[bool]
    """Whether a capital says nothing here: the first word of a sentence, a line or a quote."""
    quoted: list[bool]
    signals: list[int]
    """Positions of the pronouns and nouns that may refer to a person (`lexicon.SIGNALS`)."""

    def __len__(self) -> int:
        return len(self.words)


def tokenise(text: str) -> Tokens:
    """Cut a story into tokens. Possessive 's is a token of its own; titles keep their full stop."""
    words: list[str] = (_ASCII_TOKEN if text.isascii() else _TOKEN).findall(text)
    lower = _SEPARATOR.join(words).lower().split(_SEPARATOR) if words else []
    if not text.isascii() or "'" in text or "-" in text:
        lower = [listed_spelling(word, small) for word, small in zip(words, lower, strict=True)]
    sentence: list[int] = []
    starts: list[bool] = []
    quoted: list[bool] = []
    number, start, quote = 0, True, False
    done = 0
    for position in [position for position, word in enumerate(words) if word[0] in _MARKS]:
        run = position - done  # words between two marks: all of one sentence, and only the first can start it
        sentence += [number] * (run + 1)
        quoted += [quote] * (run + 1)
        starts += [start] + [False] * run if run else [False]
        start = start and not run
        done = position + 1
        mark = words[position][0]
        if mark == '"':
            quote = not quote
        elif mark == "\n":
            quote = False
        if mark in _ENDS and not start:
            number += 1
        start = start or mark in _OPENS or mark in _ENDS
    run = len(words) - done
    sentence += [number] * run
    quoted += [quote] * run
    starts += [start] + [False] * (run - 1) if run else []
    signals = [position for position, word in enumerate(lower) if word in SIGNALS]
    return Tokens(words, lower, sentence, starts, quoted, signals)
