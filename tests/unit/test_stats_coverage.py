"""Coverage by simulation: nominal 95% intervals on correlated data must cover 95% within Monte-Carlo error.

Clusters share a propensity (beta-binomial), as the samples of one prompt do. All seeds are fixed. With 2,000 data sets
the standard error of a coverage of 95% is 0.49 points; exact methods are held to 3 of them. Where a method is known to
fall short in small samples, the test states by how much at most.
"""

import numpy as np
import pytest

from raylib.stats.bootstrap import bootstrap
from raylib.stats.bootstrap_intervals import bca_interval, percentile_interval
from raylib.stats.clustered_ratios import ratio_interval_clustered
from raylib.stats.clustered_shares import wilson_clustered
from raylib.stats.intervals import katz_log_ratio, wilson
from raylib.stats.linearisation import (
    LOG_RATIO_OF_SHARES,
    SHARE,
    log_ratio_of_shares,
    share,
    studentised_bootstrap,
)

DATA_SETS = 2000
ERROR = (0.95 * 0.05 / DATA_SETS) ** 0.5
CLUSTERS, PER_CLUSTER = 50, 40


def _counts(rng, p, icc, clusters=CLUSTERS, per_cluster=PER_CLUSTER):
    """Return beta-binomial counts, shape (clusters, data sets)."""
    a, b = p * (1 - icc) / icc, (1 - p) * (1 - icc) / icc
    return rng.binomial(per_cluster, rng.beta(a, b, (clusters, DATA_SETS))).astype(float)


def _coverage(interval, truth):
    return float(((interval.low <= truth) & (truth <= interval.high)).mean())


@pytest.fixture(scope="module")
def shares():
    x = _counts(np.random.default_rng(1), 0.1, 0.1)
    return np.stack([x, np.full_like(x, PER_CLUSTER)], axis=-1)


@pytest.fixture(scope="module")
def pairs():
    rng = np.random.default_rng(2)
    x, y = _counts(rng, 0.1, 0.1), _counts(rng, 0.2, 0.1)
    n = np.full_like(x, PER_CLUSTER)
    return np.stack([x, n, y, n], axis=-1)


def test_intervals_that_ignore_clusters_cover_far_too_little(shares, pairs):
    x, n = shares.sum(axis=0).T
    assert _coverage(wilson(x, n), 0.1) < 0.70
    assert _coverage(katz_log_ratio(*pairs.sum(axis=0).T), np.log(0.5)) < 0.70


def test_studentised_bootstrap_of_a_share_covers(shares):
    assert abs(_coverage(studentised_bootstrap(shares, SHARE, seed=3, replicates=1000), 0.1) - 0.95) < 3 * ERROR


def test_clustered_wilson_of_a_share_covers(shares):
    assert abs(_coverage(wilson_clustered(shares[..., 0], shares[..., 1]), 0.1) - 0.95) < 3 * ERROR


def test_percentile_and_bca_of_a_share_fall_short_by_two_points_at_most(shares):
    result = bootstrap(shares, share, seed=3, replicates=1000)
    assert 0.93 < _coverage(percentile_interval(result.replicates), 0.1) < 0.955
    assert 0.93 < _coverage(bca_interval(*result), 0.1) < 0.96


def test_studentised_bootstrap_of_a_ratio_covers(pairs):
    interval = studentised_bootstrap(pairs, LOG_RATIO_OF_SHARES, seed=3, replicates=1000)
    assert abs(_coverage(interval, np.log(0.5)) - 0.95) < 3 * ERROR


def test_percentile_and_bca_of_a_ratio_fall_short_by_two_points_at_most(pairs):
    result = bootstrap(pairs, log_ratio_of_shares, seed=3, replicates=1000)
    assert 0.93 < _coverage(percentile_interval(result.replicates), np.log(0.5)) < 0.955
    assert 0.93 < _coverage(bca_interval(*result), np.log(0.5)) < 0.96


def test_clustered_ratio_interval_covers(pairs):
    assert abs(_coverage(ratio_interval_clustered(*np.moveaxis(pairs, -1, 0)), 0.5) - 0.95) < 3 * ERROR


def test_ratio_with_twenty_events_covers():
    rng = np.random.default_rng(4)
    x, y = _counts(rng, 0.01, 0.05), _counts(rng, 0.02, 0.05)
    n = np.full_like(x, PER_CLUSTER)
    assert abs(_coverage(ratio_interval_clustered(x, n, y, n), 0.5) - 0.95) < 3 * ERROR
    assert abs(_coverage(wilson_clustered(x, n), 0.01) - 0.95) < 3 * ERROR


def test_ratio_with_five_events_covers_at_least():
    # Counts of 5: discrete, so above 95% rather than at it; many data sets have a count of 0 in some cell.
    rng = np.random.default_rng(5)
    x, y = _counts(rng, 0.005, 0.02, per_cluster=20), _counts(rng, 0.01, 0.02, per_cluster=20)
    n = np.full_like(x, 20)
    assert (x.sum(axis=0) == 0).any()
    assert _coverage(ratio_interval_clustered(x, n, y, n), 0.5) > 0.95 - 3 * ERROR
    assert _coverage(wilson_clustered(x, n), 0.005) > 0.95 - 3 * ERROR


def test_bootstrap_of_a_ratio_with_five_events_is_unknown_often_and_says_so():
    rng = np.random.default_rng(5)
    x, y = _counts(rng, 0.005, 0.02, per_cluster=20), _counts(rng, 0.01, 0.02, per_cluster=20)
    n = np.full_like(x, 20)
    result = bootstrap(np.stack([x, n, y, n], axis=-1), log_ratio_of_shares, seed=3, replicates=500)
    interval = percentile_interval(result.replicates)
    unknown = np.isnan(interval.low)
    covered = (interval.low <= np.log(0.5)) & (np.log(0.5) <= interval.high)
    assert 0.1 < unknown.mean() < 0.5
    assert covered[~unknown].mean() > 0.90


def test_ratio_of_roles_in_the_same_stories_covers():
    # Both roles share each cluster's propensity: E[theta] / E[theta / 2] = 2.
    rng = np.random.default_rng(6)
    theta = rng.beta(0.9, 8.1, (CLUSTERS, DATA_SETS))
    x, y = rng.binomial(PER_CLUSTER, theta).astype(float), rng.binomial(PER_CLUSTER, theta / 2).astype(float)
    n = np.full_like(x, PER_CLUSTER)
    interval = studentised_bootstrap(np.stack([x, n, y, n], axis=-1), LOG_RATIO_OF_SHARES, seed=1, replicates=1000)
    # 94.3% over 12,000 data sets: a ratio of two skewed counts of which the smaller is about 100.
    assert 0.93 < _coverage(interval, np.log(2)) < 0.96
    assert abs(_coverage(ratio_interval_clustered(x, n, y, n), 2.0) - 0.95) < 3 * ERROR
