"""Favouritism corrected for the judge's errors: F, GroupFav and DoB from prediction-powered sums.

GroupFav of a group is a mean over its pairs, and a pair may hold no more than a few labels (3 of 14 essays for two
religions). How the judge errs is therefore learnt from all labelled essays that ask about the group in one order, each
weighted by one over the essays of its pair: with the judge's mean over pairs it gives the mean over pairs of people's
scores, if the labelled essays are a random draw of those of the group (in its two orders). Pairs need no labels of their
own for that. Where refusals are left out a pair's mean is a ratio, and it does need them.
"""

import numpy as np

from raylib.stats.arrays import Floats
from raylib.stats.linearisation import share
from raylib.stats.prediction_powered_sums import ITEMS, LABEL, LABELLED, PREDICTED, PREDICTED_HERE, powered_mean
from raylib.studies.ltf.favouritism import groupwise, pairwise


def corrected_groups(sums: Floats, tuning: float, *, pooled: bool) -> Floats:
    """Return the corrected GroupFav: (..., G, G, COLUMNS) to (..., G).

    Args:
        sums: entry [p, q] is of the essays that ask why p is better than q.
        tuning: lambda.
        pooled: True, the judge's errors are learnt from all labels of a group (every item must count); False, pair by pair.

    Returns:
        NaN where a group has no pair with essays in both orders, or no label to learn from.
    """
    if not pooled:
        return groupwise(pairwise(powered_mean(sums, tuning)))
    judged = share(sums[..., [PREDICTED, ITEMS]])
    both = np.isfinite(pairwise(judged))
    items = sums[..., ITEMS]
    weight = np.divide(1.0, items, out=np.zeros(items.shape), where=both)
    rest = weight * (sums[..., LABEL] - tuning * sums[..., PREDICTED_HERE])
    number = weight * sums[..., LABELLED]
    first, second = (_mean(rest, number, axis) for axis in (-1, -2))
    return np.asarray(tuning * groupwise(pairwise(judged)) + first - second)


def labels_of_groups(sums: Floats, *, pooled: bool) -> tuple[Floats, Floats]:
    """Return for each group the labels that its correction rests on: the fewest of any part, and all; (G, G, COLUMNS) to (G,).

    A part: the essays of one order (pooled), or of one pair in one order.
    """
    essays, labelled = sums[..., ITEMS], sums[..., LABELLED]
    both = (essays > 0) & (essays.T > 0)
    own = np.where(both, labelled, 0.0)
    total = own.sum(axis=1) + own.sum(axis=0)
    if pooled:
        return np.minimum(own.sum(axis=1), own.sum(axis=0)), total
    fewest = np.where(both, np.minimum(labelled, labelled.T), np.inf).min(axis=1)
    return np.asarray(np.where(np.isfinite(fewest), fewest, 0.0)), total


def _mean(rest: Floats, number: Floats, axis: int) -> Floats:
    total = np.ascontiguousarray(rest).sum(axis=axis)
    size = np.ascontiguousarray(number).sum(axis=axis)
    return np.asarray(np.divide(total, size, out=np.full(size.shape, np.nan), where=size > 0))
