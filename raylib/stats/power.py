"""Planning: how wide an interval will be, how many samples it takes, and which effect would be seen."""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import fdtri, ndtri, stdtrit

from raylib.errors import DataError
from raylib.stats.arrays import counts_within, level, matrix


class SamplesNeeded(NamedTuple):
    """Samples a cluster for a wanted half width; infinite where more samples of the same clusters cannot reach it."""

    per_cluster: float
    half_width: float
    """What the rounded-up number gives (or, where infinite, the best that these clusters can give)."""


def intraclass_correlation(x: npt.ArrayLike, n: npt.ArrayLike) -> float:
    """Return the intraclass correlation of a yes/no outcome from counts per cluster (ANOVA estimator).

    Source: Ridout, Demetrio and Firth (1999), Biometrics 55: 137. An estimate below 0 is returned as it is.

    Args:
        x: successes per cluster; shape (clusters,).
        n: observations per cluster; clusters with none are left out.

    Returns:
        NaN where it cannot be seen: fewer than two clusters with data, one observation in each, or a share of 0 or 1.

    Raises:
        DataError: a NaN, a negative count, or x above n; the message names the index.
    """
    found = analysis_of_variance(x, n)
    if found is None or found.successes in (0.0, found.observations) or found.observations <= found.clusters:
        return float("nan")
    between, within, typical = found.between, found.within, found.typical
    return float((between - within) / (between + (typical - 1) * within))


def intraclass_correlation_bound(x: npt.ArrayLike, n: npt.ArrayLike, confidence: float = 0.9) -> float:
    """Return a one-sided upper bound of the intraclass correlation: what a small pilot cannot rule out.

    With F = between / within mean squares over its lower quantile, (F - 1) / (F + n0 - 1), at least 0. Source: Searle
    (1971), Linear Models, section 9.9; exact for normal outcomes of equal clusters, close for shares that are not rare.

    Returns:
        NaN where `intraclass_correlation` is NaN; 1 where observations of a cluster never differ.

    Raises:
        DataError: as `intraclass_correlation`, or a confidence outside (0, 1).
    """
    found = analysis_of_variance(x, n)
    if found is None or math.isnan(intraclass_correlation(x, n)):
        return float("nan")
    if found.within == 0:
        return 1.0
    quantile = float(fdtri(found.clusters - 1, found.observations - found.clusters, 1 - level(confidence)))
    ratio = found.between / found.within / quantile
    return max(0.0, (ratio - 1) / (ratio + found.typical - 1))


class AnalysisOfVariance(NamedTuple):
    """Counts per cluster, taken apart: mean squares of an outcome that is yes or no."""

    between: float
    within: float
    """NaN where every cluster has one observation."""
    typical: float
    """The cluster size n0 that stands for unequal ones."""
    clusters: int
    observations: float
    successes: float


def analysis_of_variance(x: npt.ArrayLike, n: npt.ArrayLike) -> AnalysisOfVariance | None:
    """Return the one-way analysis of variance of counts per cluster; None for fewer than two clusters with data.

    Args and errors as `intraclass_correlation`. For fractional counts `within` is an upper bound.
    """
    successes, observations = counts_within(matrix(x, "x"), matrix(n, "n"), "x", "n")
    if successes.ndim != 1:
        raise DataError(f"x has shape {successes.shape}: one count a cluster is needed")
    filled = observations > 0
    successes, observations = successes[filled], observations[filled]
    k, total = len(observations), float(observations.sum())
    if k < 2:
        return None
    shares, mean = successes / observations, successes.sum() / total
    within = float((successes * (1 - shares)).sum()) / (total - k) if total > k else math.nan
    return AnalysisOfVariance(
        between=float((observations * (shares - mean) ** 2).sum()) / (k - 1),
        within=within,
        typical=(total - float((observations**2).sum()) / total) / (k - 1),
        clusters=k,
        observations=total,
        successes=float(successes.sum()),
    )


def planned_design_effect(icc: float, per_cluster: float) -> float:
    """Return 1 + (m - 1) ICC: by how much clusters of m samples inflate the variance. m = 1 or ICC = 0: 1.

    Source: Kish (1965), Survey Sampling, section 5.4. A negative ICC is taken as 0 (planning on luck is unsafe).

    Raises:
        DataError: an ICC above 1 or NaN, or fewer than one sample a cluster.
    """
    if not icc <= 1 or not 1 <= per_cluster < math.inf:
        raise DataError(
            f"icc is {icc}, per_cluster {per_cluster}: the ICC is at most 1, samples a cluster a number from 1"
        )
    return 1 + (per_cluster - 1) * max(icc, 0.0)


