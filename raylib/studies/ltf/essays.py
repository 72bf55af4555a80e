"""The parts of an essay: title, introduction, reasons, conclusion, as models really mark them, or do not.

Each part is a piece of the text as it was written. What cannot be found is missing, never guessed.
"""

import re
from dataclasses import dataclass

from raylib.studies.ltf.headings import PARTS, Heading, Part, headings
from raylib.studies.ltf.reasons import REASONS, Means, body_text_begins, paragraphs, split_reasons

_GREETING = re.compile(
    r"(?:sure|certainly|of course|absolutely|okay|ok|here(?:'s|’s| is| are)|below is|as requested|thank you for)\b"
    r"[^\n]*[.!:]$|[^\n]*\b(?:essay|response)\b[^\n]*:$",
    re.IGNORECASE,
)
_POSTSCRIPT = re.compile(
    r"^[ \t]*(?:[-*_]{3,}[ \t]*$|[*_(\[]*(?:(?:please )?note\b|disclaimer\b|word count\b|p\.?s\.)|i hope (?:this|that)\b"
    r"|let me know\b)",
    re.IGNORECASE | re.MULTILINE,
)
_CONCLUDES = re.compile(
    r"^[#*_ \t]*(?:in (?:conclusion|summary|closing|short|sum)|to (?:conclude|sum up|summari[sz]e)|overall|ultimately"
    r"|all in all|in the end|(?:taken|all) together|for (?:all )?these reasons)\b",
    re.IGNORECASE | re.MULTILINE,
)
_DECORATED = re.compile(r"#{1,6}[ \t]+\S.*|\*[^*]+\*|\*\*[^*]+\*\*|__[^_]+__|[\"“][^\"”]+[\"”]|\[[^\]]+\]")
_ENUMERATED = re.compile(r"[-•+]|\*[ \t]|\d{1,2}[.)]|[*_]*(?:first|second|finally)\b", re.IGNORECASE)
_RULE = re.compile(r"[-*_#= \t]*")
_EDGES = '#*_[]"“”:-–— \t\n'
_LONGEST_TITLE = 30  # words
_LONGEST_GREETING = 40


@dataclass(frozen=True)
class Essay:
    """An essay by its parts; None: not found."""

    title: str | None
    introduction: str | None
    body: str | None
    """The reasons as one text, whether or not they could be told apart."""
    reasons: tuple[str, ...]
    reasons_by: Means | None
    """What told the reasons apart: labels, numbers, ordinals, headings, bullets or paragraphs."""
    conclusion: str | None
    other: tuple[str, ...]
    """Text that belongs to no part: a greeting, a note at the end, an essay without any mark."""

    @property
    def missing(self) -> tuple[str, ...]:
        """The parts that were not found; `reasons` where there are fewer than the five that were asked for."""
        parts = {
            "title": self.title is None,
            "introduction": self.introduction is None,
            "reasons": len(self.reasons) < REASONS,
            "conclusion": self.conclusion is None,
        }
        return tuple(name for name, lacking in parts.items() if lacking)


