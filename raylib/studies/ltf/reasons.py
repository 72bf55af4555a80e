"""Where the reasons of an essay begin and end: by number, ordinal, heading or bullet, never by guess."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple

from raylib.studies.ltf.headings import headings

Means = Literal["labels", "numbers", "ordinals", "headings", "bullets", "paragraphs"]
REASONS = 5
"""What the prompt asks for."""

_NUMBERED = re.compile(
    r"^(?P<indent>[ \t]*+)[#>*_\[(\- ]*+(?P<number>\d{1,2}|[IVX]{1,4})(?:[.):\]]+|[ ][-–—])[*_]*(?:[ \t]+|$)",
    re.MULTILINE,
)
_ROMAN = {"I": 1, "II": 2, "III": 3, "IV": 4, "V": 5, "VI": 6, "VII": 7, "VIII": 8, "IX": 9, "X": 10}
_ORDINALS = (
    r"first(?:ly)?(?: and foremost| of all)?|to begin with|to start with",
    r"second(?:ly)?",
    r"third(?:ly)?",
    r"fourth(?:ly)?",
    r"fifth(?:ly)?",
)
_LAST = r"last(?:ly)?(?: but not least)?|finally"
_GOES_ON = r"moreover|furthermore|additionally|in addition|another (?:reason|factor|advantage|argument)|next|also"
_AFTER = r"(?:\*\*|__)?(?:,|[ \t]+(?:reason|argument|point|factor|and|is|of|we|it|they|there)\b|[ \t]*:)"
_LINE_START = r"^[ \t#>*_\-\[(]*(?:the |one |a )?"
_SENTENCE_START = r"(?:^|(?<=[.!?] ))[ \t*_]*(?:the )?"
_MARKDOWN = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t]+\S[^\n]*|(?:\*\*|__)[^*_\n]+(?:\*\*|__)[ \t]*:?)(?:[ \t]*$|[ \t]+(?=\S))", re.M
)
_COLON = re.compile(r"^(?=[A-Z])[^.!?:\n]{2,60}:(?:[ \t]+(?=\S)|[ \t]*$)", re.MULTILINE)
_BULLET = re.compile(r"^(?P<indent>[ \t]*)[-*•+–][ \t]+(?=\S)", re.MULTILINE)
_BLANK = re.compile(r"\n[ \t]*\n")


class Reasons(NamedTuple):
    """The reasons, and where they begin."""

    begin: int
    """Where the first one's mark stands in the text; its end, if there are none."""
    items: tuple[str, ...]
    by: Means | None
    """What marked them; None: nothing did, and there are no items."""


def split_reasons(text: str, *, in_body: bool) -> Reasons:
    """Return the reasons in `text`.

    Args:
        text: the essay's body, or all behind its title where no heading names a body.
        in_body: `text` is the body, so that weak marks will do: five paragraphs, two bullets. Elsewhere three of a kind.
    """
    least = 2 if in_body else 3
    means: list[tuple[Means, Callable[[str], list[tuple[int, int]]]]] = [
        ("labels", _labels),
        ("numbers", _numbers),
        ("ordinals", _ordinals),
        ("headings", _headings if in_body else _markdown),
        ("bullets", _bullets),
    ]
    if in_body:
        means.append(("paragraphs", _five_paragraphs))
    for by, find in means:
        begin = 0 if by == "labels" or not in_body else body_text_begins(text)
        marks = [(start + begin, end + begin) for start, end in find(text[begin:])]
        if marks and (len(marks) >= least or by == "labels"):
            return Reasons(marks[0][0], _cut(text, marks), by)
    return Reasons(len(text), (), None)


def body_text_begins(body: str) -> int:
    """Return where the text of a body begins: behind its heading, unless that is the heading of its first reason."""
    first = next(iter(headings(body)), None)
    if first is None or first.start > 0 or first.numbered or first.end in (end for _, end in _labels(body)):
        return 0
    return first.end


def paragraphs(text: str) -> list[tuple[int, int]]:
    """Return the paragraphs of `text` (begin, end), which blank lines keep apart."""
    edges = [0, *(edge for blank in _BLANK.finditer(text) for edge in blank.span()), len(text)]
    return [(begin, end) for begin, end in zip(edges[::2], edges[1::2], strict=True) if text[begin:end].strip()]


def _cut(text: str, marks: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    ends = [*(start for start, _ in marks[1:]), len(text)]
    return tuple(text[begin:end].strip() for (_, begin), end in zip(marks, ends, strict=True))


def _labels(text: str) -> list[tuple[int, int]]:
    """Reason 1: ...; or the heading of the body before each of them."""
    body = [one for one in headings(text) if one.part == "body"]
    for chosen in ([one for one in body if one.numbered], [one for one in body if not one.numbered]):
        if len(chosen) >= 2:
            return [(one.start, one.end) for one in chosen]
    return []


def _numbers(text: str) -> list[tuple[int, int]]:
    """1. 2. 3. in this order; what is indented further than the first of them is a list inside a reason."""
    marks: list[tuple[int, int]] = []
    indent = 0
    for line in _NUMBERED.finditer(text):
        number = int(line["number"]) if line["number"].isdigit() else _ROMAN.get(line["number"], 0)
        if number == len(marks) + 1 and (not marks or len(line["indent"]) <= indent):
            indent = len(line["indent"]) if not marks else indent
            marks.append((line.start(), line.end()))
    return marks


def _ordinals(text: str) -> list[tuple[int, int]]:
    at_lines = list(_in_order(text, _LINE_START))
    if len(at_lines) >= 2:
        return at_lines
    in_sentences = list(_in_order(text, _SENTENCE_START))
    return in_sentences if len(in_sentences) >= 3 else []


def _in_order(text: str, start: str) -> Iterator[tuple[int, int]]:
    """Yield First, Second, ... and Finally; where one of them is missing, Moreover and its like take its place."""
    flags = re.IGNORECASE | re.MULTILINE
    ordinals = [re.compile(f"{start}(?:{words}){_AFTER}", flags) for words in _ORDINALS]
    last = re.compile(f"{start}(?:{_LAST}){_AFTER}", flags)
    goes_on = re.compile(f"{start}(?:{_GOES_ON})(?:{_AFTER}|[ \t])", flags)
    place, count = 0, 0
    while count < REASONS:
        found = ordinals[count].search(text, place)
        if count > 0 and found is None:
            marks = [mark for mark in (last.search(text, place), goes_on.search(text, place)) if mark]
            found = min(marks, key=lambda mark: mark.start(), default=None)
        if found is None:
            return
        count, place = count + 1, found.end()
        yield found.start(), found.start()


def _markdown(text: str) -> list[tuple[int, int]]:
    return [(line.start(), line.start()) for line in _MARKDOWN.finditer(text)]


def _headings(text: str) -> list[tuple[int, int]]:
    marks = _markdown(text)
    if len(marks) >= 2:
        return marks
    colons = [(line.start(), line.start()) for line in _COLON.finditer(text)]
    return colons if len(colons) >= 3 else []


def _bullets(text: str) -> list[tuple[int, int]]:
    bullets = list(_BULLET.finditer(text))
    outer = min((len(one["indent"]) for one in bullets), default=0)
    return [(one.start(), one.end()) for one in bullets if len(one["indent"]) == outer]


def _five_paragraphs(text: str) -> list[tuple[int, int]]:
    spans = [(begin, end) for begin, end in paragraphs(text) if not text[begin:end].rstrip().endswith(":")]
    return [(begin, begin) for begin, _ in spans] if len(spans) == REASONS else []
