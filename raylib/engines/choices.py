"""Given answers, scored in the place of writing one: how likely a model finds each, as a text that is stored like any other.

A request with `choices` gets a completion whose text is this record. What is measured is the whole answer as a turn: its
tokens and the token that ends it, after the prompt that a written answer would follow. So an answer with which another one
begins is not favoured, and a model is scored by just the tokens that it would be trained on. Prompt and answer are turned
into tokens apart from each other: no token straddles the two.
"""

import json
import math
from collections.abc import Sequence
from typing import NamedTuple

from raylib.ids import canonical_json

SCORING_ENGINES = ("vllm", "scripted")
"""Kinds of engine that take `Request.choices`."""

VERSION = "1"
"""Raised whenever the same model would give the same answer another likelihood."""

FINISH_REASON = "scored"
"""Of a completion that holds a record: nothing was written, so nothing stopped."""

_DECIMALS = 6


class Likelihood(NamedTuple):
    """How likely a model finds one answer."""

    logprob: float
    """Natural logarithm of its probability, the sum over its tokens; at most 0."""
    tokens: int
    """Of the answer and of what ends its turn; at least 1."""


def to_record(likelihoods: Sequence[Likelihood]) -> str:
    """Return the text that stands for the answers' likelihoods, in the order in which they were asked about."""
    rows = [{"logprob": round(one.logprob, _DECIMALS), "tokens": one.tokens} for one in likelihoods]
    return canonical_json({"choices": rows})


def from_record(text: str, choices: int) -> tuple[Likelihood, ...]:
    """Return the likelihoods of so many choices.

    Raises:
        ValueError: the text is no such record; the message repeats nothing of it.
    """
    try:
        rows = json.loads(text)["choices"]
        found = tuple(Likelihood(float(row["logprob"]), int(row["tokens"])) for row in rows)
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ValueError("not a record of answers' likelihoods") from None
    if len(found) != choices:
        raise ValueError(f"a record of {len(found)} answers, not of {choices}")
    if not all(math.isfinite(one.logprob) and one.tokens > 0 for one in found):
        raise ValueError("a likelihood that is no number, or an answer without tokens")
    return found
