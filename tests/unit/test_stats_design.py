"""Planning by variance components: by hand, against the equal-size formulas, and against simulation."""

import math

import numpy as np
import pytest

from raylib.errors import DataError
from raylib.stats.design import (
    Clusters,
    Components,
    components,
    design_half_width,
    design_samples,
    fractional_components,
    half_width_floor,
    measured_components,
    size_variation,
)
from raylib.stats.power import expected_half_width, samples_for_half_width


def test_components_of_a_share_by_hand() -> None:
    # 0.3 * 0.7 = 0.21, of it a tenth between.
    assert components(0.3, 0.1) == pytest.approx((0.021, 0.189))
    assert components(0.3, -0.2) == pytest.approx((0.0, 0.21))


def test_half_width_by_hand() -> None:
    # t(99) = 1.984217; share 0.5, ICC 0.1, 10 samples: sqrt(0.25 * (1 + 9 * 0.1) / 1000).
    expected = 1.984217 * math.sqrt(0.25 * 1.9 / 1000)
    assert design_half_width(components(0.5, 0.1), Clusters(100), 10) == pytest.approx(expected, rel=1e-6)


def test_half_width_with_unequal_clusters_and_two_observations_a_sample_by_hand() -> None:
    # Design effect 1 + ((1 + 0.5^2) * 20 - 1) * 0.1 = 3.4 at 100 * 20 observations.
    expected = 1.984217 * math.sqrt(0.25 * 3.4 / 2000)
    assert design_half_width(components(0.5, 0.1), Clusters(100, 2.0, 0.5), 10) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(("share", "clusters", "samples", "icc"), [(0.5, 100, 10, 0.1), (0.2, 15, 250, 0.02)])
def test_equal_clusters_give_what_the_power_functions_give(share, clusters, samples, icc) -> None:
    ours = design_half_width(components(share, icc), Clusters(clusters), samples)
    assert ours == pytest.approx(expected_half_width(share, clusters, samples, icc), rel=1e-12)
    for target in (0.3, 0.08, 0.05):
        needed = design_samples(target, components(share, icc), Clusters(clusters))
        assert needed == samples_for_half_width(target, share, clusters, icc).per_cluster


def test_the_floor_by_hand_and_no_number_of_samples_gets_below_it() -> None:
    # t(14) = 2.144787; sqrt(0.25 * 0.1 / 15) = 0.0408248.
    floor = half_width_floor(components(0.5, 0.1), Clusters(15))
    assert floor == pytest.approx(2.144787 * 0.0408248, rel=1e-5)
    assert design_half_width(components(0.5, 0.1), Clusters(15), 10**9) == pytest.approx(floor, rel=1e-6)
    assert design_samples(floor, components(0.5, 0.1), Clusters(15)) == math.inf
    assert design_samples(0.99 * floor, components(0.5, 0.1), Clusters(15)) == math.inf


@pytest.mark.parametrize("target", [0.1, 0.06, 0.045])
def test_samples_needed_are_the_fewest_that_reach_the_target(target: float) -> None:
    variance, clusters = components(0.4, 0.05), Clusters(50, 1.6, 0.3)
    needed = design_samples(target, variance, clusters)
    assert design_half_width(variance, clusters, needed) <= target
    assert needed == 1 or design_half_width(variance, clusters, needed - 1) > target


def test_one_cluster_promises_nothing() -> None:
    assert design_half_width(components(0.5, 0.0), Clusters(1), 1000) == math.inf
    assert design_samples(0.1, components(0.5, 0.0), Clusters(1)) == math.inf


def test_without_variance_one_sample_is_enough() -> None:
    assert design_samples(0.1, Components(0.0, 0.0), Clusters(10)) == 1


def test_a_pilots_components_by_hand() -> None:
    # Clusters of 10 with 8 and 2: between 10 * (0.3^2 + 0.3^2) / 1 = 1.8, within (8 * 0.2 + 2 * 0.8) / 18 = 0.177778;
    # ICC (1.8 - 0.177778) / (1.8 + 9 * 0.177778) = 0.477124; p (1 - p) = 0.25.
    # Lower 10% of F(1, 18): 0.016251; ratio 10.125 / 0.016251 = 623.04; bound 622.04 / 632.04 = 0.98418.
    found = measured_components([8, 2], [10, 10])
    assert found is not None
    assert found[0] == pytest.approx((0.25 * 0.477124, 0.25 * 0.522876), rel=1e-5)
    assert found[1] == pytest.approx((0.25 * 0.98418, 0.25 * 0.01582), rel=1e-3)


