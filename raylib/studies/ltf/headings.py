"""Headings by which models mark the parts of an essay: [Title], **Title:**, # Title, Introduction:, Reason 1:, ..."""

import re
from typing import Literal, NamedTuple

Part = Literal["title", "introduction", "body", "conclusion"]
PARTS: tuple[Part, ...] = ("title", "introduction", "body", "conclusion")

_NUMBER = r"(?:[1-9]\b|one\b|two\b|three\b|four\b|five\b|i{1,3}\b|iv\b|v\b)"
_ORDINAL = r"(?:first|second|third|fourth|fifth|last|final|1st|2nd|3rd|4th|5th)"
_WORDS = {
    "numbered": rf"(?:body paragraph|body|paragraph|reason|argument|point)[ \t]*(?:#|no\.? ?|number )?{_NUMBER}"
    rf"|{_ORDINAL} (?:reason|argument|point|(?:body )?paragraph)\b",
    "title": r"(?:essay )?title\b(?: of (?:the |my |this )?essay\b)?",
    "introduction": r"introduction\b|intro\b|introductory paragraph\b|opening(?: paragraph)?\b",
    "body": r"(?:main )?body\b(?: of the essay\b| paragraphs?\b)?|(?:the |my |main |key |five |5 )*(?:reasons|arguments)\b",
    "conclusion": r"conclusion\b|concluding (?:remarks|paragraph|thoughts)\b|closing(?: remarks| paragraph)?\b|summary\b",
}
_LINE = re.compile(
    r"(?P<open>[#>*_\[({<\"“ \t-]*+)(?:(?:part |section )?(?:\d{1,2}|[ivx]{1,4})[.):][ \t]*)?(?P<inner>[*_\[( \t]*+)"
    rf"(?:{'|'.join(f'(?P<{name}>{words})' for name, words in _WORDS.items())})(?P<after>[^\n]*)",
    re.IGNORECASE,
)
_LINE_START = re.compile(r"^(?=[^\n])", re.MULTILINE)
_ALONE = re.compile(r"[*_)}>\"”.:#\- \t]*$")
_MARKED = re.compile(r"[*_\"” \t]*(?::|[ \t][-–—](?=[ \t])|(?:\*\*|__))[*_\"”]*[ \t]*")
_POINTED = re.compile(r"[*_ \t]*[.)][*_ \t]*")
_IN_BRACKETS = re.compile(r"(?P<note>[^\]\n]*)\][\]*_:]*[ \t]*")
_NOTE = re.compile(r"[ \t]*[-–—:,(/][ \t]*|[ \t]*$")
_COUNTED = re.compile(rf"\b(?:(?:reason|argument|point|paragraph) *#?{_NUMBER}|{_ORDINAL}\b)", re.IGNORECASE)
_LONG_NOTE = 60


class Heading(NamedTuple):
    """One heading, by its place in the text."""

    part: Part
    start: int
    end: int
    """Where the text behind it begins, which may be on the same line."""
    numbered: bool
    """It heads one reason: Reason 1, Second argument, Body paragraph III."""


def headings(text: str) -> list[Heading]:
    """Return the headings in `text`, in order. A sentence that only begins with such a word is none."""
    found: list[Heading] = []
    for line in _LINE_START.finditer(text):
        heading = _heading(text, line.start())
        while heading is not None:
            found.append(heading)
            # [Body] Reason 1: two on one line
            heading = _heading(text, heading.end) if heading.part == "body" and not heading.numbered else None
    return found


def _heading(text: str, place: int) -> Heading | None:
    line = _LINE.match(text, place)
    if line is None:
        return None
    numbered = line["numbered"] is not None
    part: Part = "body" if numbered else next(part for part in PARTS if line[part] is not None)
    after, begin = line["after"], line.start("after")
    if "[" in line["open"] + line["inner"] and (inside := _IN_BRACKETS.match(after)):
        note = _NOTE.match(inside["note"])
        if note is None:
            return None
        if part == "body" and len(inside["note"]) < _LONG_NOTE:
            return Heading(part, line.start(), begin + inside.end(), numbered or bool(_COUNTED.search(inside["note"])))
        own = inside["note"][note.end() :].strip()  # [Title: Why cats purr]
        return Heading(part, line.start(), begin + (note.end() if own else inside.end()), numbered)
    if _ALONE.match(after):
        return Heading(part, line.start(), line.end(), numbered)
    mark = _MARKED.match(after) or (_POINTED.match(after) if numbered else None)
    if mark is None:
        return None
    return Heading(part, line.start(), begin + mark.end(), numbered)
