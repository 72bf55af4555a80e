"""Intervals in closed form: Wilson's for a share, Katz's for a ratio of two shares."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from raylib.stats.arrays import Floats, counts_within, finite

Z_95 = 1.96
"""The normal quantile that the narratives paper uses for its 95% intervals (not 1.959964)."""


class Interval(NamedTuple):
    """The two ends of an interval; arrays of one shape, NaN where there is no interval."""

    low: Floats
    high: Floats


def wilson(successes: npt.ArrayLike, n: npt.ArrayLike, z: npt.ArrayLike = Z_95) -> Interval:
    """Return Wilson's score interval of the share successes / n.

    Source: Wilson (1927), J. Am. Stat. Assoc. 22: 209; the narratives paper, "Statistical methods" (reference 150).
    Assumes n independent observations: for samples of the same prompts use `raylib.stats.clustered_shares` or the
    bootstrap beside it.

    Args:
        successes: counts, which may be fractional (sums of likelihoods); any shape.
        n: observations; broadcasts.
        z: normal (or t) quantile; broadcasts.

    Returns:
        Ends in [0, 1]. At 0 successes the low end is exactly 0, at n successes the high end is exactly 1.
        n = 0: both ends NaN (no data).

    Raises:
        DataError: a value is NaN, negative, or a success count exceeds its n; the message names the index.
    """
    x, total = counts_within(successes, n, "successes", "n")
    quantile = finite(z, "z")
    with np.errstate(invalid="ignore", divide="ignore"):
        share = x / total
        shrink = 1 + quantile**2 / total
        centre = (share + quantile**2 / (2 * total)) / shrink
        half = quantile / shrink * np.sqrt(share * (1 - share) / total + quantile**2 / (4 * total**2))
    low = np.where(x == 0, 0.0, np.maximum(centre - half, 0.0))
    high = np.where(x == total, 1.0, np.minimum(centre + half, 1.0))
    empty = total == 0
    return Interval(np.where(empty, np.nan, low), np.where(empty, np.nan, high))


def katz_log_ratio(
    x: npt.ArrayLike, x_total: npt.ArrayLike, y: npt.ArrayLike, y_total: npt.ArrayLike, z: float = Z_95
) -> Interval:
    """Return Katz's interval of ln((x / X) / (y / Y)), on the log scale, without any smoothing.

    Source: Katz, Baptista, Azen and Pike (1978), Biometrics 34: 469, method C: ln R +- z sqrt(1/x - 1/X + 1/y - 1/Y).
    `raylib.stats.ratios.subordination_ratio` adds the smoothing of the narratives paper.

    Returns:
        Ends on the log scale. Where x or y (and so perhaps a total) is 0: NaN, the logarithm does not exist.
        Where x = X and y = Y the interval has no width: a known defect of the formula, not certainty.

    Raises:
        DataError: a value is NaN or negative, or x exceeds X, or y exceeds Y; the message names the index.
    """
    first, first_total = counts_within(x, x_total, "x", "x_total")
    second, second_total = counts_within(y, y_total, "y", "y_total")
    with np.errstate(divide="ignore", invalid="ignore"):
        log_ratio = np.log(first) - np.log(first_total) - np.log(second) + np.log(second_total)
        half = z * katz_standard_error(first, first_total, second, second_total)
    half = np.where((first == 0) | (second == 0), np.nan, half)
    log_ratio = np.where(np.isnan(half), np.nan, log_ratio)
    return Interval(log_ratio - half, log_ratio + half)


def katz_standard_error(x: Floats, x_total: Floats, y: Floats, y_total: Floats) -> Floats:
    """Return sqrt(1/x - 1/X + 1/y - 1/Y), the standard error of the log ratio; inf or NaN at a count of 0.

    Unchecked: the arguments are counts that `counts_within` has passed, or the same with a smoothing added.
    """
    variance = (x_total - x) / (x * x_total) + (y_total - y) / (y * y_total)
    return np.asarray(np.sqrt(variance))
