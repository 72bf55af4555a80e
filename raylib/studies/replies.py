"""A labelling model's answer, read strictly: exactly the JSON that was asked for, or no label."""

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

MOST_CHARACTERS = 20_000
"""A longer answer is not looked at."""

Flaw = Literal["not_json", "wrong_form", "out_of_range"]

_RANGE = ("greater_than", "greater_than_equal", "less_than", "less_than_equal")
T = TypeVar("T", bound="Strict")


class Strict(BaseModel):
    """What an answer must look like: nothing is converted (no "2", 2.0 or true for 2), nothing stands beside it."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class UnreadableReplyError(ValueError):
    """An answer that is no label; the message says why in a few words and repeats nothing of the answer."""

    def __init__(self, why: str, flaw: Flaw = "wrong_form") -> None:
        super().__init__(why)
        self.flaw = flaw


def read_json(text: str, model: type[T], keys: Collection[str]) -> T:
    """Return the answer as a `model`.

    Args:
        text: the whole answer. Only white space may stand around the JSON.
        model: what was asked for.
        keys: names of keys that a message may show; others are the answer's own words.

    Raises:
        UnreadableReplyError: not exactly one JSON value, a key twice, another form, or a number out of range.
    """
    if len(text) > MOST_CHARACTERS:
        raise UnreadableReplyError(f"it has {len(text):,} characters", "not_json")
    try:
        return model.model_validate(json.loads(text, object_pairs_hook=_each_once))
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        first, in_range = found[0], not all(item["type"] in _RANGE for item in found)
        place = ".".join(str(part) for part in first["loc"] if str(part) in keys)
        raise UnreadableReplyError(
            f"not the JSON that was asked for ({place or 'top'}: {first['type']})",
            "wrong_form" if in_range else "out_of_range",
        ) from None
    except (ValueError, RecursionError) as error:
        if isinstance(error, UnreadableReplyError):
            raise
        raise UnreadableReplyError("no JSON", "not_json") from None


def _each_once(pairs: Iterable[tuple[str, object]]) -> Mapping[str, object]:
    pairs = list(pairs)
    if len({key for key, _ in pairs}) != len(pairs):
        raise UnreadableReplyError("a key stands there twice")
    return dict(pairs)
