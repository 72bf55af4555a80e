"""Krippendorff's alpha for any number of raters with missing values: nominal, ordinal, interval; bootstrap by unit."""

from collections.abc import Callable
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from raylib.errors import DataError
from raylib.stats.arrays import Floats, cluster_codes, level, numbers
from raylib.stats.bootstrap import bootstrap
from raylib.stats.bootstrap_intervals import percentile_interval

Measurement = Literal["nominal", "ordinal", "interval"]


class Alpha(NamedTuple):
    """Krippendorff's alpha with its bootstrap interval, and how many units had two or more ratings."""

    alpha: float
    low: float
    high: float
    units: int


def krippendorff_alpha(
    ratings: npt.ArrayLike,
    measurement: Measurement,
    *,
    seed: int = 0,
    replicates: int = 2_000,
    confidence: float = 0.95,
    clusters: npt.ArrayLike | None = None,
) -> Alpha:
    """Return alpha = 1 - observed / expected disagreement, with a percentile interval over resampled units.

    Source: Krippendorff (2019), Content Analysis, chapter 12 (coincidence matrix; the ordinal metric is
    (sum of n_g from c to k - (n_c + n_k) / 2)^2). Interval: units resampled with replacement, Zapf et al. (2016),
    BMC Med. Res. Methodol. 16: 93.

    Args:
        ratings: shape (units, raters); NaN = not rated (the one meaning of NaN here).
        measurement: nominal, ordinal or interval.
        seed: keys the random numbers of the interval.
        replicates: bootstrap replicates.
        confidence: coverage of the interval.
        clusters: a number or name per unit; units of one cluster (prompt) are resampled together. None: each by itself.

    Returns:
        NaN alpha and interval where no unit has two ratings. All ratings equal: NaN (no disagreement is expected, so
        none can be corrected for). One unit or one cluster: alpha, with an interval of NaN.

    Raises:
        DataError: not a (units, raters) table, an infinite rating, an unknown measurement, or clusters that are
            unknown (NaN, None) or do not fit.
    """
    table = numbers(ratings, "ratings")
    if table.ndim != 2 or np.isinf(table).any():
        raise DataError(f"ratings has shape {table.shape}: give finite ratings, (units, raters), NaN = not rated")
    level(confidence)
    if measurement not in get_args(Measurement):
        raise DataError(f"measurement is {measurement!r}. Valid: {', '.join(get_args(Measurement))}")
    codes = None if clusters is None else cluster_codes(clusters, "clusters")
    values = np.unique(table[~np.isnan(table)])
    rated = (~np.isnan(table)).sum(axis=1) >= 2
    if not rated.any():
        return Alpha(float("nan"), float("nan"), float("nan"), 0)
    coincidences = unit_coincidences(table[rated], values)
    if codes is not None:
        coincidences = _by_cluster(coincidences, codes, rated)
    result = bootstrap(coincidences, _statistic(values, measurement), seed=seed, replicates=replicates)
    low, high = percentile_interval(result.replicates, confidence)
    return Alpha(float(result.estimate), float(low), float(high), int(rated.sum()))


def unit_coincidences(ratings: Floats, values: Floats) -> Floats:
    """Return each unit's coincidence matrix: pairs of ratings (c, k) by different raters, divided by (ratings - 1).

    They add up over units, so alpha is a function of sums and fits the cluster bootstrap.

    Args:
        ratings: shape (units, raters), NaN = not rated; units with fewer than two ratings give zeros.
        values: all values that occur, ascending; shape (v,).

    Returns:
        Shape (units, v, v).
    """
    tally = (ratings[:, :, np.newaxis] == values).sum(axis=1).astype(np.float64)
    pairs = tally[:, :, np.newaxis] * tally[:, np.newaxis, :]
    diagonal = np.arange(len(values))
    pairs[:, diagonal, diagonal] -= tally
    others = tally.sum(axis=1) - 1
    return np.asarray(pairs / np.where(others > 0, others, np.inf)[:, np.newaxis, np.newaxis])


def alpha_of_coincidences(coincidences: Floats, values: Floats, measurement: Measurement) -> Floats:
    """Return alpha of summed coincidence matrices, shape (..., v, v) to (...); NaN where no disagreement is expected."""
    margins = coincidences.sum(axis=-1)
    distance = _distance(margins, values, measurement)
    observed = (coincidences * distance).sum(axis=(-2, -1))
    expected = (margins[..., :, np.newaxis] * margins[..., np.newaxis, :] * distance).sum(axis=(-2, -1))
    ratings = margins.sum(axis=-1)
    some = expected > 0
    return np.asarray(1 - np.divide((ratings - 1) * observed, expected, out=np.full(ratings.shape, np.nan), where=some))


def _statistic(values: Floats, measurement: Measurement) -> Callable[[Floats], Floats]:
    return lambda coincidences: alpha_of_coincidences(coincidences, values, measurement)


def _distance(margins: Floats, values: Floats, measurement: Measurement) -> Floats:
    """Return the squared difference function; shape (v, v), or (..., v, v) where it depends on the margins (ordinal)."""
    if measurement == "nominal":
        return 1 - np.eye(len(values))
    if measurement == "interval":
        return np.asarray((values[:, np.newaxis] - values[np.newaxis, :]) ** 2)
    if measurement == "ordinal":
        # Mid-ranks: the sum of margins from c to k less half of both ends is the difference of their mid-ranks.
        middle = margins.cumsum(axis=-1) - margins / 2
        return np.asarray((middle[..., :, np.newaxis] - middle[..., np.newaxis, :]) ** 2)
    raise DataError(f"measurement is {measurement!r}. Valid: {', '.join(get_args(Measurement))}")


def _by_cluster(coincidences: Floats, clusters: npt.NDArray[np.int64], rated: npt.NDArray[np.bool_]) -> Floats:
    """Return coincidences summed over the rated units of each cluster, clusters in ascending order."""
    if clusters.shape != rated.shape:
        raise DataError(f"clusters has shape {clusters.shape}: one a unit is needed, {rated.shape}")
    names, member = np.unique(clusters[rated], return_inverse=True)
    total = np.zeros((len(names), *coincidences.shape[1:]))
    np.add.at(total, member, coincidences)
    return total
