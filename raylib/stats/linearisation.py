"""Statistics of summed columns, their gradients, and the standard errors by cluster that follow from them.

Source: the delta method (linearisation) for clustered samples, Cochran (1977), Sampling Techniques, sections 6.4 and 9A;
Davison and Hinkley (1997), section 2.7.2. With S = sum of clusters s_k and theta = f(S), the influence of a cluster is
u_k = grad f(S) . s_k, and Var(theta) = K / (K - 1) * sum (u_k - mean u)^2.

In every function here the LAST axis holds the sums that one statistic needs; axes before it are replicates, cells.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from raylib.errors import DataError
from raylib.stats.arrays import Floats, level, matrix
from raylib.stats.bootstrap import BLOCK_SIZE, cluster_weights, jackknife_sums, prepare_sums, replicate_sums
from raylib.stats.bootstrap_intervals import bootstrap_t_interval
from raylib.stats.intervals import Interval

_ROUNDING = 16 * float(np.finfo(np.float64).eps)
"""What the few operations of a standard error may be off by, as a share of the terms that they add."""


class SmoothStatistic(NamedTuple):
    """A differentiable function of sums: how many it takes, its value (..., sums) -> (...), and its gradient."""

    sums: int
    value: Callable[[Floats], Floats]
    gradient: Callable[[Floats], Floats]


def share(sums: Floats) -> Floats:
    """Return x / n from (..., [x, n]): a share, or a mean. n = 0: NaN."""
    return _divide(sums[..., 0], sums[..., 1])


def difference_of_shares(sums: Floats) -> Floats:
    """Return x / X - y / Y from (..., [x, X, y, Y]): PairFav, differences of conditions. A total of 0: NaN."""
    return share(sums[..., :2]) - share(sums[..., 2:])


def ratio_of_shares(sums: Floats) -> Floats:
    """Return (x / X) / (y / Y) from (..., [x, X, y, Y]), not smoothed. X, y or Y of 0: NaN; x = 0 alone: 0."""
    return _divide(share(sums[..., :2]), share(sums[..., 2:]))


def log_ratio_of_shares(sums: Floats) -> Floats:
    """Return ln of `ratio_of_shares`. Any of the four 0: NaN."""
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.log(sums[..., 0]) - np.log(sums[..., 1]) - np.log(sums[..., 2]) + np.log(sums[..., 3])
    return np.where((sums > 0).all(axis=-1), value, np.nan)


def _divide(x: Floats, y: Floats) -> Floats:
    return np.asarray(np.divide(x, y, out=np.full(np.broadcast_shapes(x.shape, y.shape), np.nan), where=y != 0))


def _share_gradient(sums: Floats) -> Floats:
    x, n = sums[..., 0], sums[..., 1]
    return np.stack([_divide(np.ones_like(n), n), -_divide(x, n * n)], axis=-1)


def _difference_gradient(sums: Floats) -> Floats:
    return np.concatenate([_share_gradient(sums[..., :2]), -_share_gradient(sums[..., 2:])], axis=-1)


def _log_ratio_gradient(sums: Floats) -> Floats:
    return _divide(np.broadcast_to(np.array([1.0, -1.0, -1.0, 1.0]), sums.shape), sums)


SHARE = SmoothStatistic(2, share, _share_gradient)
DIFFERENCE_OF_SHARES = SmoothStatistic(4, difference_of_shares, _difference_gradient)
LOG_RATIO_OF_SHARES = SmoothStatistic(4, log_ratio_of_shares, _log_ratio_gradient)


def pair_products(sums: npt.ArrayLike) -> Floats:
    """Return the products of every pair of a cluster's sums: shape (..., C) to (..., C (C + 1) / 2).

    Summed over drawn clusters like any other column, they give each replicate its own standard error.
    NaN is an error that names the index.
    """
    columns = matrix(sums, "sums")
    left, right = np.triu_indices(columns.shape[-1])
    return np.asarray(columns[..., left] * columns[..., right])


def standard_errors(
    gradient: Floats, sums: Floats, products: Floats, n_clusters: int, rounding: Floats | float = 0.0
) -> Floats:
    """Return the standard error by cluster of a smooth statistic, for the sample or for each replicate.

    Args:
        gradient: of the statistic at the summed columns; shape (..., C).
        sums: the summed columns; shape (..., C).
        products: the summed `pair_products`; shape (..., C (C + 1) / 2).
        n_clusters: clusters drawn.
        rounding: how far a summed product may be off already; broadcasts to `products`.

    Returns:
        Shape (...). One cluster: NaN (no spread to see). A gradient of NaN (a total of 0): NaN. Clusters that are all
        alike: exactly 0, since a variance within its own rounding error is none (dividing by its root would make up
        bootstrap-t values of a million).
    """
    if n_clusters < 2:
        return np.full(gradient.shape[:-1], np.nan)
    left, right = np.triu_indices(gradient.shape[-1])
    twice = np.where(left == right, 1.0, 2.0)
    factors = twice * gradient[..., left] * gradient[..., right]
    first = (gradient * sums).sum(axis=-1)
    squares = (factors * products).sum(axis=-1) - first**2 / n_clusters
    noise = (np.abs(factors) * (_ROUNDING * np.abs(products) + rounding)).sum(axis=-1)
    squares = np.where(squares <= noise, 0.0, squares)
    return np.asarray(np.sqrt(n_clusters / (n_clusters - 1) * squares))


def cluster_standard_error(sums: npt.ArrayLike, statistic: SmoothStatistic) -> Floats:
    """Return a statistic's standard error by cluster from per-cluster sums of shape (clusters, ..., C).

    Returns:
        Shape (...). One cluster, or a total of 0: NaN. A count of 0 in a share, or the same share in every cluster:
        0, which is not certainty.

    Raises:
        DataError: a NaN (the message names the index), or a last axis that is not the statistic's number of sums.
    """
    columns = _columns(sums, statistic)
    total = columns.sum(axis=0)
    gradient = statistic.gradient(total)
    terms = gradient * columns
    influence = terms.sum(axis=-1)
    n_clusters = columns.shape[0]
    if n_clusters < 2:
        return np.full(influence.shape[1:], np.nan)
    spread = influence.std(axis=0, ddof=1)
    noise = _ROUNDING * np.abs(terms).sum(axis=-1).max(axis=0)
    return np.asarray(np.sqrt(n_clusters) * np.where(spread <= noise, 0.0, spread))


def studentised_bootstrap(
    sums: npt.ArrayLike,
    statistic: SmoothStatistic,
    *,
    seed: int,
    replicates: int = 10_000,
    confidence: float = 0.95,
    strata: Sequence[int] | None = None,
) -> Interval:
    """Return the bootstrap-t interval by cluster of a smooth statistic (log ratios: of the logarithm).

    Args:
        sums: per-cluster sums; shape (clusters, ..., C).
        statistic: SHARE, DIFFERENCE_OF_SHARES, LOG_RATIO_OF_SHARES or one of your own.
        seed: keys the random numbers, as in `raylib.stats.bootstrap.bootstrap`.
        replicates: how many.
        confidence: coverage.
        strata: as in `cluster_weights`; the standard errors ignore them, which the studentising makes up for.

    Returns:
        Ends of shape (...). One cluster, a count or a total of 0: NaN.

    Raises:
        DataError: as `cluster_standard_error`; `replicates` below 1.
    """
    columns = _columns(sums, statistic)
    if replicates < 1:
        raise DataError(f"replicates is {replicates}: at least 1 is needed, and 1,000 or more for an interval")
    products, n_clusters, size = pair_products(columns), columns.shape[0], statistic.sums
    together = np.concatenate([columns, products], axis=-1)
    joined = prepare_sums(together)
    off = np.abs(joined.columns.reshape(together.shape) - together).max(axis=0)[..., size:] * n_clusters
    values, errors = [], []
    for block in range(-(-replicates // BLOCK_SIZE)):
        weights = cluster_weights(seed, block, n_clusters, strata=strata)[: replicates - block * BLOCK_SIZE]
        drawn = replicate_sums(weights, joined)
        values.append(statistic.value(drawn[..., :size]))
        gradient = statistic.gradient(drawn[..., :size])
        errors.append(standard_errors(gradient, drawn[..., :size], drawn[..., size:], n_clusters, off))
    return bootstrap_t_interval(
        statistic.value(columns.sum(axis=0)),
        cluster_standard_error(columns, statistic),
        np.concatenate(values),
        np.concatenate(errors),
        level(confidence),
    )


def jackknife_standard_error(sums: npt.ArrayLike, statistic: Callable[[Floats], Floats]) -> Floats:
    """Return the delete-one-cluster jackknife's standard error of any function of sums.

    Source: Davison and Hinkley (1997), section 2.7.3: sqrt((K - 1) / K * sum (theta_(k) - mean)^2).

    Returns:
        Shape (...). One cluster, or a value that does not exist without one of the clusters: NaN.
    """
    left_out = statistic(jackknife_sums(sums))
    n_clusters = left_out.shape[0]
    if n_clusters < 2:
        return np.full(left_out.shape[1:], np.nan)
    return np.asarray(np.sqrt((n_clusters - 1) * left_out.var(axis=0)))


def _columns(sums: npt.ArrayLike, statistic: SmoothStatistic) -> Floats:
    columns = matrix(sums, "sums")
    if columns.ndim < 2 or columns.shape[-1] != statistic.sums:
        raise DataError(
            f"sums has shape {columns.shape}: the last axis must hold the {statistic.sums} sums of the statistic"
        )
    return columns
