"""Planning a share by cluster from its variance components: the half width to expect, the samples needed, the floor.

`raylib.stats.power` plans for clusters of equal size with one observation a sample. Here prompts may differ in how many
observations a sample gives them, and observations may be fractions (likelihoods) instead of yes or no.

With variance between clusters B and within clusters W, C clusters, m samples of each, r observations a sample and c the
coefficient of variation of the clusters' sizes:

    Var(share) = (B (1 + c^2) + W / (m r)) / C

For yes/no outcomes B = p (1 - p) ICC and W = p (1 - p) (1 - ICC), which is Kish's design effect 1 + ((1 + c^2) m r - 1)
ICC; at c = 0 it is 1 + (m r - 1) ICC. Source: Kish (1965), Survey Sampling, section 5.4; Eldridge, Ashby and Kerry (2006),
Int. J. Epidemiol. 35: 1292 for unequal clusters.
"""

import math
from typing import NamedTuple

import numpy.typing as npt
from scipy.special import stdtrit

from raylib.errors import DataError
from raylib.stats.arrays import level, matrix
from raylib.stats.power import analysis_of_variance, intraclass_correlation, intraclass_correlation_bound


class Components(NamedTuple):
    """Variance of one observation, split: between clusters (prompts) and within them. Both are at least 0."""

    between: float
    within: float


class Clusters(NamedTuple):
    """How observations come: from how many clusters, how many a sample, and how unequal the clusters are."""

    number: int
    per_sample: float = 1.0
    size_cv: float = 0.0


def components(share: float, icc: float) -> Components:
    """Return the components of a yes/no outcome. A negative ICC is taken as 0 (planning on luck is unsafe).

    Raises:
        DataError: a share outside [0, 1], or an ICC above 1 or NaN.
    """
    if not 0 <= share <= 1 or not icc <= 1:
        raise DataError(f"share is {share}, icc {icc}: a share lies in [0, 1], and an ICC is at most 1")
    noise, alike = share * (1 - share), max(icc, 0.0)
    return Components(noise * alike, noise * (1 - alike))


def measured_components(x: npt.ArrayLike, n: npt.ArrayLike) -> tuple[Components, Components] | None:
    """Return the components of a yes/no outcome from a pilot's counts per cluster.

    Args:
        x: successes per cluster; shape (clusters,).
        n: observations per cluster; clusters with none are left out.

    Returns:
        (at the ICC that was measured, at its upper 90% bound). None where the ICC cannot be seen (see
        `raylib.stats.power.intraclass_correlation`).

    Raises:
        DataError: as `intraclass_correlation`.
    """
    found, icc = analysis_of_variance(x, n), intraclass_correlation(x, n)
    if found is None or math.isnan(icc):
        return None
    share = found.successes / found.observations
    return components(share, icc), components(share, max(icc, intraclass_correlation_bound(x, n)))


def fractional_components(x: npt.ArrayLike, n: npt.ArrayLike) -> tuple[Components, Components] | None:
    """Return the best and the worst case of a fractional outcome (likelihoods in [0, 1]) from a pilot's sums.

    A cluster's sum does not say how its observations differ from each other. Their variance lies between 0 and that of
    yes/no outcomes with the same means, s (1 - s); the more of the spread of cluster means it explains, the more it
    helps to take more samples. Both cases give the pilot's own variance at the pilot's own size.

    Args:
        x: sums of likelihoods per cluster; shape (clusters,).
        n: observations per cluster; clusters with none are left out.

    Returns:
        (all of the variation within clusters that there can be, none). None: fewer than two clusters with data.

    Raises:
        DataError: a NaN, a negative count, or x above n.
    """
    found = analysis_of_variance(x, n)
    if found is None:
        return None
    within = found.between if math.isnan(found.within) else min(found.within, found.between)
    return Components((found.between - within) / found.typical, within), Components(found.between / found.typical, 0.0)


def size_variation(n: npt.ArrayLike) -> float:
    """Return the coefficient of variation of cluster sizes, empty clusters counted as 0. No observation at all: 0."""
    sizes = matrix(n, "n")
    return float(sizes.std() / sizes.mean()) if sizes.sum() > 0 else 0.0


def design_half_width(variance: Components, clusters: Clusters, samples: float, confidence: float = 0.95) -> float:
    """Return the half width to expect: t(C - 1) sqrt((B (1 + c^2) + W / (m r)) / C). One cluster: infinite.

    Raises:
        DataError: no cluster, no sample, or no observation a sample.
    """
    if not clusters.number >= 1 or not samples > 0 or not clusters.per_sample > 0:
        raise DataError(f"{clusters.number} clusters, {samples} samples, {clusters.per_sample} observations a sample")
    noise = variance.within / (samples * clusters.per_sample)
    return _half_width(variance.between * (1 + clusters.size_cv**2) + noise, clusters.number, confidence)


def half_width_floor(variance: Components, clusters: Clusters, confidence: float = 0.95) -> float:
    """Return what the half width cannot fall below, however many samples: t(C - 1) sqrt(B (1 + c^2) / C)."""
    return _half_width(variance.between * (1 + clusters.size_cv**2), clusters.number, confidence)


def design_samples(target: float, variance: Components, clusters: Clusters, confidence: float = 0.95) -> float:
    """Return the fewest samples a cluster whose half width is at most `target`; infinite at or below the floor.

    Where it is infinite the remedy is more prompts, not more samples.

    Raises:
        DataError: a target that is not positive, or as `design_half_width`.
    """
    if not target > 0:
        raise DataError(f"target is {target}: a half width is positive")
    if design_half_width(variance, clusters, 1, confidence) <= target:
        return 1
    floor = half_width_floor(variance, clusters, confidence)
    if floor >= target:
        return math.inf
    room = (target / _quantile(clusters.number, confidence)) ** 2 * clusters.number
    room -= variance.between * (1 + clusters.size_cv**2)
    return max(1, math.ceil(variance.within / clusters.per_sample / room - 1e-9))


def _half_width(variance: float, clusters: int, confidence: float) -> float:
    level(confidence)
    return _quantile(clusters, confidence) * math.sqrt(variance / clusters) if clusters > 1 else math.inf


def _quantile(clusters: int, confidence: float) -> float:
    return float(stdtrit(clusters - 1, (1 + level(confidence)) / 2))
