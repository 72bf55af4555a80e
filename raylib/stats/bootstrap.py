"""The cluster bootstrap on sufficient statistics: cluster weights x per-cluster sums, as matrix products.

Source: Davison and Hinkley (1997), Bootstrap Methods and their Application, section 3.8 (hierarchical data, clusters
resampled with replacement, all that is in a cluster kept) and section 2.4 on multinomial weights; Field and Welsh (2007),
J. R. Stat. Soc. B 69: 369, for its validity with many clusters.

A replicate draws as many clusters as there are, with replacement; each statistic is a function of the summed columns.
So the rows are read once, and a replicate costs one row of a matrix product.

The same bytes on any number of workers, threads, block sizes and orders of clusters within a product:
- Random numbers come from Philox (a counter-based generator) keyed by the seed, at a counter fixed by the replicate's
  number, turned into cluster numbers by integer arithmetic. Replicate 7 is replicate 7 in any block.
- Products are exact: see `raylib.stats.exact`.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from raylib.errors import DataError
from raylib.stats.arrays import Floats, finite, matrix
from raylib.stats.exact import on_resampling_grid

BLOCK_SIZE = 250
"""Replicates in a block: a matrix of weights of 1 MB at 500 clusters stays in the cache, the product in BLAS."""

Statistic = Callable[[Floats], Floats]
"""Maps sums of shape (replicates, ...), one row a replicate, to values of shape (replicates, ...)."""

_LANES = 8
"""32-bit numbers in one step of Philox4x64's counter."""


class ClusterBootstrap(NamedTuple):
    """A statistic, its replicates, and its leave-one-cluster-out values; what follows `...` is the statistic's shape."""

    estimate: Floats
    """Shape (...)."""
    replicates: Floats
    """Shape (replicates, ...)."""
    jackknife: Floats
    """Shape (clusters, ...), for BCa."""


class PreparedSums(NamedTuple):
    """Per-cluster sums that are checked and on their grid, so that thousands of blocks do not do it again."""

    columns: Floats
    """Shape (clusters, columns)."""
    shape: tuple[int, ...]
    """The statistic's own shape: what the columns are folded back into."""


def prepare_sums(sums: npt.ArrayLike) -> PreparedSums:
    """Return per-cluster sums, shape (clusters, ...), ready for `replicate_sums`: same bytes, less work a block.

    Raises:
        DataError: a NaN (the message names its index), or no clusters.
    """
    columns = matrix(sums, "sums")
    return PreparedSums(on_resampling_grid(columns.reshape(columns.shape[0], -1)), columns.shape[1:])


