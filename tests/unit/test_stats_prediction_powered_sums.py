"""PPI++ on sums: the same numbers as item by item, an example by hand, and coverage for a judge with known errors."""

import numpy as np
import pytest

from raylib.errors import DataError
from raylib.stats.prediction_powered import Labelled, ppi_difference, ppi_mean
from raylib.stats.prediction_powered_sums import (
    COLUMNS,
    difference_by_cluster,
    mean_by_cluster,
    powered_mean,
    regression_tuning,
)

# One cell in two templates. Judge over all six essays: 2 2 1 | 0 2 1; people read the 1st, 3rd, 4th, 6th: 1 1 | 0 0.
BY_HAND = np.array(
    [  # sum f, items that count, items; sum y, labels that count, sum f there, that count there, labelled
        [5.0, 3, 3, 2, 2, 3, 2, 2],
        [3.0, 3, 3, 0, 2, 1, 2, 2],
    ]
)


def sums_of(labels, judged, others, near, far, size):
    """Per-cluster sums of items that all count."""
    result = np.zeros((size, COLUMNS))
    for y, f, cluster in zip(labels, judged, near, strict=True):
        result[cluster] += [f, 1, 1, y, 1, f, 1, 1]
    for f, cluster in zip(others, far, strict=True):
        result[cluster] += [f, 1, 1, 0, 0, 0, 0, 0]
    return result


def sample(rng, bias=0.4, n=120, rest=600, clusters=40):
    truth = rng.integers(-1, 3, n + rest).astype(float)
    judge = truth + (rng.random(n + rest) < bias)
    where = rng.integers(0, clusters, n + rest)
    return truth, judge, where, sums_of(truth[:n], judge[:n], judge[n:], where[:n], where[n:], clusters)


@pytest.mark.parametrize(("tuning", "expected"), [(0.0, 2 / 4), (1.0, 2 / 4 + 8 / 6 - 4 / 4), (0.5, 0.5 + 0.5 / 3)])
def test_a_mean_by_hand(tuning: float, expected: float) -> None:
    assert powered_mean(BY_HAND.sum(axis=0), tuning) == pytest.approx(expected)


def test_a_standard_error_by_hand_of_labels_alone() -> None:
    # lambda = 0: mean 2/4, influences (2 - 2 * 0.5) / 4 and (0 - 2 * 0.5) / 4 = +-1/4; K / (K - 1) = 2: sqrt(2 * 2/16).
    found = mean_by_cluster(BY_HAND, 0.0)
    assert found.standard_error == pytest.approx(0.5)
    assert found.high - found.estimate == pytest.approx(12.7062 * 0.5, rel=1e-4)  # Student's t of one degree


def test_what_people_leave_out_does_not_count() -> None:
    # People call one of four a refusal; the judge calls none one: labels count 3/4, so the mean of the three is 2/3.
    sums = np.array([8.0, 6, 6, 2, 3, 4, 4, 4])
    assert powered_mean(sums, 0.0) == pytest.approx(2 / 3)
    # lambda = 1: (2/4 + 8/6 - 4/4) / (3/4 + 6/6 - 4/4)
    assert powered_mean(sums, 1.0) == pytest.approx((5 / 6) / (3 / 4))


def test_sums_give_what_items_give() -> None:
    truth, judge, where, sums = sample(np.random.default_rng(4))
    share = 600 / 720
    items = Labelled(truth[:120], judge[:120], judge[120:], where[:120], where[120:])
    expected, found = ppi_mean(items, tuning=0.8 * share), mean_by_cluster(sums, 0.8)
    assert found.estimate == pytest.approx(expected.estimate)
    # Here the numbers of labelled and other items vary by cluster too; there they are fixed.
    assert found.standard_error == pytest.approx(expected.standard_error, rel=0.03)


def test_a_difference_counts_what_both_share() -> None:
    rng = np.random.default_rng(5)
    *one, first = sample(rng)
    *two, second = sample(rng)
    share = 600 / 720
    left, right = (
        Labelled(truth[:120], judge[:120], judge[120:], where[:120], where[120:]) for truth, judge, where in (one, two)
    )
    expected, found = ppi_difference(left, right, tuning=0.7 * share), difference_by_cluster(first, second, 0.7)
    assert found.estimate == pytest.approx(expected.estimate)
    assert found.standard_error == pytest.approx(expected.standard_error, rel=0.03)
    same = difference_by_cluster(first, first, 0.7)
    assert (same.estimate, same.standard_error) == pytest.approx((0, 0), abs=1e-12)


def test_a_cell_labelled_whole_is_the_mean_of_its_labels() -> None:
    truth, judge, _, sums = sample(np.random.default_rng(6), n=300, rest=0)
    assert mean_by_cluster(sums, 0.9).estimate == pytest.approx(truth.mean())
    assert mean_by_cluster(sums, 0.9).standard_error == pytest.approx(mean_by_cluster(sums, 0.0).standard_error)
    assert judge.mean() > truth.mean() + 0.1


def test_the_standard_error_is_the_slope_of_small_changes() -> None:
    # The gradient against differences, in cells where some items do not count.
    sums = np.array([8.0, 5, 6, 2, 3, 4, 3, 4])
    clusters = np.stack([sums * 0.4, sums * 0.6 + np.array([1, 0, 1, 0.5, 0.2, 0.3, 0, 0.4])])
    total, step = clusters.sum(axis=0), 1e-6
    slope = [
        (powered_mean(total + step * unit, 0.6) - powered_mean(total - step * unit, 0.6)) / (2 * step)
        for unit in np.eye(COLUMNS)
    ]
    influence = clusters @ np.array(slope)
    assert mean_by_cluster(clusters, 0.6).standard_error == pytest.approx(np.sqrt(2 * influence.var(ddof=1)), rel=1e-6)


@pytest.mark.parametrize("missing", [2, 7])  # no items, no labels
def test_nothing_to_go_by_is_no_number(missing: int) -> None:
    sums = BY_HAND.copy()
    sums[:, missing:] = 0
    assert np.isnan(mean_by_cluster(sums, 0.5)).all()


def test_labels_in_one_cluster_have_no_error() -> None:
    sums = BY_HAND.copy()
    sums[1, 3:] = 0
    found = mean_by_cluster(sums, 0.5)
    assert np.isfinite(found.estimate)
    assert np.isnan(found[1:]).all()


@pytest.mark.parametrize(
    ("labels", "predictions", "expected"),
    [
        ([0, 1, 2, 0], [0, 2, 1, 0], 0.5),  # within a: (-1, 0, 1) on (-1, 1, 0): 1 / 2; b: one item, says nothing
        ([0, 1, 2, 0], [1, 1, 1, 0], 0.0),  # a constant judge
        ([2, 1, 0, 0], [0, 1, 2, 0], 0.0),  # the wrong way round: cut at 0
        ([0, 2, 2, 0], [0, 1, 1, 0], 1.0),  # a slope of 2: cut at 1
    ],
)
def test_tuning_is_the_slope_within_cells(labels, predictions, expected) -> None:
    found = regression_tuning(labels, predictions, ["a", "a", "a", "b"])
    assert found == pytest.approx(expected)


def test_tuning_without_labels_is_none() -> None:
    assert regression_tuning([], [], []) == 0.0
    with pytest.raises(DataError, match="one of each"):
        regression_tuning([1.0], [1.0, 2.0], ["a"])
