"""The bootstrap of a study's statistics, cut into blocks of replicates that any worker can compute.

Replicate r of a statistic is the same bytes in any cut: random numbers are keyed by (seed, block), sums are exact.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from raylib.errors import DataError
from raylib.schemas import REPLICATES
from raylib.stats.arrays import Floats
from raylib.stats.bootstrap import BLOCK_SIZE, cluster_weights, prepare_sums, replicate_sums


class Key(NamedTuple):
    """What names one number of a study."""

    statistic: str
    cell: str
    axis: str
    group: str


class Target(NamedTuple):
    """Statistics that are computed from the same per-cluster sums."""

    keys: tuple[Key, ...]
    sums: Floats
    """Shape (clusters, ...); clusters are resampled."""
    value: Callable[[Floats], Floats]
    """Maps sums of shape (replicates, ...) to values of shape (replicates, keys)."""


def blocks_of(replicates: int) -> range:
    """Return the numbers of the blocks that hold this many replicates."""
    return range(-(-replicates // BLOCK_SIZE))


def replicate(targets: Iterable[Target], *, seed: int, blocks: Sequence[int], replicates: int) -> pa.Table:
    """Return some blocks of replicates of all targets (schema REPLICATES), one row a key, in the targets' order.

    A target with fewer than two clusters has no replicates: resampling one cluster has no spread.

    Args:
        targets: what is resampled.
        seed: of the whole bootstrap.
        blocks: numbers from `blocks_of(replicates)`, at least one.
        replicates: of the whole bootstrap; the last block may be cut short.
    """
    usable = [target for target in targets if len(target.sums) > 1 and target.keys]
    prepared = [prepare_sums(target.sums) for target in usable]
    pieces: list[list[Floats]] = [[] for _ in usable]
    for block in blocks:
        wanted = min(BLOCK_SIZE, replicates - block * BLOCK_SIZE)
        weights: dict[int, Floats] = {}
        for place, (target, columns) in enumerate(zip(usable, prepared, strict=True)):
            clusters = len(target.sums)
            if clusters not in weights:
                weights[clusters] = cluster_weights(seed, block, clusters)[:wanted]
            values = target.value(replicate_sums(weights[clusters], columns))
            pieces[place].append(np.asarray(values).reshape(wanted, len(target.keys)))
    keys = [key for target in usable for key in target.keys]
    rows = [row for piece in pieces for row in np.concatenate(piece).T]
    named = [pa.array([key[place] for key in keys], type=pa.string()) for place in range(len(Key._fields))]
    return pa.Table.from_arrays([*named, pa.array(rows, type=pa.list_(pa.float64()))], schema=REPLICATES)


def join_blocks(tables: Sequence[pa.Table]) -> pa.Table:
    """Join consecutive blocks of replicates, each row's values one after another.

    Raises:
        DataError: the tables do not hold the same rows in the same order.
    """
    keys = tables[0].drop_columns(["values"])
    for table in tables[1:]:
        if not table.drop_columns(["values"]).equals(keys):
            raise DataError("blocks of replicates hold different statistics; please report this as a defect")
    rows = zip(*(_rows(table) for table in tables), strict=True)
    joined = pa.array([np.concatenate(row) for row in rows], type=pa.list_(pa.float64()))
    return keys.append_column("values", joined).cast(REPLICATES)


def by_key(replicates: pa.Table) -> dict[Key, Floats]:
    """Return each statistic's replicates, shape (replicates,)."""
    keys = zip(*(replicates[name].to_pylist() for name in Key._fields), strict=True)
    return {Key(*key): values for key, values in zip(keys, _rows(replicates), strict=True)}


def _rows(table: pa.Table) -> list[Floats]:
    column = table["values"].combine_chunks()
    flat = column.values.to_numpy(zero_copy_only=False)
    offsets = column.offsets.to_numpy()
    return [flat[start:end] for start, end in pairwise(offsets)]
