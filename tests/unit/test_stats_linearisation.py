"""Statistics of sums, and standard errors by cluster: against formulas, the jackknife and statsmodels."""

import numpy as np
import pytest

from raylib.errors import DataError
from raylib.stats.bootstrap import cluster_weights, replicate_sums
from raylib.stats.linearisation import (
    DIFFERENCE_OF_SHARES,
    LOG_RATIO_OF_SHARES,
    SHARE,
    cluster_standard_error,
    difference_of_shares,
    jackknife_standard_error,
    log_ratio_of_shares,
    pair_products,
    ratio_of_shares,
    share,
    standard_errors,
    studentised_bootstrap,
)

STATISTICS = [SHARE, DIFFERENCE_OF_SHARES, LOG_RATIO_OF_SHARES]


@pytest.fixture(scope="module")
def sums():
    rng = np.random.default_rng(1)
    n, m = rng.integers(20, 60, 80), rng.integers(20, 60, 80)
    p = rng.beta(3, 6, 80)
    return np.stack([rng.binomial(n, p), n, rng.binomial(m, p), m], axis=1).astype(float)


def test_statistics_by_hand():
    four = np.array([3.0, 10.0, 2.0, 20.0])
    assert share(four[:2]) == pytest.approx(0.3)
    assert difference_of_shares(four) == pytest.approx(0.2)
    assert ratio_of_shares(four) == pytest.approx(3.0)
    assert log_ratio_of_shares(four) == pytest.approx(np.log(3.0))


def test_a_total_of_zero_is_undefined():
    empty = np.array([0.0, 0.0, 2.0, 20.0])
    for function in (difference_of_shares, ratio_of_shares, log_ratio_of_shares):
        assert np.isnan(function(empty))
    assert np.isnan(share(empty[:2]))


def test_zero_over_something_is_zero_and_something_over_zero_undefined():
    assert ratio_of_shares(np.array([0.0, 5.0, 1.0, 5.0])) == 0.0
    assert np.isnan(ratio_of_shares(np.array([1.0, 5.0, 0.0, 5.0])))


@pytest.mark.parametrize("statistic", STATISTICS)
def test_gradient_equals_finite_differences(statistic, sums):
    at = sums.sum(axis=0)[: statistic.sums]
    steps = np.diag(at * 1e-6)
    numeric = (statistic.value(at + steps) - statistic.value(at - steps)) / (2 * np.diag(steps))
    np.testing.assert_allclose(statistic.gradient(at), numeric, rtol=1e-6)


@pytest.mark.parametrize("statistic", STATISTICS)
def test_standard_error_is_close_to_the_jackknife(statistic, sums):
    columns = sums[:, : statistic.sums]
    linear, jackknife = cluster_standard_error(columns, statistic), jackknife_standard_error(columns, statistic.value)
    assert float(linear) == pytest.approx(float(jackknife), rel=0.02)


@pytest.mark.parametrize("statistic", STATISTICS)
def test_standard_error_from_products_equals_the_direct_one(statistic, sums):
    columns = sums[:, : statistic.sums]
    total, products = columns.sum(axis=0), pair_products(columns).sum(axis=0)
    from_products = standard_errors(statistic.gradient(total), total, products, len(columns))
    assert float(from_products) == pytest.approx(float(cluster_standard_error(columns, statistic)), rel=1e-9)


def test_standard_error_of_a_replicate_is_that_of_its_drawn_clusters(sums):
    columns = sums[:, :2]
    weights = cluster_weights(1, 0, len(columns), 3)
    drawn = replicate_sums(weights, columns)
    errors = standard_errors(
        SHARE.gradient(drawn), drawn, replicate_sums(weights, pair_products(columns)), len(columns)
    )
    for row, error in zip(weights, errors, strict=True):
        repeated = np.repeat(columns, row.astype(int), axis=0)
        assert float(error) == pytest.approx(float(cluster_standard_error(repeated, SHARE)), rel=1e-9)


def test_standard_error_equals_statsmodels_cluster_robust_ols(sums):
    api = pytest.importorskip("statsmodels.api")
    x, n = sums[:, 0].astype(int), sums[:, 1].astype(int)
    rows = np.concatenate([np.repeat([1.0, 0.0], [a, b - a]) for a, b in zip(x, n, strict=True)])
    groups = np.repeat(np.arange(len(n)), n)
    fit = api.OLS(rows, np.ones(len(rows))).fit(
        cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False}
    )
    k = len(n)
    assert float(cluster_standard_error(sums[:, :2], SHARE)) == pytest.approx(float(fit.bse[0]) * (k / (k - 1)) ** 0.5)


def test_one_cluster_has_no_standard_error():
    assert np.isnan(cluster_standard_error([[3.0, 10.0]], SHARE))
    assert np.isnan(jackknife_standard_error([[3.0, 10.0]], share))
    assert np.isnan(standard_errors(np.ones(2), np.ones(2), np.ones(3), 1))


def test_wrong_number_of_sums_is_refused():
    with pytest.raises(DataError, match="4 sums"):
        cluster_standard_error(np.ones((5, 2)), LOG_RATIO_OF_SHARES)


def test_nan_names_its_index():
    with pytest.raises(DataError, match=r"sums is nan at index \(1, 0\)"):
        cluster_standard_error([[1.0, 2.0], [np.nan, 2.0]], SHARE)


@pytest.mark.parametrize(
    "sums", [[[0.74, 3], [1.48, 4], [3.33, 26], [1.48, 4]], [[1.11, 5], [5.92, 21], [0.74, 10], [0.37, 5]]]
)
def test_replicates_of_clusters_alike_are_undefined_and_no_bootstrap_t_value_of_a_million(sums):
    # Of four clusters, two with one share, the same two (or one) are drawn in 8% of the replicates: too many.
    interval = studentised_bootstrap(sums, SHARE, seed=0, replicates=2000)
    assert np.isnan(interval.low)
    assert np.isnan(interval.high)


def test_clusters_that_are_all_alike_have_a_standard_error_of_exactly_zero():
    alike = np.array([[1.0, 3], [2, 6], [3, 9], [10, 30], [7, 21]])
    assert cluster_standard_error(alike, SHARE) == 0
    errors = replicate_errors(alike, cluster_weights(0, 0, 5))
    assert not errors.any()


def test_a_small_spread_is_not_taken_for_rounding():
    near = np.array([[500_000.0, 1_000_000], [500_001, 1_000_000], [500_002, 1_000_000]])
    exact = 1e-6 * np.sqrt(3 / 2 * 2) / 3
    assert cluster_standard_error(near, SHARE) == pytest.approx(exact, rel=1e-6)
    assert replicate_errors(near, np.ones((1, 3)))[0] == pytest.approx(exact, rel=1e-3)


def test_no_replicates_is_an_error():
    with pytest.raises(DataError, match="replicates is 0"):
        studentised_bootstrap([[1.0, 2], [2, 3]], SHARE, seed=0, replicates=0)


def replicate_errors(sums, weights):
    joined = np.concatenate([sums, pair_products(sums)], axis=-1)
    drawn = replicate_sums(weights, joined)
    return standard_errors(SHARE.gradient(drawn[:, :2]), drawn[:, :2], drawn[:, 2:], len(sums))
