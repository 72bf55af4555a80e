"""What a model is trained on: examples as token ids, with the loss on the answer alone."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from raylib.engines.base import Message
from raylib.engines.chat import PromptRenderer
from raylib.errors import DataError

NO_LOSS = -100
"""Label of a token that the loss passes over; torch's cross entropy ignores it by default."""


@dataclass(frozen=True)
class Example:
    """A conversation and the answer that the model is to learn."""

    name: str
    """What messages call it, such as `train.parquet, row 3`."""
    messages: tuple[Message, ...]
    answer: str


class Encoded(NamedTuple):
    """An example as the model sees it; both of shape (tokens,)."""

    input_ids: npt.NDArray[np.int64]
    labels: npt.NDArray[np.int64]
    """The answer's tokens at their places, NO_LOSS at those of the prompt."""


def encode(example: Example, renderer: PromptRenderer, longest: int) -> Encoded:
    """Return an example's tokens: the prompt as the engine would render it, then the answer and its end.

    Args:
        example: what to encode.
        renderer: of the base model; the same that renders prompts when the model answers.
        longest: tokens that the context holds.

    Raises:
        DataError: the answer is empty, or prompt and answer do not fit; nothing is ever cut.
    """
    if not example.answer.strip():
        raise DataError(f"{example.name}: the answer is empty; drop the row or write one")
    prompt, answer_ids = renderer.exchange(example.messages, example.answer)
    length = len(prompt.token_ids) + len(answer_ids)
    if length > longest:
        raise DataError(
            f"{example.name}: {len(prompt.token_ids)} tokens of prompt and {len(answer_ids)} of answer, {longest} fit: "
            "raise training.max_length (up to the model's context), or drop the row"
        )
    input_ids = np.array([*prompt.token_ids, *answer_ids], dtype=np.int64)
    labels = input_ids.copy()
    labels[: len(prompt.token_ids)] = NO_LOSS
    return Encoded(input_ids, labels)


def encode_all(examples: Iterable[Example], renderer: PromptRenderer, longest: int) -> list[Encoded]:
    """Return all examples encoded. Raises DataError as `encode`, and where there is none."""
    encoded = [encode(example, renderer, longest) for example in examples]
    if not encoded:
        raise DataError("the training set is empty: give at least one row")
    return encoded


def pad(batch: Sequence[Encoded], padding: int) -> dict[str, npt.NDArray[np.int64]]:
    """Return a batch as arrays of shape (examples, longest): input_ids, attention_mask and labels, padded at the end."""
    longest = max(len(one.input_ids) for one in batch)
    input_ids = np.full((len(batch), longest), padding, dtype=np.int64)
    labels = np.full((len(batch), longest), NO_LOSS, dtype=np.int64)
    mask = np.zeros((len(batch), longest), dtype=np.int64)
    for row, one in enumerate(batch):
        input_ids[row, : len(one.input_ids)] = one.input_ids
        labels[row, : len(one.labels)] = one.labels
        mask[row, : len(one.input_ids)] = 1
    return {"input_ids": input_ids, "attention_mask": mask, "labels": labels}
