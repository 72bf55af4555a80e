"""Intervals of a share when observations come in clusters: Wilson's at the effective sample size.

Beside the bootstrap for small counts: resampling a count of 0 gives 0 in every replicate and so no interval, and with
a few events its percentiles are too narrow.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from raylib.stats.arrays import Floats, counts_within, level, matrix
from raylib.stats.intervals import Interval, wilson
from raylib.stats.linearisation import SHARE, cluster_standard_error


class DesignEffect(NamedTuple):
    """By how much clustering inflates the variance of a share, and the sample size that is left."""

    effect: Floats
    effective_n: Floats


def design_effect(x: npt.ArrayLike, n: npt.ArrayLike) -> DesignEffect:
    """Return the design effect of a share: its variance by cluster over p (1 - p) / n, and n over that.

    Source: Kish (1965), Survey Sampling, section 8.2. An estimate below 1 is set to 1: it is nearly always noise, and
    claiming more than n observations would be unsafe.

    Args:
        x: successes (fractional allowed) per cluster; shape (clusters, ...).
        n: observations per cluster; same shape. Clusters with n = 0 in a cell do not count there.

    Returns:
        Shape (...). Where no variance can be seen (fewer than two clusters with data, or a share of 0 or 1) the effect
        is its largest value, a whole cluster a single observation: effective_n = clusters with data. No data: NaN, 0.

    Raises:
        DataError: a NaN, a negative count, or x above n; the message names the index.
    """
    successes, observations = counts_within(matrix(x, "x"), matrix(n, "n"), "x", "n")
    filled = (observations > 0).sum(axis=0)
    total_x, total_n = successes.sum(axis=0), observations.sum(axis=0)
    columns = np.stack([successes, observations], axis=-1)
    n_clusters = len(columns)
    error = cluster_standard_error(columns, SHARE)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = total_x / total_n
        # The influence of an empty cluster is 0; the small-sample factor must count the clusters with data only.
        scale = filled / (filled - 1) * (n_clusters - 1) / n_clusters
        effect = np.maximum(error**2 * scale / (share * (1 - share) / total_n), 1.0)
        unseen = (filled < 2) | (total_x == 0) | (total_x == total_n)
        effect = np.where(unseen, total_n / filled, effect)
        effective = np.where(total_n > 0, total_n / effect, 0.0)
    return DesignEffect(effect, effective)


def wilson_clustered(x: npt.ArrayLike, n: npt.ArrayLike, confidence: float = 0.95) -> Interval:
    """Return Wilson's interval of a share at its effective sample size, with Student's t for the clusters.

    Source: Korn and Graubard (1998), Survey Methodology 24: 193 (effective sample size and the t adjustment, there with
    Clopper-Pearson's interval); Dean and Pagano (2015), J. Surv. Stat. Methodol. 3: 484 (Wilson's, among the best for
    small shares in clustered samples). The degrees of freedom are Satterthwaite's (1946), Biometrics Bull. 2: 110, from
    the clusters' kurtosis: with few events the design effect rests on a few clusters, and clusters - 1 would be far too
    many (92% coverage instead of 95% at 20 events in 50 clusters).

    Args:
        x: successes per cluster; shape (clusters, ...).
        n: observations per cluster; same shape.
        confidence: coverage.

    Returns:
        Ends of shape (...) within [0, 1]. A count of 0: [0, about t^2 / (clusters + t^2)], which takes each cluster as
        one observation: wide, and safe. Fewer than two clusters with data: NaN.

    Raises:
        DataError: a NaN, a negative count, or x above n; the message names the index.
    """
    successes, observations = counts_within(matrix(x, "x"), matrix(n, "n"), "x", "n")
    effective = design_effect(successes, observations).effective_n
    filled = (observations > 0).sum(axis=0)
    total_x, total_n = successes.sum(axis=0), observations.sum(axis=0)
    share = np.divide(total_x, total_n, out=np.zeros_like(total_n), where=total_n > 0)
    freedom = _degrees_of_freedom(successes - share * observations, filled)
    quantile = stdtrit(freedom, (1 + level(confidence)) / 2)
    low, high = wilson(share * effective, effective, quantile)
    known = filled >= 2
    return Interval(np.where(known, low, np.nan), np.where(known, high, np.nan))


def _degrees_of_freedom(influence: Floats, filled: npt.NDArray[np.int64]) -> Floats:
    """Return 2 K / (kurtosis - 1) of the clusters' influences, between 1 and K - 1 (which normal influences give)."""
    most = np.maximum(filled - 1.0, 1.0)
    second = (influence**2).sum(axis=0) / np.maximum(filled, 1)
    fourth = (influence**4).sum(axis=0) / np.maximum(filled, 1)
    excess = np.divide(fourth, second**2, out=np.ones_like(second), where=second > 0) - 1
    estimated = np.divide(2.0 * filled, excess, out=np.full_like(second, np.inf), where=excess > 1e-9)
    return np.asarray(np.clip(estimated, 1.0, most))
