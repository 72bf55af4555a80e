"""Closed-form intervals against statsmodels, and what they do at zero, at all, and at no data."""

import math

import numpy as np
import pytest

from raylib.errors import DataError
from raylib.stats.intervals import katz_log_ratio, wilson


@pytest.mark.parametrize(("successes", "n"), [(0, 10), (10, 10), (1, 3508), (54, 11055), (5, 20)])
def test_wilson_equals_statsmodels(successes, n):
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    expected = proportion.proportion_confint(successes, n, alpha=0.05, method="wilson")
    low, high = wilson(successes, n, 1.959963984540054)
    assert (float(low), float(high)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("x", "x_total", "y", "y_total"), [(30, 100, 10, 200), (3, 9, 1, 1000)])
def test_katz_equals_statsmodels(x, x_total, y, y_total):
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    expected = proportion.confint_proportions_2indep(x, x_total, y, y_total, compare="ratio", method="log")
    low, high = katz_log_ratio(x, x_total, y, y_total, z=1.959963984540054)
    assert (math.exp(low), math.exp(high)) == pytest.approx(expected, rel=1e-12)


def test_wilson_ends_are_exact_at_none_and_all():
    low, high = wilson([0, 10], [10, 10])
    assert low[0] == 0.0
    assert high[1] == 1.0
    assert 0 < high[0] < low[1] < 1


def test_wilson_takes_fractional_counts():
    # p = 0.25, n = 2, z = 1: (0.25 + 0.25) / 1.5 -+ (1 / 1.5) sqrt(0.09375 + 0.0625).
    low, high = wilson(0.5, 2, 1.0)
    half = math.sqrt(0.15625) / 1.5
    assert (float(low), float(high)) == pytest.approx((1 / 3 - half, 1 / 3 + half))


def test_no_data_gives_no_interval():
    low, high = wilson(0, 0)
    assert math.isnan(low)
    assert math.isnan(high)


def test_katz_has_no_value_where_a_count_is_zero():
    interval = katz_log_ratio([0, 3, 0], [10, 10, 0], [3, 0, 0], [10, 10, 0])
    assert np.isnan(interval.low).all()
    assert np.isnan(interval.high).all()


def test_empty_input_gives_empty_intervals():
    assert wilson([], []).low.shape == (0,)


def test_nan_names_its_index():
    with pytest.raises(DataError, match=r"n is nan at index \(1, 0\)"):
        wilson([[1], [1]], [[2], [np.nan]])
