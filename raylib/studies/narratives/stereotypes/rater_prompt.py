"""What a language model is asked about a story, and how its answer is read: strictly, or not at all."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import Field, field_validator

from raylib.config.base import Frozen
from raylib.config.loading import validate
from raylib.errors import ConfigError
from raylib.ids import digest
from raylib.studies.narratives.data_files import read_yaml
from raylib.studies.narratives.stereotypes.codebook import VALUES, Codebook

_PLACES = ("{codes}", "{open}", "{close}", "{story}")


class RaterPrompt(Frozen):
    """The wording of the request."""

    version: int
    text: str = Field(description="Holds {codes}, {open}, {close} and {story}.")

    @field_validator("text")
    @classmethod
    def _has_places(cls, value: str) -> str:
        missing = [place for place in _PLACES if place not in value]
        if missing:
            raise ValueError(f"the text lacks {', '.join(missing)}")
        return value

    @property
    def identity(self) -> str:
        """Version and digest of the wording."""
        return f"v{self.version}-{digest(self.text)[:8]}"

    def fill(self, codebook: Codebook, story: str) -> str:
        """Return the request for one story.

        The delimiters hold a digest of the story itself: the same request every time, and no story can contain it.
        """
        nonce = digest([self.identity, story])[:16]
        parts = {"{codes}": _codes(codebook), "{open}": f"<story {nonce}>", "{close}": f"</story {nonce}>"}
        head, _, tail = self.text.partition("{story}")
        for place, text in parts.items():
            head, tail = head.replace(place, text), tail.replace(place, text)
        return f"{head}{story}{tail}"


@cache
def load_rater_prompt(path: str | None = None) -> RaterPrompt:
    """Return the wording of `path`, or the study's own. Raises ConfigError for a missing file or place."""
    value, where = read_yaml(Path(path) if path else "rater_prompt.yaml")
    if not isinstance(value, dict):
        raise ConfigError(f"{where} must hold the keys version and text; see data/rater_prompt.yaml")
    return validate(value, RaterPrompt, where)


def answer_schema(codebook: Codebook) -> dict[str, Any]:
    """Return the JSON schema of an answer, for engines that can be held to one."""
    return {
        "type": "object",
        "properties": {name: {"type": "string", "enum": list(VALUES)} for name in codebook.names},
        "required": list(codebook.names),
        "additionalProperties": False,
    }


def parse_answer(answer: str | None, codebook: Codebook) -> tuple[Mapping[str, str] | None, str | None]:
    """Return (code -> value, None), or (None, what is wrong with the answer): it is whole, or it is missing."""
    if answer is None:
        return None, "no answer"
    try:
        pairs = json.loads(answer, object_pairs_hook=_Pairs)
    except (ValueError, RecursionError):
        return None, "the answer is not JSON"
    if not isinstance(pairs, _Pairs):
        return None, "the answer is not a JSON object"
    names = [name for name, _ in pairs]
    if sorted(names) != sorted(codebook.names):
        return None, "the answer does not hold each code once"
    if any(value not in VALUES for _, value in pairs):
        return None, "the answer holds another value than yes, no, unsure"
    return {name: str(value) for name, value in pairs}, None


class _Pairs(list[tuple[str, Any]]):
    """A JSON object with its repeated keys."""


def _codes(codebook: Codebook) -> str:
    return "\n".join(
        f"- {code.code} ({code.label}): {code.definition}\n  Counts: {code.include}\n  Does not count: {code.exclude}\n"
        f"  Example: {code.example}"
        for code in codebook.codes
    )
