"""Agreement of two raters: confusion matrix, raw agreement, Cohen's kappa (unweighted, linear, quadratic)."""

import math
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from raylib.errors import DataError
from raylib.stats.arrays import Floats, counts, finite, level
from raylib.stats.intervals import Interval, wilson

KappaWeights = Literal["unweighted", "linear", "quadratic"]


class Kappa(NamedTuple):
    """Cohen's kappa with its interval."""

    kappa: float
    low: float
    high: float
    standard_error: float
    observed: float
    """Agreement seen, weighted as asked."""
    expected: float
    """Agreement by chance, weighted as asked."""


def confusion_matrix(first: npt.ArrayLike, second: npt.ArrayLike, categories: npt.ArrayLike) -> Floats:
    """Return how often rater 1 said categories[i] and rater 2 categories[j]: shape (categories, categories).

    Args:
        first: rater 1's values; shape (n,). Items that a rater left out (refused, unparsed) are left out before.
        second: rater 2's values for the same items.
        categories: all possible values in their order, such as [-1, 0, 1, 2]; unused ones count too, since the
            weights of kappa depend on the distance between categories.

    Returns:
        Whole counts; zeros where there are no items.

    Raises:
        DataError: a NaN (names the index), lengths that differ, or a value that is no category (names it).
    """
    left, right, known = finite(first, "first"), finite(second, "second"), finite(categories, "categories")
    if left.ndim != 1 or left.shape != right.shape:
        raise DataError(f"first has shape {left.shape}, second {right.shape}: the two raters must rate the same items")
    if known.ndim != 1 or len(known) == 0 or len(np.unique(known)) != len(known):
        raise DataError("categories must be a list of different values, at least one")
    order = np.argsort(known)
    codes = []
    for name, values in (("first", left), ("second", right)):
        place = np.minimum(np.searchsorted(known[order], values), len(known) - 1)
        wrong = known[order][place] != values
        if wrong.any():
            index = int(np.argmax(wrong))
            raise DataError(f"{name} is {values[index]} at index {index}: valid categories are {known.tolist()}")
        codes.append(order[place])
    table = np.bincount(codes[0] * len(known) + codes[1], minlength=len(known) ** 2)
    return table.reshape(len(known), len(known)).astype(np.float64)


def percent_agreement(table: npt.ArrayLike) -> tuple[float, Interval]:
    """Return the share of items on the diagonal of a confusion matrix, and its Wilson interval (95%).

    No items: NaN, and an interval of NaN. Errors as `cohen_kappa`.
    """
    square = _square(table)
    n, agreed = square.sum(), np.trace(square)
    return float(agreed / n) if n > 0 else math.nan, wilson(agreed, n)


def cohen_kappa(table: npt.ArrayLike, weights: KappaWeights = "unweighted", confidence: float = 0.95) -> Kappa:
    """Return Cohen's kappa of a confusion matrix with its large-sample interval.

    Source: Cohen (1960, 1968); standard error: Fleiss, Cohen and Everitt (1969), Psychol. Bull. 72: 323, the
    form that does not assume kappa = 0. Weights of agreement 1 - d / d_max, with d = |i - j| (linear) or (i - j)^2
    (quadratic) in category positions. Items are taken as independent; where they come in clusters use the bootstrap
    over clusters with `kappa_of_tables`.

    Returns:
        NaN everywhere for no items, and where chance agreement is 1 (both raters used one and the same category:
        there is nothing to correct for). Perfect agreement: 1 with a standard error of 0. The ends are not cut to
        [-1, 1].

    Raises:
        DataError: not a square matrix of counts, a NaN (names the index), or an unknown `weights`.
    """
    square, probability = _square(table), (1 + level(confidence)) / 2
    agreement = _agreement_weights(len(square), weights)
    n = square.sum()
    shares = square / n if n > 0 else np.full_like(square, np.nan)
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    observed = float((agreement * shares).sum())
    expected = float(rows @ agreement @ columns)
    if not expected < 1 - 1e-12:
        return Kappa(math.nan, math.nan, math.nan, math.nan, observed, expected)
    kappa = (observed - expected) / (1 - expected)
    mean_weight = (agreement @ columns)[:, np.newaxis] + (rows @ agreement)[np.newaxis, :]
    spread = (shares * (agreement - mean_weight * (1 - kappa)) ** 2).sum()
    variance = (spread - (kappa - expected * (1 - kappa)) ** 2) / (n * (1 - expected) ** 2)
    error = float(np.sqrt(max(variance, 0.0)))
    half = float(ndtri(probability)) * error
    return Kappa(kappa, kappa - half, kappa + half, error, observed, expected)


def kappa_of_tables(tables: Floats, weights: KappaWeights = "unweighted") -> Floats:
    """Return the kappa of many confusion matrices at once, shape (..., categories, categories) to (...).

    A confusion matrix adds up over clusters, so this is a statistic for `raylib.stats.bootstrap.bootstrap`.
    NaN where a table is empty or chance agreement is 1.
    """
    agreement = _agreement_weights(tables.shape[-1], weights)
    total = tables.sum(axis=(-2, -1))
    rows, columns = tables.sum(axis=-1), tables.sum(axis=-2)
    observed = total * (tables * agreement).sum(axis=(-2, -1))
    expected = (rows[..., :, np.newaxis] * agreement * columns[..., np.newaxis, :]).sum(axis=(-2, -1))
    room = total**2 - expected
    some = room > 1e-12 * total**2
    return np.asarray(np.divide(observed - expected, room, out=np.full(total.shape, np.nan), where=some))


def _agreement_weights(size: int, weights: KappaWeights) -> Floats:
    place = np.arange(size, dtype=np.float64)
    distance = np.abs(place[:, np.newaxis] - place[np.newaxis, :])
    if weights == "unweighted":
        return np.asarray(distance == 0, dtype=np.float64)
    if weights == "linear":
        return 1 - distance / max(size - 1, 1)
    if weights == "quadratic":
        return np.asarray(1 - (distance / max(size - 1, 1)) ** 2)
    raise DataError(f"weights is {weights!r}. Valid: unweighted, linear, quadratic")


def _square(table: npt.ArrayLike) -> Floats:
    square = counts(table, "table")
    if square.ndim != 2 or square.shape[0] != square.shape[1] or square.size == 0:
        raise DataError(f"table has shape {square.shape}: a confusion matrix is square, (categories, categories)")
    return square
