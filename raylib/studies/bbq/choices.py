"""Which answer a model chose: read strictly from what it says, or not at all."""

import re
from collections.abc import Sequence

from raylib.studies.bbq.wording import LETTERS

_ALONE = re.compile(r"\(?([abc])[).:]?", re.IGNORECASE)
_BEGINS = re.compile(r"(?:\(([abc])\)|([abc])[).:])\s+", re.IGNORECASE)
_NAMES = r"\b(?:answer|choice|option)(?: is|:)? ?"
_MARKED = re.compile(rf"\(([abc])\)|\A([abc])[).:]\s|{_NAMES}([abc])(?=\s*(?:\Z|[.,;:()\n*\"]))", re.IGNORECASE)
_MENTIONED = re.compile(rf"{_NAMES}([abc])\b(?!')", re.IGNORECASE)
"""Perhaps a letter, perhaps the article: never read, but two different ones are no answer."""


def choice_of_text(text: str, answers: Sequence[str]) -> int | None:
    """Return the place of the answer whose text this is, but for case and a final full stop; None: of no or two answers.

    This is how UnifiedQA's published predictions are matched.
    """
    said = _plain(text)
    places = [place for place, answer in enumerate(answers) if _plain(answer) == said]
    return places[0] if len(places) == 1 else None


def choice_of_reply(text: str, answers: Sequence[str]) -> int | None:
    """Return the place of the answer that a model's reply chooses, or None: unreadable, never a guess.

    A letter alone (`b`, `(b)`, `b.`), a letter that is marked as one (`(b)` anywhere, `b) ...` at the beginning, "the
    answer is b."), or the text of one answer. Two different letters, or a letter before the text of another answer: None.
    """
    said = text.strip().strip("*_\"'“”` \n")
    alone = _ALONE.fullmatch(said)
    if alone is not None:
        return _place(alone[1])
    marked = {_place("".join(groups)) for groups in _MARKED.findall(said)}
    if not marked:
        return choice_of_text(said, answers)
    mentioned = marked | {_place(letter) for letter in _MENTIONED.findall(said)}
    begins = _BEGINS.match(said)
    spelt = choice_of_text(said[begins.end() :], answers) if begins is not None else None
    return marked.pop() if len(mentioned | ({spelt} - {None})) == 1 else None


def _place(letter: str) -> int:
    return LETTERS.index(letter.lower())


def _plain(text: str) -> str:
    return text.lower().strip().removesuffix(".")
