"""The ratios of the narratives paper: representation (R_rep) and subordination (R_sub), each with its own interval."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from raylib.errors import DataError
from raylib.stats.arrays import Floats, counts_within, finite
from raylib.stats.intervals import Z_95, katz_standard_error, wilson
from raylib.stats.p_values import p_value_from_interval


class RepresentationRatio(NamedTuple):
    """R_rep with all that the paper reports of it; arrays of one shape."""

    ratio: Floats
    low: Floats
    high: Floats
    share: Floats
    p_value: Floats
    cohen_d: Floats


class SubordinationRatio(NamedTuple):
    """R_sub with all that the paper reports of it; arrays of one shape."""

    ratio: Floats
    low: Floats
    high: Floats
    p_value: Floats


def representation_ratio(count: npt.ArrayLike, n: npt.ArrayLike, baseline: npt.ArrayLike) -> RepresentationRatio:
    """Return R_rep = p / p*, with p = count / n and p* the comparison share.

    Source: the narratives paper, Eq. 1 and "Statistical methods". The interval is Wilson's of p at z = 1.96, divided
    by p*. The p-value takes p - p* with Wilson's interval of p.

    Args:
        count: sum of likelihoods (race) or number of observations (gender, pairs); any shape.
        n: observations: named characters, characters, pairs; broadcasts.
        baseline: p* in (0, 1]; broadcasts. A group without one is left out ("not modelled"), never given a 0.

    Returns:
        count = 0: ratio 0, low 0, high above 0, d NaN. n = 0: everything NaN (no data).

    Raises:
        DataError: a NaN, a negative count, a count above n, or a baseline outside (0, 1]; the message names the index.
    """
    x, total = counts_within(count, n, "count", "n")
    expected = finite(baseline, "baseline")
    if ((expected <= 0) | (expected > 1)).any():
        wrong = expected[(expected <= 0) | (expected > 1)].flat[0]
        raise DataError(f"baseline is {wrong}: a comparison share lies in (0, 1]; leave out groups that have none")
    with np.errstate(invalid="ignore"):
        share = x / total
    interval = wilson(x, total)
    return RepresentationRatio(
        ratio=share / expected,
        low=interval.low / expected,
        high=interval.high / expected,
        share=share,
        p_value=p_value_from_interval(share - expected, interval.low, interval.high),
        cohen_d=cohen_d_share(x, total, expected),
    )


def cohen_d_share(count: npt.ArrayLike, n: npt.ArrayLike, baseline: npt.ArrayLike) -> Floats:
    """Return Cohen's d of a share against a fixed share: (p - p*) / sqrt(p (1 - p)).

    Source: the narratives paper, "Statistical methods". NaN where p is 0 or 1 (no spread to divide by) or n is 0.

    Raises:
        DataError: a NaN, a negative count or a count above n; the message names the index.
    """
    x, total = counts_within(count, n, "count", "n")
    with np.errstate(divide="ignore", invalid="ignore"):
        share = x / total
        spread = np.sqrt(share * (1 - share))
        return np.where(spread > 0, (share - finite(baseline, "baseline")) / spread, np.nan)


def subordination_ratio(
    x: npt.ArrayLike, x_total: npt.ArrayLike, y: npt.ArrayLike, y_total: npt.ArrayLike
) -> SubordinationRatio:
    """Return R_sub = (x / X) / (y / Y), subordinate over dominant, with Katz's interval and p-value.

    Source: the narratives paper, Eq. 3 and "Statistical methods", with the smoothing of its authors' material:
    the ratio and the standard error are smoothed by different rules.
    Ratio: both numerators 0 -> 1; either below 1 -> eps = min(1, max(x, y)) is added to all four.
    Standard error: eps = 1 if both numerators are 0, min(1, max(x, y)) if exactly one is 0, else 0.

    Args:
        x: count of the group among subordinate characters (fractional for race); any shape.
        x_total: all subordinate characters, X.
        y: count of the group among dominant characters.
        y_total: all dominant characters, Y.

    Returns:
        Ratio and interval on the ratio scale. X = 0 or Y = 0: NaN (no data in that role; smoothing would make up
        a number, and an interval without width). x = X and y = Y: no width, and a p-value of NaN.

    Raises:
        DataError: a NaN, a negative count or a count above its total; the message names the index.
    """
    first, first_total = counts_within(x, x_total, "x", "x_total")
    second, second_total = counts_within(y, y_total, "y", "y_total")
    ratio = smoothed_ratio(first, first_total, second, second_total)
    with np.errstate(divide="ignore", invalid="ignore"):
        larger, smaller = np.maximum(first, second), np.minimum(first, second)
        eps = np.where(larger == 0, 1.0, np.where(smaller == 0, np.minimum(1.0, larger), 0.0))
        error = katz_standard_error(first + eps, first_total + eps, second + eps, second_total + eps)
        log_ratio = np.log(ratio)
        low, high = log_ratio - Z_95 * error, log_ratio + Z_95 * error
        return SubordinationRatio(ratio, np.exp(low), np.exp(high), p_value_from_interval(log_ratio, low, high))


def smoothed_ratio(x: Floats, x_total: Floats, y: Floats, y_total: Floats) -> Floats:
    """Return the ratio of `subordination_ratio` alone: for replicates, where only the number is needed.

    Unchecked, so that it runs over millions of replicates: the arguments are finite counts that broadcast.
    NaN where a total is 0.
    """
    larger, smaller = np.maximum(x, y), np.minimum(x, y)
    eps = np.where(smaller < 1, np.minimum(larger, 1.0), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = ((x + eps) * (y_total + eps)) / ((y + eps) * (x_total + eps))
    ratio = np.asarray(ratio)
    np.copyto(ratio, 1.0, where=larger == 0)
    empty = (x_total == 0) | (y_total == 0)
    if empty.any():
        np.copyto(ratio, np.nan, where=empty)
    return ratio
