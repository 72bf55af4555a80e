"""The labelling model's answer, read strictly: it is the JSON that was asked for and speaks of this story, or no label."""

import re
from functools import cache
from typing import Annotated, Any, Literal
from unicodedata import normalize

from pydantic import Field

from raylib.studies.narratives.extraction.roles import Extraction, Found, Roles
from raylib.studies.replies import Strict, UnreadableReplyError, read_json

_NO_NAME = "Unspecified"
_ALPHABETIC = re.compile(r"[^\W\d_]+")
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")
_KEYS = ("subject", "object", "name", "references")

Name = Literal["Unspecified"] | Annotated[str, Field(min_length=1, max_length=80)]
Reference = Annotated[str, Field(min_length=1, max_length=60)]


class _Character(Strict):
    name: Name
    references: Annotated[list[Reference], Field(max_length=40)]


class _One(Strict):
    subject: _Character


class _Two(_One):
    object: _Character


@cache
def answer_schema(*, two_characters: bool) -> dict[str, Any]:
    """Return the JSON schema that the engine holds the model to."""
    return (_Two if two_characters else _One).model_json_schema()


def read_reply(text: str, story: str, roles: Roles) -> Extraction:
    """Return the characters that an answer names.

    A reference counts only if every alphabetic word of it occurs in the story (the paper's rule); others are left out
    and counted in the notes. A name of which a word does not occur there makes the whole answer unreadable: the model
    speaks of something else.

    Raises:
        UnreadableReplyError: not exactly the JSON that was asked for, a key twice, or a name that is not in the story.
    """
    reply = read_json(text, _Two if roles.object is not None else _One, _KEYS)
    words = set(_words(story))
    subject, strange = _found("subject", reply.subject, words)
    other = None
    if isinstance(reply, _Two):
        other, more = _found("object", reply.object, words)
        strange += more
    notes = f"{strange} references that are not in the story were left out" if strange else ""
    return Extraction(subject, other, notes)


def _found(which: str, character: _Character, story: set[str]) -> tuple[Found, int]:
    name: str | None = " ".join(character.name.split())
    if _UNPRINTABLE.search(character.name):
        raise UnreadableReplyError(f"the {which}'s name holds control characters")
    if not name or name.lower() == _NO_NAME.lower():
        name = None
    elif not _occurs(name, story):
        raise UnreadableReplyError(f"the {which}'s name is not in the story")
    references = [" ".join(reference.lower().split()) for reference in character.references]
    kept = [reference for reference in references if _occurs(reference, story) and not _UNPRINTABLE.search(reference)]
    return Found(name, tuple(dict.fromkeys(kept))), len(references) - len(kept)


def _occurs(text: str, story: set[str]) -> bool:
    words = _words(text)
    return bool(words) and story.issuperset(words)


def _words(text: str) -> list[str]:
    return _ALPHABETIC.findall(normalize("NFC", text.casefold()))  # an accent may be composed in one of the two alone
