"""Intervals from bootstrap replicates: percentile, BCa (bias-corrected and accelerated) and bootstrap-t.

In all three, a replicate that is NaN or infinite is one in which the statistic does not exist (an empty denominator).
Such replicates are left out; where they are more than `MAX_UNDEFINED` of a cell's replicates the cell has no interval
(NaN), since the rest would describe lucky draws only. A cell whose replicates are all equal (one cluster, a count of 0
or of everything) has no interval either: resampling says nothing there, and a zero-width interval would claim certainty.
`raylib.stats.clustered_shares` has an interval for a share of 0.
"""

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from raylib.errors import DataError
from raylib.stats.arrays import Floats, finite, level, numbers
from raylib.stats.intervals import Interval

MAX_UNDEFINED = 0.05
"""The largest share of undefined replicates with which a cell still gets an interval."""


def percentile_interval(replicates: npt.ArrayLike, confidence: float = 0.95) -> Interval:
    """Return the percentile interval of each cell.

    Source: Davison and Hinkley (1997), section 5.3.1, with linearly interpolated quantiles (numpy's default).

    Args:
        replicates: shape (replicates, ...); NaN and equal replicates as the module says.
        confidence: coverage, such as 0.95.

    Returns:
        Ends of shape (...).

    Raises:
        DataError: no replicates, or a confidence outside (0, 1).
    """
    ordered, defined, shape = _order(replicates)
    tail = (1 - level(confidence)) / 2
    low = _quantile(ordered, defined, np.full(len(ordered), tail))
    high = _quantile(ordered, defined, np.full(len(ordered), 1 - tail))
    return _keep(ordered, defined, low, high, shape)


def bca_interval(
    estimate: npt.ArrayLike, replicates: npt.ArrayLike, jackknife: npt.ArrayLike, confidence: float = 0.95
) -> Interval:
    """Return the BCa interval of each cell, its acceleration from leaving out each cluster in turn.

    Source: Efron (1987), J. Am. Stat. Assoc. 82: 171; Davison and Hinkley (1997), section 5.3.2. Replicates equal to
    the estimate count half, as in scipy.stats.bootstrap.

    Args:
        estimate: shape (...).
        replicates: shape (replicates, ...); NaN and equal replicates as the module says.
        jackknife: the statistic without each cluster; shape (clusters, ...). Undefined values are left out; where
            all are equal, or fewer than two are defined, the acceleration is 0.
        confidence: coverage, such as 0.95.

    Returns:
        Ends of shape (...). NaN where the estimate is NaN, or all replicates lie on one side of it (the bias
        correction is then infinite).

    Raises:
        DataError: shapes that do not fit, no replicates, or a confidence outside (0, 1).
    """
    ordered, defined, shape = _order(replicates)
    centre = numbers(estimate, "estimate")
    left_out = numbers(jackknife, "jackknife")
    if centre.shape != shape or left_out.shape[1:] != shape or left_out.ndim == 0:
        raise DataError(
            f"estimate has shape {centre.shape}, replicates (B, ...) {shape}, jackknife {left_out.shape}: "
            "the statistic's shape must be the same in all three"
        )
    flat = centre.reshape(-1)
    column = flat[:, np.newaxis]
    with np.errstate(divide="ignore", invalid="ignore"):
        below = (ordered < column).sum(axis=1) + 0.5 * (ordered == column).sum(axis=1)
        bias = ndtri(below / defined)
        acceleration = _acceleration(left_out.reshape(len(left_out), -1))
        ends = []
        for z in (ndtri((1 - level(confidence)) / 2), ndtri((1 + confidence) / 2)):
            shifted = bias + z
            adjusted = bias + shifted / (1 - acceleration * shifted)
            ends.append(_quantile(ordered, defined, ndtr(adjusted)))
    unusable = ~np.isfinite(bias) | ~np.isfinite(flat)
    low, high = (np.where(unusable, np.nan, end) for end in ends)
    return _keep(ordered, defined, low, high, shape)


