"""In which order examples are seen: shuffled by epoch, alike lengths together, the same for any number of workers.

A step is a global batch. Which examples it holds follows from the seed and its number alone, so a run that is resumed at
step k, with more workers or fewer, sees what a run that was never interrupted would have seen.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from raylib.errors import ConfigError

_BUCKET = 16
"""Batches whose examples are sorted by length together: enough to save most padding, few enough to keep the order random."""


def steps_in(examples: int, batch: int) -> int:
    """Return the steps of an epoch; the last batch is filled up with examples from its beginning."""
    return -(-examples // batch)


def batch_of(step: int, lengths: Sequence[int], batch: int, seed: int) -> npt.NDArray[np.int64]:
    """Return the places of the examples of a step, shape (batch,).

    Args:
        step: from 0, over all epochs.
        lengths: tokens of each example.
        batch: examples of a step, over all workers and accumulated gradients.
        seed: of the run.

    Raises:
        ConfigError: the batch is larger than the training set.
    """
    if batch > len(lengths):
        raise ConfigError(
            f"training.batch is {batch}, but there are {len(lengths)} examples: lower it to {len(lengths)} or fewer"
        )
    epoch, place = divmod(step, steps_in(len(lengths), batch))
    return np.asarray(_epoch(epoch, np.asarray(lengths), batch, seed)[place])


def share_of(batch: npt.NDArray[np.int64], rank: int, workers: int) -> npt.NDArray[np.int64]:
    """Return the examples of a worker: every `workers`-th, so that long ones are spread.

    Raises:
        ConfigError: the batch does not divide evenly, so that examples would weigh unequally.
    """
    if len(batch) % workers:
        raise ConfigError(
            f"training.batch {len(batch)} does not divide by {workers} workers: give a multiple of the number of workers"
        )
    return batch[rank::workers]


def held_out_places(examples: int, share: float, seed: int) -> frozenset[int]:
    """Return which examples are held out: `share` of them, rounded, drawn by the seed; at least one is left to learn from."""
    count = min(round(examples * share), examples - 1)
    numbers = np.random.Generator(np.random.Philox(key=[seed, 2**32]))
    return frozenset(int(place) for place in numbers.permutation(examples)[:count])


def _epoch(epoch: int, lengths: npt.NDArray[np.int64], batch: int, seed: int) -> npt.NDArray[np.int64]:
    """Return the batches of an epoch in their order, shape (steps, batch)."""
    numbers = np.random.Generator(np.random.Philox(key=[seed, epoch]))
    order = numbers.permutation(len(lengths))
    steps = steps_in(len(order), batch)
    order = np.concatenate([order, order[: steps * batch - len(order)]])
    for start in range(0, len(order), batch * _BUCKET):
        bucket = order[start : start + batch * _BUCKET]
        order[start : start + len(bucket)] = bucket[np.argsort(lengths[bucket], kind="stable")]
    batches = order.reshape(steps, batch)
    return np.asarray(batches[numbers.permutation(steps)])
