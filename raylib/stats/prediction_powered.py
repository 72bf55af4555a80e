"""Prediction-powered inference: a judge's many scores corrected by few human labels (PPI++), also by cluster.

Source: Angelopoulos, Duchi and Zrnic (2023), PPI++, arXiv:2311.01453 (mean estimation with power tuning).
The estimate is mean(f_unlabelled) * lambda + mean(Y - lambda f_labelled): unbiased for any fixed lambda. lambda = 0
is the plain mean of the human labels, lambda = 1 untuned PPI; tuning takes the lambda of the least variance.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri, stdtrit

from raylib.errors import DataError
from raylib.stats.arrays import Floats, cluster_codes, finite, level


class Labelled(NamedTuple):
    """What one estimate needs; the cluster arrays are None where every item stands by itself."""

    labels: npt.ArrayLike
    """Human labels; shape (n,)."""
    predictions: npt.ArrayLike
    """The judge's scores of the same items; shape (n,)."""
    unlabelled: npt.ArrayLike
    """The judge's scores of the other items; shape (N,). Items must not be in both."""
    labelled_clusters: npt.ArrayLike | None = None
    """Cluster (template, prompt) of each labelled item; shape (n,)."""
    unlabelled_clusters: npt.ArrayLike | None = None
    """Cluster of each unlabelled item; shape (N,). The same cluster may occur in both."""


class Corrected(NamedTuple):
    """An estimate corrected for the judge's errors, with its interval and the weight of the judge."""

    estimate: float
    low: float
    high: float
    standard_error: float
    tuning: float
    """lambda in [0, 1]; for a difference that of the first sample."""


def ppi_mean(sample: Labelled, *, tuning: float | None = None, confidence: float = 0.95) -> Corrected:
    """Return the prediction-powered mean of the human label over all items.

    Args:
        sample: labels, predictions, clusters. The labelled items must be a random draw of all items (or of clusters).
        tuning: lambda, if fixed beforehand; None chooses the least variance, cut to [0, 1]. With clusters the variance
            that is minimised is the one by cluster.
        confidence: coverage.

    Returns:
        Interval: normal quantiles; with clusters Student's t at the clusters that hold labels, less 1. A constant judge
        (no variance): lambda = 0, the plain mean. One labelled item, or one labelled cluster: a standard error and an
        interval of NaN.

    Raises:
        DataError: a NaN or an unknown cluster (names the index), no items, lengths that differ, clusters given for
            one side only, or a tuning outside [0, 1].
    """
    parts = _influences(sample)
    chosen = parts.best() if tuning is None else tuning
    if not 0 <= chosen <= 1:
        raise DataError(f"tuning is {chosen}: lambda lies in [0, 1]")
    error = parts.standard_error(chosen)
    quantile = parts.quantile(level(confidence))
    estimate = parts.label_mean + chosen * parts.shift
    return Corrected(estimate, estimate - quantile * error, estimate + quantile * error, error, chosen)


def ppi_difference(
    first: Labelled, second: Labelled, *, tuning: float | None = None, confidence: float = 0.95
) -> Corrected:
    """Return the prediction-powered difference of two means, first less second, each tuned by itself.

    For PairFav: F(p, q) less F(q, p). The two samples share no items; where they share clusters (the two directions of
    one template), the errors of a cluster are added up before they are squared, so their covariance counts.

    Returns, errors: as `ppi_mean`. Clusters must be given for both samples or for neither.
    """
    left, right = _influences(first), _influences(second)
    if left.clustered != right.clustered:
        raise DataError("clusters are given for one of the two samples only: give them for both or for neither")
    weights = [parts.best() if tuning is None else tuning for parts in (left, right)]
    if not all(0 <= w <= 1 for w in weights):
        raise DataError(f"tuning is {tuning}: lambda lies in [0, 1]")
    if left.clustered:
        names = np.concatenate([left.names, right.names])
        joined = np.concatenate([left.influence(weights[0]), -right.influence(weights[1])])
        member = cluster_codes(names, "clusters")
        error = (
            _spread(_sum_by(member, joined, int(member.max()) + 1))
            if min(left.labelled, right.labelled) > 1
            else float("nan")
        )
    else:
        error = float(np.hypot(left.standard_error(weights[0]), right.standard_error(weights[1])))
    quantile = max(left.quantile(level(confidence)), right.quantile(confidence))
    estimate = left.label_mean + weights[0] * left.shift - right.label_mean - weights[1] * right.shift
    return Corrected(estimate, estimate - quantile * error, estimate + quantile * error, error, weights[0])