def bootstrap_t_interval(
    estimate: npt.ArrayLike,
    standard_error: npt.ArrayLike,
    replicates: npt.ArrayLike,
    replicate_errors: npt.ArrayLike,
    confidence: float = 0.95,
) -> Interval:
    """Return the bootstrap-t (studentised) interval of each cell.

    Source: Davison and Hinkley (1997), section 5.2: [t - se q(1 - a), t - se q(a)], q the quantiles of (t* - t) / se*.
    The most accurate of the three for clustered data with few clusters; for a ratio use it on the log scale.

    Args:
        estimate: t; shape (...).
        standard_error: se, from `raylib.stats.linearisation`; shape (...).
        replicates: t*; shape (replicates, ...); NaN as the module says.
        replicate_errors: se* of each replicate; same shape. A replicate whose error is 0 is undefined.
        confidence: coverage, such as 0.95.

    Returns:
        Ends of shape (...). NaN where the estimate or its error is NaN, or the error is 0 (one cluster, a count of 0).

    Raises:
        DataError: shapes that do not fit, no replicates, or a confidence outside (0, 1).
    """
    centre, error = numbers(estimate, "estimate"), numbers(standard_error, "standard_error")
    values, errors = numbers(replicates, "replicates"), numbers(replicate_errors, "replicate_errors")
    if values.shape != errors.shape or values.shape[1:] != centre.shape or centre.shape != error.shape:
        raise DataError(
            f"estimate {centre.shape}, standard_error {error.shape}, replicates {values.shape}, replicate_errors "
            f"{errors.shape}: the statistic's shape must be the same in all four"
        )
    with np.errstate(divide="ignore", invalid="ignore"):
        studentised = np.where(errors > 0, (values - centre) / errors, np.nan)
    ordered, defined, shape = _order(studentised)
    tail = (1 - level(confidence)) / 2
    upper = _quantile(ordered, defined, np.full(len(ordered), 1 - tail)).reshape(shape)
    lower = _quantile(ordered, defined, np.full(len(ordered), tail)).reshape(shape)
    unusable = ~np.isfinite(centre) | ~(error > 0)
    low = np.where(unusable, np.nan, centre - error * upper)
    high = np.where(unusable, np.nan, centre - error * lower)
    return _keep(ordered, defined, low.reshape(-1), high.reshape(-1), shape)


def undefined_share(replicates: npt.ArrayLike) -> Floats:
    """Return the share of replicates that are NaN or infinite in each cell: shape (...). Says why there is no interval.

    Raises:
        DataError: no replicates.
    """
    ordered, defined, shape = _order(replicates)
    return np.asarray(1 - defined / ordered.shape[1]).reshape(shape)


def replicate_covariance(replicates: npt.ArrayLike) -> Floats:
    """Return the covariance matrix (ddof=1) of the statistics over replicates; (replicates, k) gives (k, k).

    Raises:
        DataError: a replicate is undefined (NaN names its index), or there are fewer than two.
    """
    values = finite(replicates, "replicates")
    if values.ndim != 2 or len(values) < 2:
        raise DataError(
            f"replicates has shape {values.shape}: at least two rows of (replicates, statistics) are needed"
        )
    return np.atleast_2d(np.cov(values, rowvar=False))


def _order(replicates: npt.ArrayLike) -> tuple[Floats, npt.NDArray[np.int64], tuple[int, ...]]:
    """Return replicates sorted per cell (cells, replicates), undefined ones last; how many are defined; the shape."""
    values = numbers(replicates, "replicates")
    if values.ndim == 0 or values.shape[0] == 0:
        raise DataError(f"replicates has shape {values.shape}: the first axis must hold at least one replicate")
    shape = values.shape[1:]
    cells = np.array(values.reshape(values.shape[0], -1).T, order="C")
    cells[~np.isfinite(cells)] = np.nan
    cells.sort(axis=1)
    return cells, np.asarray(np.isfinite(cells).sum(axis=1), dtype=np.int64), shape


def _quantile(ordered: Floats, defined: npt.NDArray[np.int64], probability: Floats) -> Floats:
    """Return one quantile a cell, interpolated linearly between order statistics; NaN where the probability is."""
    last = np.maximum(defined - 1, 0)
    position = np.where(np.isfinite(probability), probability, 0.0) * last
    below = np.clip(np.floor(position).astype(np.int64), 0, last)
    above = np.minimum(below + 1, last)
    rows = np.arange(len(ordered))
    low, high = ordered[rows, below], ordered[rows, above]
    return np.asarray(np.where(np.isfinite(probability), low + (position - below) * (high - low), np.nan))


def _acceleration(jackknife: Floats) -> Floats:
    """Return Efron's acceleration from leave-one-out values (clusters, cells); 0 where it has no spread."""
    known = np.isfinite(jackknife)
    centred = np.where(known, jackknife, 0.0)
    mean = centred.sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    gap = np.where(known, mean - jackknife, 0.0)
    square = (gap**2).sum(axis=0)
    # Values that differ by rounding only have no spread: their skewness would be noise.
    spread = square > known.sum(axis=0) * (8 * np.finfo(np.float64).eps * np.abs(mean)) ** 2
    return np.where(spread, (gap**3).sum(axis=0) / (6 * np.where(spread, square, 1.0) ** 1.5), 0.0)


def _keep(
    ordered: Floats, defined: npt.NDArray[np.int64], low: Floats, high: Floats, shape: tuple[int, ...]
) -> Interval:
    """Return the ends in the statistic's shape, NaN for cells that have no interval as the module says."""
    last = np.maximum(defined - 1, 0)
    flat = ordered[:, 0] == ordered[np.arange(len(ordered)), last]
    none = flat | (defined < (1 - MAX_UNDEFINED) * ordered.shape[1])
    return Interval(np.where(none, np.nan, low).reshape(shape), np.where(none, np.nan, high).reshape(shape))
