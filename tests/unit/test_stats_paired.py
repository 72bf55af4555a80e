"""Differences of replicates drawn together: p-value, standard error, smallest effect, relative change."""

import math

import numpy as np
import pytest
from scipy import stats

from raylib.errors import DataError
from raylib.stats.paired import detectable_difference, paired_p_value, paired_standard_error, relative_change


def test_the_p_value_is_that_of_a_paired_t_test() -> None:
    # Clusters of equal size: the bootstrap's error is the t-test's own, s / sqrt(K).
    pairs = np.array([0.3, -0.1, 0.4, 0.2, 0.1])
    error = pairs.std(ddof=1) / math.sqrt(5)
    assert paired_p_value(pairs.mean(), error, 5) == pytest.approx(stats.ttest_1samp(pairs, 0).pvalue)
    assert paired_p_value(-pairs.mean(), error, 5) == paired_p_value(pairs.mean(), error, 5)
    assert paired_p_value(0.0, error, 5) == 1


def test_without_an_error_there_is_no_p_value() -> None:
    assert np.isnan(paired_p_value([1.0, 1.0, np.nan], [0.0, np.nan, 1.0], 5)).all()
    assert np.isnan(paired_p_value(1.0, 1.0, 1))


def test_what_has_no_interval_has_no_error() -> None:
    replicates = np.array([[0.0, 1.0, np.nan], [0.0, 2.0, 1.0], [0.0, 3.0, 2.0]])
    assert np.isnan(paired_standard_error(replicates, 9)).tolist() == [True, False, True]


def test_a_few_undefined_replicates_are_left_out() -> None:
    replicates = np.array([np.nan, *[-1.0] * 9, *[1.0] * 30])
    assert paired_standard_error(replicates, 10**9) == pytest.approx(np.std(replicates[1:], ddof=1))


def test_no_replicates_at_all_are_an_error() -> None:
    with pytest.raises(DataError, match="at least one replicate"):
        paired_standard_error(np.zeros((0, 3)), 5)


def test_the_error_of_a_mean_is_the_textbooks() -> None:
    # The replicates of a mean over K clusters have variance s^2 (K - 1) / K^2 with s^2 of ddof=1; the truth is s^2 / K.
    rng = np.random.default_rng(2)
    sample = rng.normal(size=5)
    drawn = sample[rng.integers(0, 5, size=(200_000, 5))].mean(axis=1)
    assert paired_standard_error(drawn, 5) == pytest.approx(sample.std(ddof=1) / math.sqrt(5), rel=0.01)


def test_the_smallest_effect_is_found_with_eighty_percent_power() -> None:
    # Many clusters: 1.96 + 0.8416 standard errors; five clusters: t with 4 degrees of freedom.
    assert detectable_difference(0.1, 10**6) == pytest.approx(0.28016, rel=1e-4)
    assert detectable_difference(0.1, 5) == pytest.approx(0.1 * (stats.t.ppf(0.975, 4) + stats.t.ppf(0.8, 4)))
    assert detectable_difference(0.1, 1) == math.inf
    assert np.isnan(detectable_difference(np.nan, 5))


@pytest.mark.parametrize(("alpha", "power"), [(0, 0.8), (0.05, 80)])
def test_levels_that_are_none_are_errors(alpha: float, power: float) -> None:
    with pytest.raises(DataError, match=r"such as 0\.05 and 0\.8"):
        detectable_difference(0.1, 9, alpha=alpha, power=power)


@pytest.mark.parametrize(
    ("base", "value", "percent"),
    [
        (0.120, 0.185, 54.2),  # GPT-3.5, abstract: 0.065 / 0.120 more bias
        (0.723, 0.094, -87.0),  # GPT-3.5, gender, extreme scores
        (0.589, 0.158, -73.2),  # GPT-4o, the same
        (-0.4, -0.2, -50.0),  # half as far from 0
        (-0.4, 0.2, -150.0),  # to the other side
    ],
)
def test_relative_changes_are_those_that_the_paper_prints(base: float, value: float, percent: float) -> None:
    assert round(100 * float(relative_change(base, value)), 1) == percent


def test_nothing_is_relative_to_zero() -> None:
    assert np.isnan(relative_change([0.0, 1.0], [1.0, 1.0])).tolist() == [True, False]
