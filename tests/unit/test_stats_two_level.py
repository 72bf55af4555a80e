"""The two-level bootstrap: its totals, its variance, its extremes."""

import numpy as np
import pytest

from raylib.errors import DataError
from raylib.stats.bootstrap import cluster_weights
from raylib.stats.two_level import two_level_counts


def test_every_drawn_observation_lands_in_a_category():
    table = np.random.default_rng(0).integers(0, 30, (12, 5)).astype(float)
    weights = cluster_weights(1, 0, 12, 200)
    result = two_level_counts(1, 0, weights, table)
    np.testing.assert_array_equal(result.sum(axis=1), weights @ table.sum(axis=1))


def test_a_pure_cluster_stays_pure():
    # Cluster 0 holds category 1 only, cluster 1 category 0 only: within-resampling changes nothing.
    weights = [[2, 0], [1, 1], [0, 2]]
    np.testing.assert_array_equal(
        two_level_counts(1, 0, weights, [[0, 7, 0], [4, 0, 0]]), [[0, 14, 0], [4, 7, 0], [8, 0, 0]]
    )


def test_variance_is_between_clusters_plus_within_clusters():
    # 50 clusters of 20; Var(x*/n*) = [between + mean p_k (1 - p_k) / 20] / 50 (law of total variance over the draws).
    rng = np.random.default_rng(3)
    x = rng.binomial(20, rng.beta(2, 3, 50)).astype(float)
    table = np.stack([x, 20 - x], axis=1)
    shares = x / 20
    expected = (shares.var() + (shares * (1 - shares)).mean() / 20) / 50
    blocks = [two_level_counts(5, b, cluster_weights(5, b, 50, 2000), table)[:, 0] / 1000 for b in range(10)]
    # 20,000 replicates: the relative standard error of a variance is sqrt(2 / 20,000) = 1%.
    assert np.concatenate(blocks).var() == pytest.approx(expected, rel=0.04)


def test_one_cluster_is_resampled_within():
    result = two_level_counts(2, 0, np.ones((4000, 1)), [[30, 70]])
    assert result[:, 0].var() == pytest.approx(100 * 0.3 * 0.7, rel=0.1)


def test_the_same_block_gives_the_same_counts_whoever_computes_it():
    table, weights = [[3, 4], [5, 6]], cluster_weights(9, 4, 2, 50)
    first = [two_level_counts(9, block, weights, table) for block in (4, 5)]
    second = [two_level_counts(9, block, weights, table) for block in (5, 4)]
    assert first[0].tobytes() == second[1].tobytes()
    assert first[0].tobytes() != first[1].tobytes()


def test_empty_cluster_gives_nothing():
    np.testing.assert_array_equal(two_level_counts(1, 0, [[2, 0]], [[0, 0], [3, 3]]), [[0, 0]])


def test_fractional_counts_are_refused():
    with pytest.raises(DataError, match="whole counts"):
        two_level_counts(1, 0, [[1]], [[0.5, 1]])


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(DataError, match="with at least one of each"):
        two_level_counts(1, 0, [[1, 1]], [[1, 1]])


def test_nan_names_its_index():
    with pytest.raises(DataError, match=r"cluster_counts is nan at index \(0, 1\)"):
        two_level_counts(1, 0, [[1]], [[1, np.nan]])
