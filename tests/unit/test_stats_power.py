"""Planning figures by hand, and against simulation."""

import math

import numpy as np
import pytest

from raylib.errors import DataError
from raylib.stats.power import (
    expected_half_width,
    intraclass_correlation,
    intraclass_correlation_bound,
    minimum_detectable_effect,
    planned_design_effect,
    samples_for_half_width,
)


def test_intraclass_correlation_of_a_beta_binomial_is_found():
    rng = np.random.default_rng(1)
    icc, p = 0.12, 0.3
    shares = rng.beta(p * (1 - icc) / icc, (1 - p) * (1 - icc) / icc, 4000)
    n = rng.integers(10, 50, 4000)
    assert intraclass_correlation(rng.binomial(n, shares), n) == pytest.approx(icc, abs=0.01)


def test_clusters_that_agree_within_have_correlation_one():
    assert intraclass_correlation([10, 0, 10, 0], [10, 10, 10, 10]) == pytest.approx(1.0)


def test_clusters_more_alike_than_chance_have_a_negative_correlation():
    # No spread between clusters of 10: -1 / (10 - 1).
    assert intraclass_correlation([5, 5, 5], [10, 10, 10]) == pytest.approx(-1 / 9)


@pytest.mark.parametrize(("x", "n"), [([3], [10]), ([1, 0, 1], [1, 1, 1]), ([0, 0], [10, 10]), ([0, 3], [0, 10])])
def test_correlation_is_unknown_where_it_cannot_be_seen(x, n):
    assert math.isnan(intraclass_correlation(x, n))


def test_the_bound_of_the_correlation_covers_nine_times_in_ten():
    rng = np.random.default_rng(6)
    icc, p, clusters = 0.15, 0.4, 50
    shares = rng.beta(p * (1 - icc) / icc, (1 - p) * (1 - icc) / icc, (2000, clusters))
    n = np.full(clusters, 5)
    covered = [intraclass_correlation_bound(x, n) >= icc for x in rng.binomial(5, shares)]
    # Normal theory for yes/no outcomes: near, not exact. The simulation's own error is 0.7 points.
    assert np.mean(covered) == pytest.approx(0.9, abs=0.04)


@pytest.mark.parametrize(("x", "n"), [([10, 0, 10], [10, 10, 10]), ([2, 0], [2, 2])])
def test_the_bound_is_one_where_clusters_agree_within(x, n):
    assert intraclass_correlation_bound(x, n) == 1.0


def test_the_bound_is_unknown_where_the_correlation_is():
    assert math.isnan(intraclass_correlation_bound([1, 0, 1], [1, 1, 1]))


def test_design_effect_by_hand():
    assert planned_design_effect(0.05, 1000) == pytest.approx(50.95)
    assert planned_design_effect(0.0, 1000) == planned_design_effect(0.3, 1) == planned_design_effect(-0.1, 50) == 1.0


def test_half_width_by_hand():
    # t(99) = 1.984217; sqrt(0.25 * (1 + 9 * 0.1) / 1000).
    assert expected_half_width(0.5, 100, 10, 0.1) == pytest.approx(1.984217 * math.sqrt(0.25 * 1.9 / 1000), rel=1e-6)


def test_half_width_matches_simulated_spread():
    rng = np.random.default_rng(2)
    p, icc, clusters, m = 0.2, 0.1, 50, 40
    shares = rng.beta(p * (1 - icc) / icc, (1 - p) * (1 - icc) / icc, (5000, clusters))
    estimates = rng.binomial(m, shares).mean(axis=1) / m
    assert expected_half_width(p, clusters, m, icc) == pytest.approx(2.00957 * estimates.std(), rel=0.04)


def test_half_width_of_a_share_of_zero_is_not_zero():
    assert 0 < expected_half_width(0.0, 10, 100, 0.0) < 0.01