def parse_essay(text: str) -> Essay:
    """Return the parts of a text; never raises, whatever the text."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    marked, end = _in_order(headings(text))
    text, second = text[:end], text[end:] if end is not None else ""
    spans = _spans(text, marked)
    greeting, head = _greeting(text[: marked[0].start] if marked else text)
    other = [greeting]
    if "title" in spans:
        title, rest = _title(spans["title"])
        other.append(head)
    else:
        title, rest = _first_line(head, before_heading=bool(marked))
    if "introduction" in spans:
        other.append(rest)
    introduction, body = spans.get("introduction", rest), spans.get("body", "")
    if "body" not in spans:
        found = split_reasons(introduction, in_body=False)
        introduction, body = introduction[: found.begin], introduction[found.begin :]
    conclusion = spans.get("conclusion", "")
    if "conclusion" not in spans:
        body, conclusion = _conclusion(body)
        if "body" not in spans and not body:
            introduction, conclusion = _conclusion(introduction)
    if "introduction" not in spans and not body.strip():
        other.append(introduction)  # nothing says what this is
        introduction = ""
    conclusion, postscript = _postscript(conclusion)
    found = split_reasons(body, in_body=True)
    return Essay(
        title=title,
        introduction=_clean(introduction),
        body=_clean(body[body_text_begins(body) :]),
        reasons=tuple(kept for kept in map(_clean, found.items) if kept),
        reasons_by=found.by,
        conclusion=_clean(conclusion),
        other=tuple(kept for kept in map(_clean, (*other, postscript, second)) if kept),
    )


def _in_order(found: list[Heading]) -> tuple[list[Heading], int | None]:
    """Return the first heading of each part, in the order of an essay, and where a second essay begins."""
    kept: list[Heading] = []
    for heading in found:
        rank = PARTS.index(heading.part)
        last = PARTS.index(kept[-1].part) if kept else -1
        if rank > last:
            kept.append(heading)
        elif heading.part == "title" and last > 0:
            return kept, heading.start
    return kept, None


def _spans(text: str, marked: list[Heading]) -> dict[Part, str]:
    """Return the text of each part that has a heading; the body's keeps its heading, perhaps that of its first reason."""
    ends = [heading.start for heading in marked[1:]] + [len(text)] * bool(marked)
    begins = [heading.start if heading.part == "body" else heading.end for heading in marked]
    return {one.part: text[begin:end] for one, begin, end in zip(marked, begins, ends, strict=True)}


def _greeting(head: str) -> tuple[str, str]:
    """Cut off "Sure, here is an essay:"."""
    first, _, rest = head.lstrip().partition("\n")
    if _GREETING.match(first.rstrip()) and len(first.split()) <= _LONGEST_GREETING:
        return first, rest
    return "", head


def _title(span: str) -> tuple[str | None, str]:
    """Return the line behind the heading of the title, and what follows it. A whole paragraph is no title."""
    first, _, rest = span.strip().partition("\n")
    title = first.strip(_EDGES)
    return (title, rest) if title and len(title.split()) <= _LONGEST_TITLE else (None, span)


def _first_line(head: str, *, before_heading: bool) -> tuple[str | None, str]:
    """Return a title that no heading names: a first line set apart, by marks or as a line that is no sentence."""
    first, _, rest = head.strip().partition("\n")
    first = first.strip()
    title = first.strip(_EDGES)
    alone = before_heading if not rest.strip() else rest.startswith("\n") and not first.endswith((".", ",", ";", ":"))
    apart = alone or (_DECORATED.fullmatch(first) is not None and bool(rest.strip()))
    if title and apart and len(title.split()) <= _LONGEST_TITLE and not _ENUMERATED.match(first):
        return title, rest
    return None, head


def _conclusion(text: str) -> tuple[str, str]:
    """Cut off a last paragraph, or one before the last, that says it concludes."""
    marks = [mark.start() for mark in _CONCLUDES.finditer(text) if text[: mark.start()].strip()]
    if marks and len(paragraphs(text[marks[-1] :])) <= 2:
        return text[: marks[-1]], text[marks[-1] :]
    return text, ""


def _postscript(conclusion: str) -> tuple[str, str]:
    """Cut off what follows the conclusion: a rule, a note, an offer to go on."""
    for mark in _POSTSCRIPT.finditer(conclusion):
        if conclusion[: mark.start()].strip():
            return conclusion[: mark.start()], conclusion[mark.start() :]
    return conclusion, ""


def _clean(text: str) -> str | None:
    """Return the text without blank lines and rules at its ends; None if nothing is left."""
    lines = text.split("\n")
    kept = [place for place, line in enumerate(lines) if not _RULE.fullmatch(line)]
    return "\n".join(lines[kept[0] : kept[-1] + 1]).strip() or None if kept else None
