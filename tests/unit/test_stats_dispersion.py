"""Degree of bias: the paper's variance, its bias from noise, and the correction."""

import numpy as np
import pytest

from raylib.errors import DataError
from raylib.stats.dispersion import (
    bias_corrected_variance,
    bias_corrected_variance_independent,
    degree_of_bias,
)


def test_variance_of_two_groups_is_the_favouritism_squared():
    # PairFav = 0.84 between two groups: GroupFav is (0.84, -0.84).
    assert float(degree_of_bias([0.84, -0.84])) == pytest.approx(0.7056)
    assert float(degree_of_bias([0.84, -0.84], "std")) == pytest.approx(0.84)


def test_variance_divides_by_the_number_of_groups():
    assert float(degree_of_bias([1.0, 2.0, 3.0])) == pytest.approx(2 / 3)


def test_replicates_keep_their_axis():
    assert degree_of_bias(np.ones((5, 3, 4))).shape == (5, 3)


def test_one_group_has_no_spread():
    assert float(degree_of_bias([0.4])) == 0.0
    assert float(bias_corrected_variance_independent([0.4], [0.1])) == 0.0


def test_correction_by_hand_for_independent_errors():
    # 2/3 - (1 - 1/3) * mean(0.01, 0.04, 0.04).
    value = bias_corrected_variance_independent([1.0, 2.0, 3.0], [0.1, 0.2, 0.2])
    assert float(value) == pytest.approx(2 / 3 - 2 / 3 * 0.03)
    as_matrix = bias_corrected_variance([1.0, 2.0, 3.0], np.diag([0.01, 0.04, 0.04]))
    assert float(as_matrix) == pytest.approx(float(value))


def test_two_opposed_groups_lose_their_whole_error_variance():
    # x^2 overestimates by Var(x): tr S = 2 s^2, 1'S1 = 0.
    errors = 0.09 * np.array([[1.0, -1.0], [-1.0, 1.0]])
    assert float(bias_corrected_variance([0.5, -0.5], errors)) == pytest.approx(0.25 - 0.09)


def test_a_fair_model_is_corrected_to_zero_on_average_and_the_plug_in_is_not():
    rng = np.random.default_rng(1)
    errors = np.array([[0.04, -0.02, 0.0], [-0.02, 0.05, 0.01], [0.0, 0.01, 0.03]])
    means = rng.multivariate_normal(np.zeros(3), errors, size=40_000)
    corrected = bias_corrected_variance(means, errors)
    error = corrected.std() / 200
    assert abs(corrected.mean()) < 4 * error
    assert degree_of_bias(means).mean() > 50 * error


def test_true_spread_is_recovered_on_average():
    rng = np.random.default_rng(2)
    truth = np.array([0.3, -0.1, -0.2, 0.0])
    means = truth + rng.normal(0, 0.2, (40_000, 4))
    corrected = bias_corrected_variance_independent(means, np.full((40_000, 4), 0.2))
    assert corrected.mean() == pytest.approx(truth.var(), abs=4 * corrected.std() / 200)
    assert (corrected < 0).any()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: degree_of_bias([0.1, np.nan]), "nan at index 1"),
        (lambda: degree_of_bias([]), "at least one"),
        (lambda: degree_of_bias([0.1], "sd"), "Valid: variance, std"),
        (lambda: bias_corrected_variance([0.1, 0.2], np.eye(3)), "K, K"),
        (lambda: bias_corrected_variance_independent([0.1, 0.2], [0.1, -0.2]), "cannot be negative"),
        (lambda: bias_corrected_variance_independent([0.1, 0.2], [0.1]), "one standard error a mean"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(DataError, match=message):
        call()