def test_one_cluster_promises_nothing():
    assert expected_half_width(0.5, 1, 1000, 0.1) == math.inf
    assert minimum_detectable_effect(0.5, 1, 1000, 0.1) == math.inf
    assert samples_for_half_width(0.02, 0.5, 1, 0.1).per_cluster == math.inf


@pytest.mark.parametrize("target", [0.05, 0.03, 0.02])
def test_samples_needed_are_the_fewest_that_reach_the_target(target):
    needed = samples_for_half_width(target, 0.3, 200, 0.01)
    assert needed.half_width <= target
    assert expected_half_width(0.3, 200, needed.per_cluster - 1, 0.01) > target


def test_target_below_what_the_clusters_allow_is_out_of_reach():
    # Floor: t(29) sqrt(0.25 * 0.2 / 30) = 0.0835, however many samples.
    needed = samples_for_half_width(0.05, 0.5, 30, 0.2)
    assert needed.per_cluster == math.inf
    assert needed.half_width == pytest.approx(2.04523 * math.sqrt(0.25 * 0.2 / 30), rel=1e-5)


def test_minimum_detectable_effect_by_hand():
    # (1.959964 + 0.841621) sqrt(0.25 / 1000) = 0.044297; two groups: times sqrt(2).
    one = minimum_detectable_effect(0.5, 1000, 1, 0.0)
    assert one == pytest.approx(0.0442969, rel=1e-5)
    assert minimum_detectable_effect(0.5, 1000, 1, 0.0, groups=2) == pytest.approx(one * math.sqrt(2))


def test_effect_of_the_minimum_size_is_found_with_the_promised_power():
    rng = np.random.default_rng(3)
    p, icc, clusters, m = 0.3, 0.05, 100, 20
    effect = minimum_detectable_effect(p, clusters, m, icc)
    shifted = p + effect
    shares = rng.beta(shifted * (1 - icc) / icc, (1 - shifted) * (1 - icc) / icc, (4000, clusters))
    estimates = rng.binomial(m, shares) / m
    z = (estimates.mean(axis=1) - p) / (estimates.std(axis=1, ddof=1) / math.sqrt(clusters))
    # Standard error of the simulated power: 0.6 points; the variance at p + effect is a little larger than at p.
    assert (np.abs(z) > 1.96).mean() == pytest.approx(0.8, abs=0.04)


@pytest.mark.parametrize(
    "call",
    [
        lambda: expected_half_width(1.5, 10, 10, 0.1),
        lambda: expected_half_width(0.5, 0, 10, 0.1),
        lambda: planned_design_effect(1.5, 10),
        lambda: planned_design_effect(math.nan, 10),
        lambda: samples_for_half_width(0.0, 0.5, 10, 0.1),
        lambda: minimum_detectable_effect(0.5, 10, 10, 0.1, alpha=0),
        lambda: minimum_detectable_effect(0.5, 10, 10, 0.1, groups=3),
        lambda: intraclass_correlation([1, math.nan], [2, 2]),
        lambda: intraclass_correlation([], []),
    ],
)
def test_bad_numbers_are_refused(call):
    with pytest.raises(DataError):
        call()


NAN = float("nan")


@pytest.mark.parametrize(
    ("share", "clusters", "icc", "confidence"),
    [
        (NAN, 10, 0.1, 0.95),
        (2.0, 1, 0.1, 0.95),
        (0.3, 10, NAN, 0.95),
        (0.3, 0, 0.1, 0.95),
        (0.3, 10, 2.0, 0.95),
        (0.3, 1, 0.1, 95),
    ],
)
def test_samples_refuse_what_the_half_width_refuses(share, clusters, icc, confidence):
    with pytest.raises(DataError):
        samples_for_half_width(0.05, share, clusters, icc, confidence)


def test_infinitely_many_samples_a_cluster_are_refused():
    with pytest.raises(DataError, match="per_cluster inf"):
        expected_half_width(0.3, 10, float("inf"), 0.1)
