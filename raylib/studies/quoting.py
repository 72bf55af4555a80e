"""Texts of a model as data in a prompt for another: hostile until shown otherwise.

A quoted text cannot end itself, open a turn of a chat, or be taken for a special token: the marks around it hold a hash
of the text itself, and the brackets from which such tokens and tags are made become look-alikes. Words stay as they are.
"""

import re
from typing import NamedTuple

from raylib.ids import digest

_MOST_CHARACTERS = 8_000
_LOOK_ALIKES = str.maketrans({"<": "‹", ">": "›", "[": "⟦", "]": "⟧", "|": "¦", "#": "♯", "`": "ˋ"})
_INVISIBLE = re.compile(
    r"[^\S\n ]|[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    r"\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)
"""Among them the tag characters and variation selectors, in which whole sentences can be hidden."""


class Quoted(NamedTuple):
    """A text between its marks."""

    block: str
    """Begin mark, text and end mark, a line each at least."""
    begin: str
    end: str


def quote(text: str, key: str, what: str = "text", most: int = _MOST_CHARACTERS) -> Quoted:
    """Return `text` between two marks that it cannot contain.

    Args:
        text: anything. Control and invisible characters become spaces, what lies behind `most` characters is left out.
        key: something that the text's writer does not know (a sample's id).
        what: the word in the marks.
        most: characters that are kept.
    """
    plain = _INVISIBLE.sub(" ", text[:most]).translate(_LOOK_ALIKES).strip()
    nonce = digest(["quote", key, plain])[:16]  # of the text itself, so that no text can hold its own
    begin, end = f"<{what} {nonce}>", f"</{what} {nonce}>"
    return Quoted(f"{begin}\n{plain}\n{end}", begin, end)
