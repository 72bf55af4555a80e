"""The story inside a completion: without the prompt's echo, the "Here is a 97 word story:" and the markup."""

import re
from unicodedata import normalize

MAX_CHARACTERS = 8_000
"""A story of 100 words has some 600 characters; what lies behind this is not read."""

_QUOTES = str.maketrans(
    {
        "’": "'",
        "‘": "'",
        "ʼ": "'",
        "“": '"',
        "”": '"',
        "«": '"',
        "»": '"',
        "\u00a0": " ",
        "\r": "\n",
        "\u2010": "-",
        "\u2011": "-",
    }
    | dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff")  # invisible: they would cut a word in two
)
_TAGS = re.compile(r"<[^<>\n]{1,80}>")
_MARKS = re.compile(r"[*_`#~|\\]+|^[^\S\n]*+[-=>]+\s*", re.MULTILINE)
_LEAD = re.compile(
    r"\A\W*(?:(?:sure|certainly|of course|okay|ok)\b[^\n]{0,80}[!.:,]\s*)?"
    r"(?:(?:here(?:'s| is| are)|below is)\b[^\n:]{0,250}:?\s*\n|"
    r"(?:here(?:'s| is| are)|below is)\b[^\n:.]{0,250}:\s*|"
    r"(?:prompt\s*:\s*)?write a (?:short )?story\b[^\n.]{0,250}(?:\.|\n)\s*|"
    r"(?:title|story|prompt)\s*:\s*(?=\S))",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(r"\A.{0,1500}?\n[^\w\n]*+(?:your|my|the) story\s*:\s*(?=\S)", re.IGNORECASE | re.DOTALL)
_NICKNAME = re.compile(r"\b([A-Z][a-z]+) [\"']([A-Z][\w ]{1,20})[\"'] (?=[A-Z][a-z])")
_HEADING = re.compile(r"\A\s*+(?:title\s*:\s*)?([^\n.!?,;\"]{1,80})\n\s*+(?=\S)", re.IGNORECASE)


def story_text(text: str) -> str:
    """Return the story in plain ASCII quotes and without markup; empty where nothing is left."""
    text = text[:MAX_CHARACTERS]
    text = text.replace("\r", "\n") if text.isascii() else normalize("NFC", text).translate(_QUOTES)
    if "<" in text:
        text = _TAGS.sub(" ", text)
    text = _MARKS.sub("", text)
    for _ in range(3):
        shorter = _LEAD.sub("", text, count=1)
        if len(shorter) == len(text):
            break
        text = shorter
    if "\n" in text:
        text = _EXAMPLE.sub("", text, count=1)
    nicknames = dict(_NICKNAME.findall(text)) if ' "' in text or " '" in text else {}
    for first, nickname in nicknames.items():
        # Eddie "Bulldog" Johnson goes by Eddie Johnson, and where the story says Bulldog it means Eddie.
        text = re.sub(rf"\b{first} [\"']{re.escape(nickname)}[\"'] ", f"{first} ", text)
        text = re.sub(rf"\b{re.escape(nickname)}\b", first, text)
    return _unquoted(_HEADING.sub("", text, count=1).strip())


def _unquoted(text: str) -> str:
    """Return a story without the one pair of quotes (or its opening one alone) that is put around all of it."""
    if not text.startswith('"'):
        return text
    rest = text[1:]
    if '"' not in rest.rstrip().removesuffix('"'):
        return rest.rstrip().removesuffix('"')
    return text