def expected_half_width(share: float, clusters: int, per_cluster: float, icc: float, confidence: float = 0.95) -> float:
    """Return the half width to expect of a share's interval by cluster.

    t(clusters - 1) sqrt(p (1 - p) design effect / (clusters m)). Divide by p* for the half width of R_rep.

    Returns:
        Infinite for one cluster. For a share of 0 or 1 the formula would say 0; instead p is moved to half an
        observation's share of the effective sample.

    Raises:
        DataError: a share outside [0, 1], no clusters, or as `planned_design_effect`.
    """
    if not 0 <= share <= 1 or clusters < 1:
        raise DataError(f"share is {share}, clusters {clusters}: a share lies in [0, 1], and one cluster is the least")
    effective = clusters * per_cluster / planned_design_effect(icc, per_cluster)
    probability = (1 + level(confidence)) / 2
    if clusters < 2:
        return math.inf
    least = min(0.5 / effective, 0.5)
    p = min(max(share, least), 1 - least)
    return float(stdtrit(clusters - 1, probability)) * math.sqrt(p * (1 - p) / effective)


def samples_for_half_width(
    target: float, share: float, clusters: int, icc: float, confidence: float = 0.95
) -> SamplesNeeded:
    """Return how many samples a cluster (prompt) reach a wanted half width, the clusters being given.

    With m to infinity the half width does not fall below t sqrt(p (1 - p) ICC / clusters): then the answer is infinite
    and the remedy is more prompts, not more samples.

    Raises:
        DataError: a target that is not positive, or as `expected_half_width`.
    """
    if not target > 0:
        raise DataError(f"target is {target}: a half width is positive")
    expected_half_width(share, clusters, 1, icc, confidence)  # refuses what no number of samples can be found for
    quantile = float(stdtrit(clusters - 1, (1 + confidence) / 2)) if clusters > 1 else math.inf
    noise = share * (1 - share)
    floor = noise * max(icc, 0.0) / max(clusters, 1)
    room = (target / quantile) ** 2 - floor
    if clusters < 2 or room <= 0:
        return SamplesNeeded(math.inf, quantile * math.sqrt(floor) if clusters > 1 else math.inf)
    needed = max(1, math.ceil(noise * (1 - max(icc, 0.0)) / clusters / room - 1e-9))
    while expected_half_width(share, clusters, needed, icc, confidence) > target * (1 + 1e-9):
        needed = max(needed + 1, math.ceil(needed * 1.02))
    return SamplesNeeded(needed, expected_half_width(share, clusters, needed, icc, confidence))


def minimum_detectable_effect(
    share: float,
    clusters: int,
    per_cluster: float,
    icc: float,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    groups: int = 1,
) -> float:
    """Return the smallest difference of shares that a two-sided test finds with the given power.

    (z(1 - alpha/2) + z(power)) sqrt(groups p (1 - p) design effect / (clusters m)), after Bloom (1995), Eval. Rev. 19:
    547. Against a fixed share p* `groups` is 1; between two conditions with `clusters` each it is 2. For m comparisons
    give alpha / m.

    Returns:
        A difference on the share's scale (divide by p* for R_rep); 0 at a share of 0 or 1, where the normal
        approximation says nothing. Infinite for one cluster.

    Raises:
        DataError: alpha or power outside (0, 1), groups other than 1 or 2, or as `expected_half_width`.
    """
    if groups not in (1, 2) or not 0 < alpha < 1 or not 0 < power < 1:
        raise DataError(f"alpha {alpha} and power {power} lie in (0, 1); groups is {groups}, and can be 1 or 2")
    if not 0 <= share <= 1 or clusters < 1:
        raise DataError(f"share is {share}, clusters {clusters}: a share lies in [0, 1], and one cluster is the least")
    effect = planned_design_effect(icc, per_cluster)
    if clusters < 2:
        return math.inf
    variance = groups * share * (1 - share) * effect / (clusters * per_cluster)
    return float(ndtri(1 - alpha / 2) + ndtri(power)) * float(np.sqrt(variance))
