"""Percentile, BCa and bootstrap-t against scipy, on the same replicates; and cells that have no interval."""

import numpy as np
import pytest
from scipy import stats

from raylib.errors import DataError
from raylib.stats.bootstrap import bootstrap
from raylib.stats.bootstrap_intervals import (
    bca_interval,
    bootstrap_t_interval,
    percentile_interval,
    replicate_covariance,
    undefined_share,
)
from raylib.stats.linearisation import SHARE, share, studentised_bootstrap


@pytest.fixture(scope="module")
def skewed():
    """Cluster counts, scipy's own bootstrap of their ratio, and its replicates."""
    rng = np.random.default_rng(12)
    n = rng.integers(5, 60, 40).astype(float)
    x = rng.binomial(n.astype(int), rng.beta(0.5, 4, 40)).astype(float)

    def ratio(a, b, axis=-1):
        return a.sum(axis=axis) / b.sum(axis=axis)

    kwargs = {"paired": True, "n_resamples": 4000, "vectorized": True, "rng": 3}
    percentile = stats.bootstrap((x, n), ratio, method="percentile", **kwargs)
    bca = stats.bootstrap((x, n), ratio, method="BCa", **kwargs)
    return x, n, percentile, bca


def test_percentile_equals_scipy_on_the_same_replicates(skewed):
    _, _, percentile, _ = skewed
    low, high = percentile_interval(percentile.bootstrap_distribution)
    assert (float(low), float(high)) == pytest.approx(tuple(percentile.confidence_interval), rel=1e-12)


def test_bca_equals_scipy_on_the_same_replicates(skewed):
    x, n, _, bca = skewed
    jackknife = (x.sum() - x) / (n.sum() - n)
    low, high = bca_interval(x.sum() / n.sum(), bca.bootstrap_distribution, jackknife)
    assert (float(low), float(high)) == pytest.approx(tuple(bca.confidence_interval), rel=1e-10)


def test_cluster_bootstrap_agrees_with_scipy_within_monte_carlo_error(skewed):
    x, n, percentile, bca = skewed
    result = bootstrap(np.stack([x, n], axis=1), share, seed=1, replicates=20_000)
    scale = percentile.standard_error
    assert result.replicates.std(ddof=1) == pytest.approx(scale, rel=0.05)
    for ours, theirs in (
        (percentile_interval(result.replicates), percentile.confidence_interval),
        (bca_interval(*result), bca.confidence_interval),
    ):
        # 4,000 replicates place a 2.5% end with a standard error of about 0.042 (tail 0.06) standard deviations.
        assert np.abs(np.array(ours) - np.array(theirs)).max() < 0.25 * scale


def test_cells_are_treated_one_by_one():
    rng = np.random.default_rng(0)
    replicates, jackknife = rng.gamma(2, 1, (500, 3, 2)), rng.gamma(2, 1, (30, 3, 2))
    estimate = np.median(replicates, axis=0) * 1.1
    together = bca_interval(estimate, replicates, jackknife)
    alone = bca_interval(estimate[2, 1], replicates[:, 2, 1], jackknife[:, 2, 1])
    assert together.low.shape == (3, 2)
    assert float(together.low[2, 1]) == float(alone.low)
    assert float(together.high[2, 1]) == float(alone.high)


def test_studentised_interval_by_hand():
    # (t* - t) / se* is -1, 0, 1 for t = 10 and se* = 1; quantiles at 0 and 1 with full confidence are -1 and 1.
    low, high = bootstrap_t_interval(10.0, 2.0, [9.0, 10.0, 11.0], [1.0, 1.0, 1.0], confidence=1 - 1e-12)
    assert (float(low), float(high)) == pytest.approx((8.0, 12.0))


def test_long_tail_of_the_studentised_values_moves_the_other_end():
    low, high = bootstrap_t_interval(0.0, 1.0, [-5.0, -1.0, 0.0, 1.0], np.ones(4), confidence=1 - 1e-12)
    assert (float(low), float(high)) == pytest.approx((-1.0, 5.0))


@pytest.mark.parametrize("value", [0.0, 0.3])
def test_equal_replicates_give_no_interval(value):
    replicates, jackknife = np.full(100, value), np.full(5, value)
    assert np.isnan(percentile_interval(replicates)).all()
    assert np.isnan(bca_interval(value, replicates, jackknife)).all()


def test_one_cluster_gives_no_interval():
    result = bootstrap([[3.0, 10.0]], share, seed=1, replicates=100)
    assert np.isnan(percentile_interval(result.replicates)).all()
    assert np.isnan(bca_interval(*result)).all()
    assert np.isnan(studentised_bootstrap([[3.0, 10.0]], SHARE, seed=1, replicates=100)).all()


def test_count_of_zero_gives_no_interval():
    sums = np.stack([np.zeros(10), np.full(10, 20.0)], axis=1)
    assert np.isnan(percentile_interval(bootstrap(sums, share, seed=1, replicates=100).replicates)).all()
    assert np.isnan(studentised_bootstrap(sums, SHARE, seed=1, replicates=100)).all()


def test_few_undefined_replicates_are_left_out():
    replicates = np.arange(101.0)
    with_gaps = np.concatenate([replicates, [np.nan, np.inf]])
    assert np.array_equal(percentile_interval(with_gaps), percentile_interval(replicates))
    assert float(undefined_share(with_gaps)) == pytest.approx(2 / 103)


def test_many_undefined_replicates_leave_no_interval():
    replicates = np.concatenate([np.arange(94.0), np.full(6, np.nan)])
    assert np.isnan(percentile_interval(replicates)).all()


def test_all_undefined_replicates_leave_no_interval():
    assert np.isnan(percentile_interval(np.full(50, np.nan))).all()


def test_replicates_on_one_side_of_the_estimate_give_no_bca_interval():
    assert np.isnan(bca_interval(5.0, np.arange(4.0), np.arange(4.0))).all()


def test_infinite_bias_of_one_cell_leaves_the_others():
    replicates = np.stack([np.arange(100.0), np.arange(100.0)], axis=1)
    low, _ = bca_interval([500.0, 50.0], replicates, np.ones((4, 2)))
    assert np.isnan(low[0])
    assert np.isfinite(low[1])


def test_covariance_of_replicates():
    rng = np.random.default_rng(2)
    replicates = rng.normal(size=(500, 3))
    np.testing.assert_allclose(replicate_covariance(replicates), np.cov(replicates.T))


@pytest.mark.parametrize("confidence", [0, 1, 95])
def test_confidence_must_be_a_share(confidence):
    with pytest.raises(DataError, match="between 0 and 1"):
        percentile_interval([1.0, 2.0], confidence)


def test_no_replicates_is_an_error():
    with pytest.raises(DataError, match="at least one replicate"):
        percentile_interval(np.empty((0, 3)))


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(DataError, match="same in all three"):
        bca_interval([1.0, 2.0], np.ones((10, 3)), np.ones((4, 3)))
    with pytest.raises(DataError, match="same in all four"):
        bootstrap_t_interval(1.0, 1.0, np.ones(4), np.ones(5))
