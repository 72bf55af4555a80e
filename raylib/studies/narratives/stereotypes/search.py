"""Where the terms occur in texts, with the words around them."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from raylib.studies.narratives.stereotypes.terms import Pattern, Rule, TermList
from raylib.studies.narratives.stereotypes.words import Words, words_of


class Hit(NamedTuple):
    """One occurrence of a term: its words from `first` to `last`, both included."""

    term: str
    first: int
    last: int


def find_terms(words: Words, terms: TermList) -> list[Hit]:
    """Return the occurrences of terms in the order of the text; they do not overlap.

    Of the patterns that begin at a word the longest whose rules hold counts, and the search goes on behind it.
    """
    hits, place = [], 0
    while place < len(words.keys):
        pattern = next(
            (one for one in terms.patterns.get(words.keys[place], ()) if _matches(words, place, one)),
            None,
        )
        if pattern is None:
            place += 1
            continue
        last = place + len(pattern.keys) - 1
        hits.append(Hit(pattern.term, place, last))
        place = last + 1
    return hits


class Searcher:
    """Searches many texts: a fast pass picks those that may hold a term, and only they are cut into words."""

    def __init__(self, terms: TermList) -> None:
        self.terms = terms
        self._expression = _expression(terms)

    def search(self, texts: Sequence[str | None] | pa.ChunkedArray) -> Iterator[tuple[int, Words, list[Hit]]]:
        """Yield (row, words, hits) of each text with a hit, in the order of the rows; null texts have none."""
        column = pa.chunked_array(texts if isinstance(texts, pa.ChunkedArray) else [pa.array(texts, pa.string())])
        rows = np.flatnonzero(self.candidates(column))
        for row, text in zip(rows.tolist(), column.take(pa.array(rows)).to_pylist(), strict=True):
            words = words_of(text)
            hits = find_terms(words, self.terms)
            if hits:
                yield row, words, hits

    def candidates(self, texts: pa.ChunkedArray) -> npt.NDArray[np.bool_]:
        """Return which texts may hold a term: every text that does is among them. Shape (texts,)."""
        import polars

        found = polars.Series(texts).cast(polars.String).str.contains(self._expression)
        return np.asarray(found.fill_null(False).to_numpy(), dtype=bool)


def _matches(words: Words, place: int, pattern: Pattern) -> bool:
    last = place + len(pattern.keys) - 1
    if tuple(words.keys[place : last + 1]) != pattern.keys or not words.joined(place, last):
        return False
    if pattern.written is not None and tuple(words.written[place : last + 1]) != pattern.written:
        return False
    if not pattern.hyphens and words.hyphenated(place, last):
        return False
    if pattern.when and not any(_holds(rule, words, place, last) for rule in pattern.when):
        return False
    return not any(_holds(rule, words, place, last) for rule in pattern.unless)


def _holds(rule: Rule, words: Words, first: int, last: int) -> bool:
    keys = words.keys
    if first and keys[first - 1] in rule.previous:
        return True
    if last + 1 < len(keys) and keys[last + 1] in rule.next:
        return True
    around = keys[max(first - rule.within, 0) : first] + keys[last + 1 : last + 1 + rule.within]
    return not rule.near.isdisjoint(around)


def _expression(terms: TermList) -> str:
    """Return an expression of Rust's syntax that is found in every text with a term, and in few others.

    It has no look-around and no word boundary, which would cost Rust's engine its fast path. What is not ASCII (an
    accent that may be composed or not, an apostrophe of any kind) stands for one or two characters.
    """
    patterns = {pattern.keys for found in terms.patterns.values() for pattern in found}
    ways = sorted(r"[\s\-‐‑–]{1,3}".join(_loosely(key) for key in keys) for keys in patterns)
    edge = r"[\PLʼʻ]"  # these two are letters to Unicode, and apostrophes to `words_of`
    return rf"(?i)(?:^|{edge})(?:{'|'.join(ways)})(?:{edge}|$)"


def _loosely(word: str) -> str:
    return "".join(character if re.fullmatch("[a-z]", character) else ".{1,2}" for character in word)