def test_a_pilot_with_one_observation_a_prompt_says_nothing_of_the_icc() -> None:
    assert measured_components([1, 0, 1], [1, 1, 1]) is None


def test_fractional_components_agree_at_the_pilots_own_size() -> None:
    x, n = [3.2, 1.0, 2.1, 0.4], [4.0, 4.0, 4.0, 4.0]
    found = fractional_components(x, n)
    assert found is not None
    best, worst = found
    # The means 0.8, 0.25, 0.525, 0.1 have the variance 0.0955729 whatever happens within; x (1 - mean) sums to
    # 0.64 + 0.75 + 0.9975 + 0.36 = 2.7475, over 12 degrees of freedom.
    assert best.within == pytest.approx(2.7475 / 12)
    assert worst == pytest.approx((0.0955729, 0.0), rel=1e-5)
    for case in found:
        assert case.between + case.within / 4 == pytest.approx(0.0955729, rel=1e-5)


def test_fractional_components_of_one_observation_each_do_not_claim_spread_between() -> None:
    found = fractional_components([0.2, 0.8], [1, 1])
    assert found is not None
    assert found[0] == pytest.approx((0.0, 0.18))
    assert fractional_components([0.2, 0.0], [1, 0]) is None


def test_size_variation_counts_empty_clusters() -> None:
    # Mean 1, population standard deviation 1.
    assert size_variation([0, 2]) == pytest.approx(1.0)
    assert size_variation([0, 0]) == 0.0


def test_half_width_matches_the_simulated_spread_of_unequal_clusters() -> None:
    rng = np.random.default_rng(4)
    p, icc, clusters, samples = 0.3, 0.1, 60, 10
    sizes = np.where(np.arange(clusters) % 2, 1, 3) * samples
    shares = rng.beta(p * (1 - icc) / icc, (1 - p) * (1 - icc) / icc, (20_000, clusters))
    spread = (rng.binomial(sizes, shares).sum(axis=1) / sizes.sum()).std()
    planned = design_half_width(components(p, icc), Clusters(clusters, 2.0, size_variation(sizes)), samples)
    # t(59) = 2.000995. The standard error of a simulated spread of 20,000 is 0.5 percent.
    assert planned == pytest.approx(2.000995 * spread, rel=0.02)


def test_a_pilot_foretells_the_spread_of_the_full_run() -> None:
    rng = np.random.default_rng(5)
    p, icc, clusters = 0.4, 0.15, 100
    alpha, beta = p * (1 - icc) / icc, (1 - p) * (1 - icc) / icc
    foretold = []
    for _ in range(300):
        found = measured_components(rng.binomial(5, rng.beta(alpha, beta, clusters)), np.full(clusters, 5))
        assert found is not None
        foretold.append(design_half_width(found[0], Clusters(clusters), 50))
    full = rng.binomial(50, rng.beta(alpha, beta, (20_000, clusters))).mean(axis=1) / 50
    assert np.mean(foretold) == pytest.approx(1.984217 * full.std(), rel=0.03)


@pytest.mark.parametrize(
    "call",
    [
        lambda: components(1.1, 0.1),
        lambda: components(0.5, math.nan),
        lambda: design_half_width(Components(0.1, 0.1), Clusters(0), 10),
        lambda: design_half_width(Components(0.1, 0.1), Clusters(5, 0.0), 10),
        lambda: design_half_width(Components(0.1, 0.1), Clusters(5), 0),
        lambda: design_samples(0.0, Components(0.1, 0.1), Clusters(5)),
        lambda: fractional_components([2.0], [1.0]),
        lambda: measured_components([1, math.nan], [2, 2]),
    ],
)
def test_bad_numbers_are_refused(call) -> None:
    with pytest.raises(DataError):
        call()


def test_a_confidence_in_percent_is_refused_for_one_cluster_too():
    for call in (lambda: half_width_floor(components(0.3, 0.1), Clusters(1), 95),
                 lambda: design_samples(0.05, components(0.3, 0.1), Clusters(1), 95)):  # fmt: skip
        with pytest.raises(DataError, match="confidence is 95"):
            call()
