"""The loss of a global batch: the mean over all its answer tokens, however it is cut into workers and micro-batches."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from raylib.training.examples import NO_LOSS, Encoded


def answer_tokens(examples: Sequence[Encoded]) -> int:
    """Return how many tokens of these examples have a loss."""
    return int(sum(np.count_nonzero(one.labels[1:] != NO_LOSS) for one in examples))


def micro_batches(places: npt.NDArray[np.int64], size: int) -> list[npt.NDArray[np.int64]]:
    """Cut a worker's examples of a step into micro-batches of at most `size`, the last one perhaps smaller."""
    return [places[start : start + size] for start in range(0, len(places), size)]


def summed_loss(logits: Any, labels: Any) -> Any:
    """Return the sum of the cross entropies of the labelled tokens, in float32, as a tensor that gradients flow from.

    Args:
        logits: shape (examples, tokens, vocabulary); position t speaks of token t + 1.
        labels: shape (examples, tokens), NO_LOSS where there is no loss.
    """
    from torch.nn.functional import cross_entropy

    known = labels[:, 1:] != NO_LOSS
    return cross_entropy(logits[:, :-1][known].float(), labels[:, 1:][known], reduction="sum")


def scale(tokens: int, workers: int, accumulated: int) -> float:
    """Return what to multiply a micro-batch's summed loss by so that the step's gradient is that of the token mean.

    DeepSpeed divides by the accumulated micro-batches and takes the mean over workers; this undoes both.

    Args:
        tokens: answer tokens of the global batch.
        workers: that share it.
        accumulated: micro-batches of each worker.
    """
    return workers * accumulated / tokens
