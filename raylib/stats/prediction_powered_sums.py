"""Prediction-powered means and differences as functions of summed columns: for many cells at once, and for the bootstrap.

Source: Angelopoulos, Duchi and Zrnic (2023), PPI++, arXiv:2311.01453, its estimate of a mean, written as a regression
estimator (Cochran (1977), Sampling Techniques, section 7.1): mean(Y) + lambda (mean of f over ALL items less mean of f
over the labelled ones). With U of N items unlabelled this is `prediction_powered.ppi_mean` at the tuning lambda U / N;
written so, the best lambda does not depend on how many are labelled, and a cell that is labelled whole gives the plain
mean of its labels.

A label may say that an item does not count (an essay that people call a refusal, where refusals are left out). So both
the numerator and the number of items that count are estimated, each in this way, and divided.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from raylib.errors import DataError
from raylib.stats.arrays import Floats, finite, level
from raylib.stats.linearisation import SmoothStatistic, cluster_standard_error

PREDICTED, PREDICTED_IN, ITEMS, LABEL, LABEL_IN, PREDICTED_HERE, PREDICTED_IN_HERE, LABELLED = range(8)
"""Columns. Over all items: the sum of predictions, of those that count by prediction, the items. Over the labelled ones:
the sum of labels, of those that count by label, the sum of predictions, of those that count by prediction, the items."""
COLUMNS = 8


class Estimated(NamedTuple):
    """An estimate with its standard error by cluster and its interval."""

    estimate: float
    low: float
    high: float
    standard_error: float


def powered_mean(sums: Floats, tuning: float) -> Floats:
    """Return the prediction-powered mean, (..., COLUMNS) to (...); NaN without labels, items, or items that count."""
    total, base = _parts(sums, tuning)
    return _divide(total, base)


def regression_tuning(labels: npt.ArrayLike, predictions: npt.ArrayLike, cells: npt.ArrayLike) -> float:
    """Return lambda: the slope of labels on predictions within cells, cut to [0, 1].

    It gives a mean's least variance where items are independent. One lambda for many cells is chosen from all their labels,
    so that it is nearly fixed for each: with a fixed lambda the estimate is unbiased.

    Args:
        labels: people's; shape (n,).
        predictions: the judge's of the same items; shape (n,).
        cells: the cell of each item; shape (n,).

    Returns:
        0 where predictions do not vary within any cell (no labels, one a cell, a constant judge): the labels alone.

    Raises:
        DataError: a NaN (names the index), or lengths that differ.
    """
    y, f = finite(labels, "labels"), finite(predictions, "predictions")
    names = np.asarray(cells)
    if y.ndim != 1 or y.shape != f.shape or names.shape != y.shape:
        raise DataError(f"labels {y.shape}, predictions {f.shape}, cells {names.shape}: one of each an item is needed")
    if not len(y):
        return 0.0
    _, member = np.unique(names, return_inverse=True)
    number = np.bincount(member)
    y, f = (values - (np.bincount(member, weights=values) / number)[member] for values in (y, f))
    square = float((f**2).sum())
    return float(np.clip((y * f).sum() / square, 0.0, 1.0)) if square > 1e-12 else 0.0


def mean_by_cluster(sums: Floats, tuning: float, confidence: float = 0.95) -> Estimated:
    """Return the prediction-powered mean of per-cluster sums, shape (clusters, COLUMNS).

    Interval: Student's t at the clusters that hold labels, less 1. Fewer than two such clusters: no error, no interval
    (NaN). `tuning` is taken as fixed.
    """
    statistic = SmoothStatistic(COLUMNS, lambda s: powered_mean(s, tuning), lambda s: _gradient(s, tuning))
    return _estimated(sums, statistic, confidence)


def difference_by_cluster(first: Floats, second: Floats, tuning: float, confidence: float = 0.95) -> Estimated:
    """Return the difference of two prediction-powered means, of per-cluster sums of the same clusters.

    For PairFav: F(p, q) less F(q, p). What the two share by cluster (the two directions of one template) counts. Returns as
    `mean_by_cluster`; the degrees of freedom are those of the sample whose labels are in fewer clusters.
    """
    statistic = SmoothStatistic(
        2 * COLUMNS,
        lambda s: powered_mean(s[..., :COLUMNS], tuning) - powered_mean(s[..., COLUMNS:], tuning),
        lambda s: np.concatenate([_gradient(s[..., :COLUMNS], tuning), -_gradient(s[..., COLUMNS:], tuning)], axis=-1),
    )
    return _estimated(np.concatenate([first, second], axis=-1), statistic, confidence)


def _estimated(sums: Floats, statistic: SmoothStatistic, confidence: float) -> Estimated:
    columns = finite(sums, "sums")
    samples = [columns[:, start : start + COLUMNS] for start in range(0, statistic.sums, COLUMNS)]
    holding = min(int((sample[:, LABELLED] > 0).sum()) for sample in samples)
    estimate = float(statistic.value(columns.sum(axis=0)))
    filled = columns[np.any([sample[:, ITEMS] > 0 for sample in samples], axis=0)]
    if not np.isfinite(estimate) or holding < 2:
        return Estimated(estimate, np.nan, np.nan, np.nan)
    error = float(cluster_standard_error(filled, statistic))
    width = float(stdtrit(holding - 1, (1 + level(confidence)) / 2)) * error
    return Estimated(estimate, estimate - width, estimate + width, error)


def _parts(sums: Floats, tuning: float) -> tuple[Floats, Floats]:
    """Return the prediction-powered mean of the label and share of items that count."""
    items, labelled = sums[..., ITEMS], sums[..., LABELLED]

    def powered(label: int, predicted: int, here: int) -> Floats:
        rest = _divide(sums[..., label] - tuning * sums[..., here], labelled)
        return np.asarray(rest + tuning * _divide(sums[..., predicted], items))

    return powered(LABEL, PREDICTED, PREDICTED_HERE), powered(LABEL_IN, PREDICTED_IN, PREDICTED_IN_HERE)


def _gradient(sums: Floats, tuning: float) -> Floats:
    """Return the gradient of `powered_mean`, the same shape as `sums`."""
    total, base = _parts(sums, tuning)
    items, labelled = sums[..., ITEMS], sums[..., LABELLED]
    one = _divide(np.ones_like(base), base)
    result = np.zeros(sums.shape)
    for label, predicted, here, scale in (
        (LABEL, PREDICTED, PREDICTED_HERE, one),
        (LABEL_IN, PREDICTED_IN, PREDICTED_IN_HERE, -one * _divide(total, base)),
    ):
        rest = sums[..., label] - tuning * sums[..., here]
        result[..., label] = _divide(scale, labelled)
        result[..., here] = -tuning * _divide(scale, labelled)
        result[..., predicted] = tuning * _divide(scale, items)
        result[..., ITEMS] -= tuning * _divide(scale * sums[..., predicted], items**2)
        result[..., LABELLED] -= _divide(scale * rest, labelled**2)
    return result


def _divide(x: Floats, y: Floats) -> Floats:
    return np.asarray(np.divide(x, y, out=np.full(np.broadcast_shapes(x.shape, y.shape), np.nan), where=y > 0))
