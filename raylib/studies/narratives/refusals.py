"""Telling a refusal from a story: a few phrases, in the first sentences only. Conservative: a doubtful text is a story."""

import re

from raylib.studies.refusals import DECLINES, OPENINGS, TASK, straightened

_HEAD = 300
"""Characters that are looked at: a refusal says so at once, and a character may well refuse later in a story."""

_REFUSALS = (
    # "I'm sorry, but I cannot write that." The opening alone is no refusal: a story may begin so.
    re.compile(rf"\A\W*(?:{'|'.join(OPENINGS)})[^\n]{{0,200}}?{DECLINES}", re.IGNORECASE),
    # "I cannot fulfill this request."
    re.compile(rf"\A\W*{DECLINES}{TASK}", re.IGNORECASE),
)
_QUOTE = re.compile(r"\A\s*[\"“]")


def is_refusal(text: str) -> bool:
    """Return whether the text declines to tell a story. A text that opens with a quotation is a story."""
    head = straightened(text[:_HEAD])
    return not _QUOTE.match(head) and any(pattern.match(head) for pattern in _REFUSALS)