def cluster_weights(
    seed: int, block: int, n_clusters: int, block_size: int = BLOCK_SIZE, strata: Sequence[int] | None = None
) -> Floats:
    """Return how often each cluster is drawn in each replicate of a block.

    Args:
        seed: of the whole bootstrap, 0 <= seed < 2^64.
        block: number of the block; it holds replicates block * block_size onwards.
        n_clusters: clusters; one cluster is always drawn once, so that replicates have no spread (and the intervals
            built on them are NaN).
        block_size: replicates in the block. It changes which replicates are returned, never what they are.
        strata: sizes of consecutive groups of clusters that are resampled apart (a fixed design: so many prompts a
            domain), summing to `n_clusters`; None for one group.

    Returns:
        Shape (block_size, n_clusters), float64 whole numbers; each row (and each stratum in it) sums to its number of
        clusters. float64, because the product with sums beyond 2^24, or with fractional ones, is not exact in float32.
        The chance of each cluster is 1 / n to within 2^-32.

    Raises:
        DataError: a number is out of range, or the strata do not add up.
    """
    if not 0 <= seed < 2**64 or not 0 <= block < 2**48 or block_size < 1 or not 1 <= n_clusters < 2**31:
        raise DataError(
            f"seed {seed}, block {block}, block_size {block_size}, n_clusters {n_clusters}: the seed lies in [0, 2^64), "
            "the block in [0, 2^48), and a block and a sample hold at least one"
        )
    sizes, offsets = _strata(n_clusters, strata)
    steps = -(-n_clusters // _LANES)
    start = block * block_size * steps
    generator = np.random.Philox(key=np.array([seed, 0], dtype=np.uint64), counter=start)
    words = generator.random_raw(block_size * steps * _LANES // 2).astype("<u8", copy=False)
    uniform = words.view("<u4").reshape(block_size, steps * _LANES)[:, :n_clusters]
    # Lemire's multiply-shift maps a 32-bit number to 0..size-1 with integers only: the same on every machine.
    drawn = ((uniform.astype(np.uint64) * sizes) >> np.uint64(32)).astype(np.int64) + offsets
    drawn += np.arange(block_size, dtype=np.int64)[:, np.newaxis] * n_clusters
    tally = np.bincount(drawn.ravel(), minlength=block_size * n_clusters)
    return tally.reshape(block_size, n_clusters).astype(np.float64)


def replicate_sums(weights: npt.ArrayLike, sums: npt.ArrayLike | PreparedSums) -> Floats:
    """Return the sums of each replicate: weights @ sums, the same bytes on any BLAS, thread count and block.

    Args:
        weights: draws of each cluster, whole numbers >= 0 that sum to at most the number of clusters in each row;
            shape (replicates, clusters). A row of ones gives the sums of the sample itself.
        sums: per-cluster sums (counts, sums of likelihoods, sums of squares); shape (clusters, ...). Where there are
            several blocks, pass them through `prepare_sums` once.

    Returns:
        Shape (replicates, ...). Exact for whole counts; other columns are first rounded as `on_resampling_grid` says
        (relative error below clusters x 2.3e-16). Zeros stay zeros.

    Raises:
        DataError: a NaN (the message names its index), no clusters, or weights that are not such draws.
    """
    columns, shape = sums if isinstance(sums, PreparedSums) else prepare_sums(sums)
    draws = finite(weights, "weights")
    if draws.ndim != 2 or draws.shape[1] != columns.shape[0]:
        raise DataError(
            f"weights has shape {draws.shape}, sums {columns.shape}: one column of weights a cluster is needed"
        )
    if (draws < 0).any() or (draws != np.rint(draws)).any() or (draws.sum(axis=1) > columns.shape[0]).any():
        raise DataError("weights must be whole numbers of draws, at most as many in a replicate as there are clusters")
    return np.asarray(draws @ columns).reshape(draws.shape[0], *shape)


def jackknife_sums(sums: npt.ArrayLike) -> Floats:
    """Return the sums with each cluster left out in turn: shape (clusters, ...) as the input, on the same grid.

    With one cluster the result is zeros (nothing is left). NaN is an error that names the index.
    """
    columns = on_resampling_grid(matrix(sums, "sums"))
    return np.asarray(columns.sum(axis=0, keepdims=True) - columns)


def bootstrap(
    sums: npt.ArrayLike,
    statistic: Statistic,
    *,
    seed: int,
    replicates: int = 10_000,
    block_size: int = BLOCK_SIZE,
    strata: Sequence[int] | None = None,
) -> ClusterBootstrap:
    """Return a statistic's replicates over resampled clusters, block by block, in one process.

    A pipeline that spreads blocks over workers calls `cluster_weights` and `replicate_sums` itself and gets the same
    bytes. The statistic must treat each replicate by itself.

    Args:
        sums: per-cluster sums; shape (clusters, ...).
        statistic: for example `raylib.stats.sums.share`; maps (replicates, ...) to (replicates, ...).
        seed: keys the random numbers.
        replicates: 10,000 keep the Monte-Carlo error of a 95% end below about 3% of the half width.
        block_size: changes memory and speed, never the sums that a replicate gets.
        strata: see `cluster_weights`.

    Raises:
        DataError: as the functions above; `replicates` below 1.
    """
    columns = matrix(sums, "sums")
    if replicates < 1:
        raise DataError(f"replicates is {replicates}: at least 1 is needed, and 1,000 or more for an interval")
    n_clusters = columns.shape[0]
    prepared = prepare_sums(columns)
    whole = replicate_sums(np.ones((1, n_clusters)), prepared)
    parts = []
    for block in range(-(-replicates // block_size)):
        weights = cluster_weights(seed, block, n_clusters, block_size, strata)
        wanted = min(block_size, replicates - block * block_size)
        parts.append(statistic(replicate_sums(weights[:wanted], prepared)))
    return ClusterBootstrap(statistic(whole)[0], np.concatenate(parts), statistic(jackknife_sums(columns)))


def _strata(n_clusters: int, strata: Sequence[int] | None) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]:
    """Return, for each cluster's column, the size of its stratum and the number of the stratum's first cluster."""
    sizes = np.array([n_clusters] if strata is None else list(strata), dtype=np.int64)
    if (sizes < 1).any() or sizes.sum() != n_clusters:
        raise DataError(f"strata {sizes.tolist()} must be sizes of at least 1 that sum to the {n_clusters} clusters")
    starts = np.cumsum(sizes) - sizes
    return np.repeat(sizes, sizes).astype(np.uint64), np.repeat(starts, sizes)
