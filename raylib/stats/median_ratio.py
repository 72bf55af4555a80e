"""R_mrs: the median over racial thresholds of the subordination ratio, conditioned on gender."""

import numpy as np
import numpy.typing as npt

from raylib.errors import DataError
from raylib.stats.arrays import Floats, counts, counts_within, finite, matrix
from raylib.stats.ratios import smoothed_ratio

THRESHOLDS = np.arange(1, 101)
"""Percent: the paper's t in [1, 2, ..., 100]. No likelihood exceeds 100, so the last one never counts."""

_PIECE = 32_768
"""Numbers in a piece of the work on replicates: 256 kB an array, a handful of which fit the second-level cache."""


def threshold_counts(likelihoods: npt.ArrayLike, name_counts: npt.ArrayLike) -> Floats:
    """Return, for t = 1..100, how many characters bear a name whose likelihood exceeds t percent.

    Source: the narratives paper, Eq. 4: whole counts of names, not sums of likelihoods.

    Args:
        likelihoods: share of each name's bearers who report the race, in [0, 1]; shape (names,).
        name_counts: characters with that name; shape (names, ...), for example (names, clusters).

    Returns:
        Shape (100, ...). A likelihood of exactly t percent does not exceed t. No names: zeros.

    Raises:
        DataError: a likelihood outside [0, 1], a negative count, a NaN, or lengths that differ.
    """
    shares, bearers = finite(likelihoods, "likelihoods"), counts(name_counts, "name_counts")
    if shares.ndim != 1 or bearers.ndim == 0 or len(bearers) != len(shares):
        raise DataError(f"likelihoods has shape {shares.shape}, name_counts {bearers.shape}: one row a name is needed")
    if ((shares < 0) | (shares > 1)).any():
        raise DataError("likelihoods must lie in [0, 1]: give shares, not percent")
    exceeds = shares[np.newaxis, :] > (THRESHOLDS / 100)[:, np.newaxis]
    flat = exceeds.astype(np.float64) @ bearers.reshape(len(bearers), -1)
    return flat.reshape(len(THRESHOLDS), *bearers.shape[1:])


def median_subordination_ratio(
    x: npt.ArrayLike, x_total: npt.ArrayLike, y: npt.ArrayLike, y_total: npt.ArrayLike
) -> Floats:
    """Return R_mrs: the median over thresholds of (x_t / X) / (y_t / Y), smoothed as R_sub.

    Source: the narratives paper, Eq. 4 and its authors' material. Thresholds with both counts 0 are skipped; with an
    even number of thresholds left, the median is the mean of the middle two.

    Args:
        x: subordinate characters of the gender whose name exceeds each threshold; shape (..., thresholds).
        x_total: all subordinate characters of the gender; shape (...) or broadcasting to it.
        y: the same among dominant characters; shape (..., thresholds).
        y_total: all dominant characters of the gender.

    Returns:
        Shape (...). NaN where every threshold is skipped, or a total is 0.

    Raises:
        DataError: a NaN, a negative or fractional count, a count above its total, no threshold axis, or shapes that do
            not fit.
    """
    first, second = counts(x, "x"), counts(y, "y")
    if first.ndim == 0 or first.shape != second.shape:
        raise DataError(f"x has shape {first.shape} and y {second.shape}: both need one last axis of thresholds")
    total_x, total_y = _totals(first, x_total, "x"), _totals(second, y_total, "y")
    if (first != np.rint(first)).any() or (second != np.rint(second)).any():
        raise DataError("x and y must be whole counts of names (from threshold_counts), not sums of likelihoods")
    return median_of_replicates(first, total_x, second, total_y)


def _totals(values: Floats, total: npt.ArrayLike, name: str) -> Floats:
    """Return the totals of counts over thresholds, shape (...). DataError: they do not fit, or a count exceeds its own."""
    totals = counts(total, f"{name}_total")
    counts_within(values, totals[..., np.newaxis], name, f"{name}_total")
    try:
        return np.broadcast_to(totals, values.shape[:-1])
    except ValueError as error:
        raise DataError(f"{name} has shape {values.shape}, {name}_total {totals.shape}: one total a cell") from error


