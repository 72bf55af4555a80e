"""Characters that change how a text looks without being seen, written out as their code point.

A bidirectional override can make a line read backwards, a zero-width character can hide a word from a search. Both
come out of language models; in a report they must be seen.
"""

import re

_HIDDEN = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, but tab and line feed
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidirectional marks, embeddings, overrides, isolates
    "\u200b\u2028\u2029\u2060-\u2064\u206a-\u206f\ufeff\ufff9-\ufffb"  # zero width, line separators, annotations
    "\U000e0000-\U000e007f"  # tags: a whole text can hide in them
    "\ud800-\udfff"  # halves of a surrogate pair: cannot be written as UTF-8
    "]"
)


def make_visible(text: str) -> str:
    """Return the text with every hidden control character as its code point, for example "[U+202E]".

    Tab and line feed stay, and so do the joiners that Persian, Hindi and emoji are written with.
    """
    return _HIDDEN.sub(lambda match: f"[U+{ord(match.group()):04X}]", text)
