"""A text as words with their places, cut the same way for stories and for the terms that are looked for."""

import re
import unicodedata
from dataclasses import dataclass

from raylib.studies.narratives.extraction.naming import PREFIXES

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_APOSTROPHES = str.maketrans(dict.fromkeys("’ʼ‘ʻ", "'"))
_JOINT = re.compile(r"[\s\-‐‑–]{1,3}")
_ENDS = re.compile(r"[.!?\n]")
_HYPHENS = "-‐‑–"
_TITLES = PREFIXES | {"prof", "st", "jr", "sr"}


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one text; the lists have one length."""

    text: str
    """In Unicode's composed form (NFC), which `spans` index into."""
    written: list[str]
    """With plain apostrophes and without a possessive 's."""
    keys: list[str]
    """`written` in lower case."""
    spans: list[tuple[int, int]]

    def joined(self, first: int, last: int) -> bool:
        """Whether nothing but a space or a hyphen stands between the words from `first` to `last`."""
        return all(
            _JOINT.fullmatch(self.text, self.spans[place][1], self.spans[place + 1][0]) for place in range(first, last)
        )

    def hyphenated(self, first: int, last: int) -> bool:
        """Whether a hyphen touches the words from `first` to `last` from outside."""
        start, end = self.spans[first][0], self.spans[last][1]
        return self.text[start - 1 : start] in tuple(_HYPHENS) or self.text[end : end + 1] in tuple(_HYPHENS)

    def window(self, first: int, last: int, words: int) -> tuple[str, str, str]:
        """Return the text before, of and after the words from `first` to `last`, with `words` words on each side."""
        start, end = self.spans[first][0], self.spans[last][1]
        begin = self.spans[max(first - words, 0)][0]
        stop = self.spans[min(last + words, len(self.spans) - 1)][1]
        return self.text[begin:start], self.text[start:end], self.text[end : max(stop, end)]

    def sentence(self, place: int) -> range:
        """Return the places of the words in the sentence of one word; a title's full stop ends none."""
        first, last = place, place
        while first and not self._ends_after(first - 1):
            first -= 1
        while last + 1 < len(self.keys) and not self._ends_after(last):
            last += 1
        return range(first, last + 1)

    def _ends_after(self, place: int) -> bool:
        gap = self.text[self.spans[place][1] : self.spans[place + 1][0]]
        return bool(_ENDS.search(gap)) and not (self.keys[place] in _TITLES and gap.strip() == ".")


def words_of(text: str) -> Words:
    """Cut a text into words."""
    composed = text if text.isascii() else unicodedata.normalize("NFC", text)
    plain = composed.translate(_APOSTROPHES)  # one character for one: places stay
    written, spans = [], []
    for match in _WORD.finditer(plain):
        word, (start, end) = match.group(), match.span()
        if word.endswith(("'s", "'S")):
            word, end = word[:-2], end - 2
        written.append(word)
        spans.append((start, end))
    return Words(composed, written, [word.lower() for word in written], spans)