class _Influences(NamedTuple):
    """The influence of each cluster (or item) on the estimate: fixed + lambda * slope."""

    label_mean: float
    shift: float
    """mean(unlabelled) - mean(predictions of the labelled): what a unit of lambda adds."""
    fixed: Floats
    slope: Floats
    names: npt.NDArray[np.object_] | npt.NDArray[np.int64]
    clustered: bool
    labelled: int
    """Labelled items, or clusters that hold one."""

    def influence(self, tuning: float) -> Floats:
        return np.asarray(self.fixed + tuning * self.slope)

    def best(self) -> float:
        """Return the lambda that minimises the sum of squared influences, cut to [0, 1]."""
        square = float((self.slope**2).sum())
        return float(np.clip(-(self.fixed * self.slope).sum() / square, 0.0, 1.0)) if square > 0 else 0.0

    def standard_error(self, tuning: float) -> float:
        if self.labelled < 2:
            return float("nan")
        values = self.influence(tuning)
        return _spread(values) if self.clustered else float(np.sqrt((values**2).sum()))

    def quantile(self, confidence: float) -> float:
        p = (1 + confidence) / 2
        return float(stdtrit(max(self.labelled - 1, 1), p)) if self.clustered else float(ndtri(p))


def _influences(sample: Labelled) -> _Influences:
    labels, scores = finite(sample.labels, "labels"), finite(sample.predictions, "predictions")
    others = finite(sample.unlabelled, "unlabelled")
    if labels.ndim != 1 or labels.shape != scores.shape or others.ndim != 1 or not len(labels) or not len(others):
        raise DataError(
            f"labels {labels.shape}, predictions {scores.shape}, unlabelled {others.shape}: one prediction a label, and "
            "at least one item each is needed"
        )
    n, rest = len(labels), len(others)
    fixed = np.concatenate([(labels - labels.mean()) / n, np.zeros(rest)])
    slope = np.concatenate([-(scores - scores.mean()) / n, (others - others.mean()) / rest])
    shift = float(others.mean() - scores.mean())
    if sample.labelled_clusters is None and sample.unlabelled_clusters is None:
        return _Influences(float(labels.mean()), shift, fixed, slope, np.arange(n + rest), False, n)
    near, far = (np.asarray(one, dtype=object) for one in (sample.labelled_clusters, sample.unlabelled_clusters))
    if near.shape != labels.shape or far.shape != others.shape:
        raise DataError("clusters are needed for every labelled and every unlabelled item, or for none")
    cluster_codes(near, "labelled_clusters"), cluster_codes(far, "unlabelled_clusters")
    both = np.concatenate([near, far])
    member = cluster_codes(both, "clusters")
    names = both[np.unique(member, return_index=True)[1]]
    by_cluster = [_sum_by(member, part, len(names)) for part in (fixed, slope)]
    labelled = len(np.unique(member[: len(near)]))
    return _Influences(float(labels.mean()), shift, by_cluster[0], by_cluster[1], names, True, labelled)


def _sum_by(member: npt.NDArray[np.int64], values: Floats, size: int) -> Floats:
    return np.bincount(member, weights=values, minlength=size).astype(np.float64)


def _spread(influence: Floats) -> float:
    """Return sqrt(K / (K - 1) sum u^2): the standard error from the influences of K clusters, which sum to 0."""
    count = len(influence)
    return float(np.sqrt(count / (count - 1) * (influence**2).sum())) if count > 1 else float("nan")
