"""The cluster bootstrap: its draws, its exact sums, and the same bytes however the work is cut."""

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest

from raylib.errors import DataError
from raylib.stats.bootstrap import bootstrap, cluster_weights, jackknife_sums, prepare_sums, replicate_sums
from raylib.stats.linearisation import share

DIGEST = """
import hashlib, numpy as np
from raylib.stats.bootstrap import cluster_weights, replicate_sums
sums = np.random.Generator(np.random.PCG64(1)).random((257, 613)) ** 3 * 1000
digest = hashlib.sha256()
for block in range(4):
    digest.update(replicate_sums(cluster_weights(7, block, 257, 130), sums).tobytes())
print(digest.hexdigest())
"""


def _digest(**environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", DIGEST], env=os.environ | environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_every_replicate_draws_as_many_clusters_as_there_are():
    weights = cluster_weights(seed=1, block=0, n_clusters=37, block_size=50)
    assert weights.shape == (50, 37)
    assert (weights.sum(axis=1) == 37).all()
    assert (weights == np.rint(weights)).all()


def test_weights_have_multinomial_moments():
    # Var(w) = 1 - 1/n, Cov = -1/n; the standard error of each mean of 40,000 replicates is 0.005.
    n = 20
    weights = np.concatenate([cluster_weights(5, block, n, 10_000) for block in range(4)])
    covariance = np.cov(weights, rowvar=False)
    assert np.abs(weights.mean(axis=0) - 1).max() < 4 * 0.005
    assert np.abs(np.diag(covariance) - (1 - 1 / n)).max() < 0.05
    off = covariance[~np.eye(n, dtype=bool)]
    assert off.mean() == pytest.approx(-1 / n, abs=1e-3)


def test_clusters_are_drawn_evenly_by_a_chi_square_test():
    from scipy.stats import chisquare

    draws = cluster_weights(11, 0, 500, 10_000).sum(axis=0)
    assert chisquare(draws).pvalue > 1e-4


@pytest.mark.parametrize("n_clusters", [1, 7, 8, 9, 500])
def test_a_replicate_is_the_same_in_blocks_of_any_size(n_clusters):
    whole = cluster_weights(3, 0, n_clusters, 120)
    for size in (1, 30, 40):
        parts = [cluster_weights(3, block, n_clusters, size) for block in range(120 // size)]
        np.testing.assert_array_equal(np.concatenate(parts), whole)


def test_blocks_and_seeds_differ():
    assert (cluster_weights(3, 0, 50) != cluster_weights(3, 1, 50)).any()
    assert (cluster_weights(3, 0, 50) != cluster_weights(4, 0, 50)).any()


def test_random_numbers_are_pinned():
    # Philox4x64-10 and integer arithmetic only: these bytes must never change, on any machine or numpy.
    digest = hashlib.sha256(cluster_weights(20, 3, 500, 100).astype("<f8").tobytes()).hexdigest()
    assert digest == "d4b980f9af612fbdd409847a8a887f83ca985ef62aa9c32430b100d344a805f1"


def test_strata_keep_their_sizes():
    weights = cluster_weights(2, 0, 10, 200, strata=[1, 3, 6])
    assert (weights[:, 0] == 1).all()
    assert (weights[:, 1:4].sum(axis=1) == 3).all()
    assert (weights[:, 4:].sum(axis=1) == 6).all()


def test_replicate_sums_equal_the_sums_of_the_drawn_clusters():
    sums = np.array([[1.0, 10.0], [2.0, 20.0], [4.0, 40.0]])
    np.testing.assert_array_equal(replicate_sums([[3, 0, 0], [0, 1, 2]], sums), [[3, 30], [10, 100]])


def test_sums_may_have_any_shape_after_the_clusters():
    sums = np.arange(24.0).reshape(4, 3, 2)
    result = replicate_sums(np.ones((5, 4)), sums)
    assert result.shape == (5, 3, 2)
    np.testing.assert_array_equal(result[0], sums.sum(axis=0))


def test_plain_products_depend_on_the_order_of_clusters_and_ours_do_not():
    rng = np.random.default_rng(0)
    sums, weights = rng.random((400, 50)) ** 3 * 1000, cluster_weights(1, 0, 400, 64)
    order = rng.permutation(400)
    assert (weights @ sums).tobytes() != (weights[:, order] @ sums[order]).tobytes()
    assert replicate_sums(weights, sums).tobytes() == replicate_sums(weights[:, order], sums[order]).tobytes()


def test_the_same_bytes_in_any_cut_of_rows_and_columns():
    rng = np.random.default_rng(4)
    sums, weights = rng.random((123, 67)) * 1e5, cluster_weights(1, 0, 123, 90)
    whole = replicate_sums(weights, sums)
    pieces = np.concatenate([replicate_sums(weights[i : i + 1], sums) for i in reversed(range(90))][::-1])
    columns = np.hstack([replicate_sums(weights, sums[:, j : j + 1]) for j in range(67)])
    assert whole.tobytes() == pieces.tobytes() == np.ascontiguousarray(columns).tobytes()


@pytest.mark.parametrize("kernel", ["", "Prescott", "Haswell"])
def test_the_same_bytes_with_any_number_of_threads_and_any_blas_kernel(kernel):
    # OPENBLAS_CORETYPE picks the kernel of another CPU: other block shapes, no fused multiply-add in the oldest.
    core = {"OPENBLAS_CORETYPE": kernel} if kernel else {}
    alone = _digest(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")
    assert _digest(OPENBLAS_NUM_THREADS="2", OMP_NUM_THREADS="2", MKL_NUM_THREADS="2", **core) == alone


def test_jackknife_leaves_each_cluster_out():
    np.testing.assert_array_equal(jackknife_sums([[1.0], [2.0], [4.0]]), [[6], [5], [3]])


def test_bootstrap_standard_error_matches_theory():
    # The mean of n values over resampled clusters of one row: the standard error is std(ddof=0) / sqrt(n).
    values = np.random.default_rng(8).normal(size=200)
    sums = np.stack([values, np.ones(200)], axis=1)
    result = bootstrap(sums, share, seed=1, replicates=20_000)
    assert float(result.estimate) == pytest.approx(values.mean())
    assert result.replicates.std() == pytest.approx(values.std() / np.sqrt(200), rel=0.02)
    assert result.jackknife[3] == pytest.approx(np.delete(values, 3).mean())


def test_bootstrap_gives_the_same_bytes_with_any_block_size():
    sums = np.random.default_rng(9).random((40, 6, 2))
    results = [bootstrap(sums, share, seed=5, replicates=301, block_size=size) for size in (50, 301, 1000)]
    assert len({r.replicates.tobytes() for r in results}) == 1
    assert results[0].replicates.shape == (301, 6)


def test_one_cluster_has_no_spread():
    result = bootstrap([[3.0, 10.0]], share, seed=1, replicates=100)
    assert (result.replicates == 0.3).all()


@pytest.mark.parametrize(
    ("sums", "message"),
    [
        (np.empty((0, 2)), "at least one row"),
        ([[1.0, 2.0], [np.nan, 1.0]], r"sums is nan at index \(1, 0\)"),
        (3.0, "at least one row"),
    ],
)
def test_bad_sums_are_refused(sums, message):
    with pytest.raises(DataError, match=message):
        bootstrap(sums, share, seed=1, replicates=10)


@pytest.mark.parametrize("weights", [[[0.5, 0.5]], [[-1, 2]], [[2, 1]]])
def test_weights_that_are_no_draws_are_refused(weights):
    with pytest.raises(DataError, match="whole numbers of draws"):
        replicate_sums(weights, [[1.0], [2.0]])


def test_weights_of_other_clusters_are_refused():
    with pytest.raises(DataError, match="one column of weights a cluster"):
        replicate_sums([[1, 1, 1]], [[1.0], [2.0]])


@pytest.mark.parametrize(
    "change", [{"seed": -1}, {"block": -1}, {"n_clusters": 0}, {"block_size": 0}, {"strata": [2, 2]}]
)
def test_bad_numbers_are_refused(change):
    with pytest.raises(DataError):
        cluster_weights(**({"seed": 1, "block": 0, "n_clusters": 5} | change))


def test_prepared_sums_give_the_same_bytes():
    sums = np.random.default_rng(3).random((30, 4, 5))
    weights = cluster_weights(1, 0, 30)
    assert replicate_sums(weights, prepare_sums(sums)).tobytes() == replicate_sums(weights, sums).tobytes()
