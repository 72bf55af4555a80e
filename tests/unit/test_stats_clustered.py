"""Shares and ratios by cluster where counts are small: design effects by hand, and the extremes."""

import math

import numpy as np
import pytest

from raylib.errors import DataError
from raylib.stats.clustered_ratios import ratio_interval_clustered
from raylib.stats.clustered_shares import design_effect, wilson_clustered
from raylib.stats.intervals import wilson


def test_clusters_that_agree_within_have_the_cluster_as_observation():
    # 5 clusters all 0 and 5 all 1, of 20: variance by cluster 10/9 * sum (20 (p_k - 0.5))^2 / 200^2 = 10/9 * 0.025.
    effect, effective = design_effect([0.0] * 5 + [20.0] * 5, [20.0] * 10)
    assert float(effect) == pytest.approx(10 / 9 * 0.025 / (0.25 / 200))
    assert float(effective) == pytest.approx(9.0)


def test_design_effect_is_never_below_one():
    effect, effective = design_effect([5.0] * 10, [10.0] * 10)
    assert float(effect) == 1.0
    assert float(effective) == 100.0


def test_empty_clusters_do_not_count():
    x, n = np.array([1.0, 4.0, 2.0]), np.array([10.0, 10.0, 20.0])
    with_empty = design_effect(np.append(x, [0, 0]), np.append(n, [0, 0]))
    assert float(with_empty.effect) == pytest.approx(float(design_effect(x, n).effect))
    padded = wilson_clustered(np.append(x, [0, 0]), np.append(n, [0, 0]))
    assert np.allclose(padded, wilson_clustered(x, n))


def test_count_of_zero_takes_each_cluster_as_one_observation():
    low, high = wilson_clustered(np.zeros(30), np.full(30, 50.0))
    t = 2.045229642132703  # t(29), 97.5 percent
    assert float(low) == 0.0
    assert float(high) == pytest.approx(t**2 / (30 + t**2))


def test_independent_observations_give_about_wilsons_interval():
    rng = np.random.default_rng(4)
    x = rng.binomial(1, 0.3, 2000).astype(float)
    low, high = wilson_clustered(x, np.ones(2000))
    plain = wilson(x.sum(), 2000)
    assert (float(low), float(high)) == pytest.approx((float(plain.low), float(plain.high)), abs=1e-3)


@pytest.mark.parametrize(("x", "n"), [([3.0], [10.0]), ([3.0, 0.0], [10.0, 0.0]), ([0.0, 0.0], [0.0, 0.0])])
def test_fewer_than_two_clusters_with_data_give_no_interval(x, n):
    assert np.isnan(wilson_clustered(x, n)).all()
    assert np.isnan(ratio_interval_clustered(x, n, x, n)).all()


def test_ratio_interval_holds_the_ratio_and_inverts():
    rng = np.random.default_rng(2)
    n = np.full(40, 30.0)
    x, y = rng.binomial(30, rng.beta(2, 8, 40)).astype(float), rng.binomial(30, rng.beta(2, 18, 40)).astype(float)
    low, high = ratio_interval_clustered(x, n, y, n)
    inverse = ratio_interval_clustered(y, n, x, n)
    assert low < x.sum() / y.sum() < high
    assert (float(low), float(high)) == pytest.approx((1 / float(inverse.high), 1 / float(inverse.low)))


def test_zero_numerator_and_zero_denominator_leave_open_ends():
    n, some, none = np.full(20, 10.0), np.array([1.0, 2.0] * 10), np.zeros(20)
    below = ratio_interval_clustered(none, n, some, n)
    above = ratio_interval_clustered(some, n, none, n)
    neither = ratio_interval_clustered(none, n, none, n)
    assert (float(below.low), math.isfinite(below.high)) == (0.0, True)
    assert (float(above.low) > 0, float(above.high)) == (True, math.inf)
    assert (float(neither.low), float(neither.high)) == (0.0, math.inf)


def test_vectorised_over_cells():
    rng = np.random.default_rng(7)
    n = np.full((25, 3, 2), 12.0)
    x = rng.binomial(12, 0.2, (25, 3, 2)).astype(float)
    together = wilson_clustered(x, n)
    assert together.low.shape == (3, 2)
    assert float(together.low[1, 1]) == pytest.approx(float(wilson_clustered(x[:, 1, 1], n[:, 1, 1]).low))


def test_more_successes_than_observations_name_the_index():
    with pytest.raises(DataError, match=r"x is 3.0 of n 2.0 at index 1"):
        wilson_clustered([1, 3], [2, 2])


def test_no_clusters_is_an_error():
    with pytest.raises(DataError, match="at least one row"):
        wilson_clustered([], [])