def median_of_replicates(x: Floats, x_total: Floats, y: Floats, y_total: Floats) -> Floats:
    """Return `median_subordination_ratio` for replicates, where 100 thresholds make it the slowest statistic of all.

    Unchecked: finite whole counts of shape (..., thresholds), totals of shape (...). Works through the rows in pieces that
    stay in the processor's cache; the pieces do not change a byte. Thresholds with no name in any cluster may be left
    out beforehand: they would be skipped in every replicate.
    """
    shape, size = x.shape[:-1], x.shape[-1]
    if size == 0:
        return np.full(shape, np.nan)
    flat_x, flat_y = x.reshape(-1, size), y.reshape(-1, size)
    total_x, total_y = np.ascontiguousarray(x_total).reshape(-1, 1), np.ascontiguousarray(y_total).reshape(-1, 1)
    result = np.empty(len(flat_x))
    step = max(1, _PIECE // max(size, 1))
    for start in range(0, len(flat_x), step):
        piece = slice(start, start + step)
        result[piece] = _median_rows(flat_x[piece], total_x[piece], flat_y[piece], total_y[piece])
    return result.reshape(shape)


def _median_rows(x: Floats, x_total: Floats, y: Floats, y_total: Floats) -> Floats:
    """Return the median of one piece, shape (rows, thresholds) to (rows,).

    The smoothing of `smoothed_ratio` for whole counts, in few passes: eps is 1 where exactly one of the two is 0, else
    0; both 0 gives 0 / 0, and a NaN sorts behind every ratio, which skips the threshold.
    """
    ratios, other = np.maximum(x, y), np.minimum(x, y)
    np.minimum(ratios, 1.0, out=ratios)
    used = ratios.sum(axis=-1).astype(np.int64)
    eps = ratios - np.minimum(other, 1.0, out=other)
    with np.errstate(divide="ignore", invalid="ignore"):
        np.add(x, eps, out=ratios)
        ratios /= np.add(y, eps, out=other)
        plain, smoothed = y_total / x_total, (y_total + 1) / (x_total + 1)
        eps *= smoothed - plain
        eps += plain
        ratios *= eps
    ratios.sort(axis=-1)
    rows = np.arange(len(ratios))
    lower = ratios[rows, np.maximum(used - 1, 0) // 2]
    upper = ratios[rows, np.minimum(used // 2, ratios.shape[-1] - 1)]
    empty = (used == 0) | (x_total[:, 0] == 0) | (y_total[:, 0] == 0)
    return np.asarray(np.where(empty, np.nan, (lower + upper) / 2))


def median_threshold(x: npt.ArrayLike, x_total: float, y: npt.ArrayLike, y_total: float) -> int:
    """Return the threshold, in percent, whose ratio is R_mrs (the lower of the middle two), for one cell.

    The paper prints Katz's interval beside R_mrs; it is the interval of the counts at this threshold. It takes the
    choice of the threshold as given, so the bootstrap of the median stands beside it.

    Args:
        x: subordinate counts for t = 1..100; shape (100,).
        x_total: all subordinate characters of the gender.
        y: dominant counts, as x.
        y_total: all dominant characters of the gender.

    Raises:
        DataError: as `median_subordination_ratio`; every threshold is skipped, or a total is 0.
    """
    first, second = matrix(x, "x"), matrix(y, "y")
    if first.shape != THRESHOLDS.shape or second.shape != THRESHOLDS.shape:
        raise DataError(f"x has shape {first.shape}, y {second.shape}: give the {len(THRESHOLDS)} counts of one cell")
    used = np.flatnonzero(first + second > 0)
    if np.isnan(median_subordination_ratio(first, x_total, second, y_total)):
        raise DataError("no threshold has a count: R_mrs has no value here, and no threshold")
    ratios = smoothed_ratio(
        first[used], np.asarray(x_total, dtype=np.float64), second[used], np.asarray(y_total, dtype=np.float64)
    )
    order = np.argsort(ratios, kind="stable")
    return int(THRESHOLDS[used[order[(len(used) - 1) // 2]]])
