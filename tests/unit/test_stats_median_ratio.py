"""R_mrs worked out by hand."""

import numpy as np
import pytest

from raylib.errors import DataError
from raylib.stats.median_ratio import (
    median_of_replicates,
    median_subordination_ratio,
    median_threshold,
    threshold_counts,
)
from raylib.stats.ratios import subordination_ratio


def test_a_name_counts_above_its_likelihood_not_at_it():
    counts = threshold_counts([0.29, 0.7, 1.0], [10, 5, 1])
    # 0.29 exceeds 28 percent, not 29; 0.7 exceeds 69, not 70; 1.0 exceeds 99, not 100.
    assert counts[[0, 27, 28, 68, 69, 98, 99]].tolist() == [16, 16, 6, 6, 1, 1, 0]


def test_names_count_whole_in_each_cluster():
    counts = threshold_counts([0.5, 0.02], [[1, 2], [4, 8]])
    assert counts.shape == (100, 2)
    assert counts[0].tolist() == [5, 10]
    assert counts[1].tolist() == [1, 2]


def test_median_of_an_odd_number_of_thresholds():
    # Ratios 4, 2, 1 of equal totals; one threshold with no name in either role is skipped.
    assert float(median_subordination_ratio([8, 4, 1, 0], 10, [2, 2, 1, 0], 10)) == pytest.approx(2.0)


def test_median_of_an_even_number_is_the_mean_of_the_middle_two():
    assert float(median_subordination_ratio([8, 4], 10, [2, 2], 10)) == pytest.approx(3.0)


def test_zero_in_one_role_is_smoothed_as_the_subordination_ratio():
    expected = float(subordination_ratio(7, 40, 0, 30).ratio)
    assert float(median_subordination_ratio([7], 40, [0], 30)) == pytest.approx(expected)


def test_no_names_at_any_threshold_is_unknown():
    assert np.isnan(median_subordination_ratio([0, 0], 10, [0, 0], 10))


def test_no_characters_in_a_role_is_unknown():
    assert np.isnan(median_subordination_ratio([0, 0], 0, [3, 1], 10))


def test_vectorised_over_replicates_and_cells_equals_one_by_one():
    rng = np.random.default_rng(0)
    x, y = rng.poisson(0.8, (6, 4, 100)).astype(float), rng.poisson(0.8, (6, 4, 100)).astype(float)
    together = median_subordination_ratio(x, np.full((6, 4), 200), y, 100)
    for i in range(6):
        for j in range(4):
            ratios = [
                float(subordination_ratio(a, 200, b, 100).ratio) for a, b in zip(x[i, j], y[i, j], strict=True) if a + b
            ]
            assert together[i, j] == pytest.approx(float(np.median(ratios)), rel=1e-12)


def test_threshold_of_the_median_is_the_lower_of_the_middle():
    x, y = np.zeros(100), np.zeros(100)
    x[:4], y[:4] = [8, 6, 4, 2], 2  # ratios 4, 3, 2, 1 at t = 1..4
    assert median_threshold(x, 10, y, 10) == 3


def test_threshold_needs_a_count():
    with pytest.raises(DataError, match="no threshold has a count"):
        median_threshold(np.zeros(100), 10, np.zeros(100), 10)


def test_percent_instead_of_shares_is_refused():
    with pytest.raises(DataError, match="not percent"):
        threshold_counts([71.2], [3])


def test_nan_names_its_index():
    with pytest.raises(DataError, match=r"y is nan at index 1"):
        median_subordination_ratio([1, 1], 2, [1, np.nan], 2)


def test_more_thresholds_in_one_role_than_in_the_other_is_refused():
    with pytest.raises(DataError, match="last axis of thresholds"):
        median_subordination_ratio([1, 1], 2, [1], 2)


def test_sums_of_likelihoods_are_refused():
    with pytest.raises(DataError, match="whole counts of names"):
        median_subordination_ratio([0.5, 1], 2, [1, 1], 2)


def test_cutting_replicates_into_pieces_does_not_change_a_byte(monkeypatch):
    rng = np.random.default_rng(4)
    x, y = rng.poisson(2.0, (50, 3, 100)).astype(float), rng.poisson(2.0, (50, 3, 100)).astype(float)
    totals = np.full((50, 3), 300.0)
    whole = median_of_replicates(x, totals, y, totals)
    monkeypatch.setattr("raylib.stats.median_ratio._PIECE", 700)
    assert median_of_replicates(x, totals, y, totals).tobytes() == whole.tobytes()


def test_no_thresholds_have_no_median():
    assert np.isnan(median_subordination_ratio(np.zeros((3, 0)), 10, np.zeros((3, 0)), 10)).all()


def test_a_count_above_its_total_or_an_unknown_total_is_refused():
    few, many = np.ones(100), np.full(100, 20)
    with pytest.raises(DataError, match=r"x is 20.0 of x_total 10.0"):
        median_subordination_ratio(many, 10, few, 30)
    with pytest.raises(DataError, match=r"y is 20.0 of y_total 10.0"):
        median_threshold(few, 10, many, 10)
    with pytest.raises(DataError, match="y_total is nan"):
        median_threshold(few, 10, few, float("nan"))
