"""The two-level bootstrap: clusters with replacement, then observations within each drawn cluster, on counts."""

import numpy as np
import numpy.typing as npt

from raylib.errors import DataError
from raylib.stats.arrays import Floats, counts, finite

_STREAM = 1
"""Second word of Philox's key: keeps these numbers apart from those that draw the clusters (0)."""


def two_level_counts(seed: int, block: int, weights: npt.ArrayLike, cluster_counts: npt.ArrayLike) -> Floats:
    """Return each replicate's category counts after resampling within the clusters that were drawn.

    Source: Davison and Hinkley (1997), section 3.8, strategy 2. A cluster that is drawn w times gives w resamples of
    its n observations, which together are one multinomial draw of w n observations at its own shares: so a replicate
    costs categories, not rows. It is wider than the one-level bootstrap by the within-cluster variance, counted twice;
    with many observations a cluster the two agree, and with few the one-level bootstrap is the closer one.

    A mean of a variable with few distinct values is a function of category counts too: categories = values, then
    `two_level_counts(...) @ values`.

    Args:
        seed: of the whole bootstrap, 0 <= seed < 2^64.
        block: the block's number; the same as for the weights.
        weights: draws of each cluster, from `cluster_weights`; shape (replicates, clusters).
        cluster_counts: whole counts of each category in each cluster; shape (clusters, categories). The categories
            must cover all observations ("other" among them).

    Returns:
        Whole counts, shape (replicates, categories). Keyed by (seed, block) and the block's size, so the same on any
        number of workers. An empty cluster gives zeros; one cluster is resampled within only.

    Raises:
        DataError: a NaN, a negative or fractional count, or shapes that do not fit.
    """
    table, draws = counts(cluster_counts, "cluster_counts"), finite(weights, "weights")
    if table.ndim != 2 or draws.ndim != 2 or draws.shape[1] != table.shape[0] or table.size == 0:
        raise DataError(
            f"weights has shape {draws.shape}, cluster_counts {table.shape}: (replicates, clusters) and "
            "(clusters, categories) are needed, with at least one of each"
        )
    if (table != np.rint(table)).any() or (draws < 0).any() or (draws != np.rint(draws)).any():
        raise DataError("two_level_counts needs whole counts and whole weights: fractional counts have no multinomial")
    if not 0 <= seed < 2**64 or not 0 <= block < 2**64:
        raise DataError(f"seed {seed}, block {block}: both lie in [0, 2^64)")
    bits = np.random.Philox(key=np.array([seed, _STREAM], dtype=np.uint64), counter=block << 128)
    generator = np.random.Generator(bits)
    observed = table.astype(np.int64)
    left = draws.astype(np.int64) * observed.sum(axis=1)
    # Categories one after the other: given the earlier ones, a count is binomial. Whole numbers make the last
    # non-empty category's chance exactly 1, so that no draw is lost to rounding.
    ahead = observed[:, ::-1].cumsum(axis=1)[:, ::-1]
    result = np.zeros((len(draws), observed.shape[1]), dtype=np.int64)
    for category in range(observed.shape[1]):
        chance = observed[:, category] / np.maximum(ahead[:, category], 1)
        drawn = generator.binomial(left, chance)
        result[:, category] = drawn.sum(axis=1)
        left = left - drawn
    return result.astype(np.float64)
