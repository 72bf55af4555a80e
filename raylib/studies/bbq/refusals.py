"""Telling a reply that declines from one that answers; only replies in which no answer could be read are looked at."""

import re

from raylib.studies.refusals import DECLINES, OPENINGS, TASK, straightened

_HEAD = 300
_ANSWER = r"(?: \w+){0,3} (?:answer|choos|select|pick|judg|determin|respond|say|speculat|mak|engag|discuss)\w*"
_REFUSALS = (
    re.compile(rf"\A\W*(?:{'|'.join(OPENINGS)})[^\n]{{0,200}}?{DECLINES}", re.IGNORECASE),
    re.compile(rf"\A\W*{DECLINES}(?:{TASK}|{_ANSWER})", re.IGNORECASE),
)


def is_refusal(text: str) -> bool:
    """Return whether the reply declines to answer. That is not the answer that it cannot be known: nobody chose that."""
    head = straightened(text[:_HEAD])
    return any(pattern.match(head) for pattern in _REFUSALS)
