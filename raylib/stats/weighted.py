"""Weighted statistics: mean, variance, quantile, effective sample size, and a mean over strata."""

import numpy as np
import numpy.typing as npt

from raylib.errors import DataError
from raylib.stats.arrays import Floats, counts, finite


def weighted_mean(values: npt.ArrayLike, weights: npt.ArrayLike) -> float:
    """Return sum(w v) / sum(w).

    Args:
        values: shape (n,).
        weights: not negative; shape (n,). Their scale does not matter.

    Raises:
        DataError: no values, all weights 0 (the message says so), a NaN (names the index) or a negative weight.
    """
    points, mass = _pair(values, weights)
    return float((points * mass).sum() / mass.sum())


def weighted_variance(values: npt.ArrayLike, weights: npt.ArrayLike) -> float:
    """Return sum(w (v - mean)^2) / sum(w): the plug-in variance (ddof=0). One value: 0. Errors as `weighted_mean`."""
    points, mass = _pair(values, weights)
    gap = points - (points * mass).sum() / mass.sum()
    return float((mass * gap**2).sum() / mass.sum())


def weighted_quantile(values: npt.ArrayLike, weights: npt.ArrayLike, probability: npt.ArrayLike) -> Floats:
    """Return the smallest values whose cumulative share of the weight reaches each probability (inverted CDF).

    Source: numpy.quantile, method "inverted_cdf" (the one that is defined for weights); Hyndman and Fan (1996), type 1.
    Probability 0 gives the smallest value with weight.

    Raises:
        DataError: as `weighted_mean`, or a probability outside [0, 1].
    """
    points, mass = _pair(values, weights)
    wanted = finite(probability, "probability")
    if ((wanted < 0) | (wanted > 1)).any():
        raise DataError("probability must lie in [0, 1]")
    used = mass > 0
    return np.asarray(np.quantile(points[used], wanted, weights=mass[used], method="inverted_cdf"))


def effective_sample_size(weights: npt.ArrayLike) -> float:
    """Return Kish's effective sample size (sum w)^2 / sum w^2: n for equal weights, 1 where one weight holds all.

    Source: Kish (1965), Survey Sampling, section 11.7.

    Raises:
        DataError: no weights, all weights 0, a NaN (names the index) or a negative weight.
    """
    _, mass = _pair(np.zeros(np.shape(weights)), weights)
    return float(mass.sum() ** 2 / (mass**2).sum())


def stratified_mean(means: npt.ArrayLike, stratum_shares: npt.ArrayLike) -> Floats:
    """Return the mean over strata at fixed shares: sum(share m), with the shares scaled to sum to 1.

    For example a plain mean over axes (equal shares: LTF's Table 2) or a pooled one (shares = prompts: Table 3).

    Args:
        means: last axis = strata; a stratum of share 0 still needs a finite mean.
        stratum_shares: not negative; shape (strata,).

    Returns:
        Shape of `means` without its last axis.

    Raises:
        DataError: a NaN (a stratum without data: leave it out and say so), lengths that differ, or shares of 0 only.
    """
    points, mass = finite(means, "means"), counts(stratum_shares, "stratum_shares")
    if points.ndim == 0 or mass.ndim != 1 or points.shape[-1] != len(mass) or not mass.any():
        raise DataError(f"means has shape {points.shape}, stratum_shares {mass.shape}: one share a stratum, not all 0")
    mass = _scaled(mass)
    return np.asarray((points * mass).sum(axis=-1) / mass.sum())


def _pair(values: npt.ArrayLike, weights: npt.ArrayLike) -> tuple[Floats, Floats]:
    points, mass = finite(values, "values"), counts(weights, "weights")
    if points.ndim != 1 or points.shape != mass.shape or len(points) == 0:
        raise DataError(f"values has shape {points.shape}, weights {mass.shape}: one weight a value, and at least one")
    if not mass.any():
        raise DataError("all weights are 0: a weighted statistic needs at least one value with weight")
    return points, _scaled(mass)


def _scaled(mass: Floats) -> Floats:
    """Return weights times the power of two that makes the largest about 1, so that no sum or square of them overflows."""
    return np.asarray(np.ldexp(mass, -np.frexp(mass.max())[1]))
