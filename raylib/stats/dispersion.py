"""Degree of bias: the spread of favouritism over groups, plug-in and corrected for the noise of the means."""

from typing import Literal

import numpy as np
import numpy.typing as npt

from raylib.errors import DataError
from raylib.stats.arrays import Floats, counts, finite


def degree_of_bias(group_favouritism: npt.ArrayLike, spread: Literal["variance", "std"] = "variance") -> Floats:
    """Return DoB, the plug-in variance (ddof=0) of GroupFav over the groups of an axis.

    Source: the LTF-Test paper's equation of DoB is this variance; its released scripts compute the population standard
    deviation (`spread="std"`). With two groups GroupFav is (+x, -x), so the variance is x^2.

    The plug-in value is biased upwards: noise in the means adds to it, so a fair model does not get 0. See
    `bias_corrected_variance`. For the same reason its percentile interval never reaches below the noise.

    Args:
        group_favouritism: last axis = groups; axes before it (replicates, models) are kept.
        spread: "variance" (default) or "std".

    Returns:
        Shape without the last axis. One group: 0, which says nothing (there is no other group to favour).

    Raises:
        DataError: a NaN (a group without essays: leave it out and say so; the message names the index), or no groups.
    """
    values = _groups(group_favouritism)
    if spread not in ("variance", "std"):
        raise DataError(f"spread is {spread!r}. Valid: variance, std")
    variance = values.var(axis=-1)
    return np.asarray(variance if spread == "variance" else np.sqrt(variance))


def bias_corrected_variance(values: npt.ArrayLike, covariance: npt.ArrayLike) -> Floats:
    """Return the plug-in variance less the part that noise adds: an unbiased estimate of the true means' variance.

    With means m = mu + e and Cov(e) = S over K groups, E[var(m)] = var(mu) + (tr S - 1'S1 / K) / K (the expectation of
    a quadratic form; Searle (1971), Linear Models, section 2.5). Errors of GroupFav are NOT independent: what one group
    gains, another loses. On a two-group axis S = s^2 [[1, -1], [-1, 1]], and treating the errors as independent would
    take off half of what it should. So give the covariance matrix, from `replicate_covariance` of a cluster bootstrap.

    Args:
        values: estimated means; last axis = groups, shape (..., K).
        covariance: of their errors; shape (..., K, K).

    Returns:
        Shape (...). Below 0 where the means differ by less than their noise: kept as it is, since cutting it at 0
        would bring the bias back; report it as "no more than noise". One group: 0.

    Raises:
        DataError: a NaN (names the index), no groups, or shapes that do not fit.
    """
    means, errors = _groups(values), finite(covariance, "covariance")
    size = means.shape[-1]
    if errors.ndim < 2 or errors.shape[-2:] != (size, size):
        raise DataError(
            f"values has shape {means.shape}, covariance {errors.shape}: (..., K, K) is needed for K groups"
        )
    noise = (np.trace(errors, axis1=-2, axis2=-1) - errors.sum(axis=(-2, -1)) / size) / size
    return np.asarray(means.var(axis=-1) - noise)


def bias_corrected_variance_independent(values: npt.ArrayLike, standard_errors: npt.ArrayLike) -> Floats:
    """Return `bias_corrected_variance` for means whose errors are independent, from their standard errors.

    var(m) - (1 - 1/K) mean(se^2). Right for means of groups that share no essays and no clusters; wrong for GroupFav.

    Args:
        values: last axis = groups.
        standard_errors: of each mean; same shape.

    Returns:
        Shape without the last axis; may be negative. One group: 0.

    Raises:
        DataError: a NaN (names the index), a negative standard error, no groups, or shapes that differ.
    """
    means, errors = _groups(values), counts(standard_errors, "standard_errors")
    if means.shape != errors.shape:
        raise DataError(f"values has shape {means.shape}, standard_errors {errors.shape}: one standard error a mean")
    return np.asarray(means.var(axis=-1) - (1 - 1 / means.shape[-1]) * (errors**2).mean(axis=-1))


def _groups(values: npt.ArrayLike) -> Floats:
    array = finite(values, "values")
    if array.ndim == 0 or array.shape[-1] == 0:
        raise DataError(f"values has shape {array.shape}: the last axis holds the groups, at least one")
    return array
