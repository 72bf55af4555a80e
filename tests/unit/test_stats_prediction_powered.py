"""PPI++ against ppi_py and by simulation: the judge's bias is removed, the interval covers and is narrower."""

import math

import numpy as np
import pytest

from raylib.errors import DataError
from raylib.stats.prediction_powered import Labelled, ppi_difference, ppi_mean


def _sample(rng, n=200, rest=5000, mean=0.4, bias=0.15):
    """A judge with errors and a bias: human label, the judge on the labelled, the judge on the others."""
    truth = (rng.random(n + rest) < mean).astype(float)
    judge = truth * 0.8 + bias + rng.normal(0, 0.15, n + rest)
    return Labelled(truth[:n], judge[:n], judge[n:])


@pytest.mark.parametrize("tuning", [0.0, 0.5, 1.0])
def test_fixed_tuning_equals_ppi_py(tuning):
    package = pytest.importorskip("ppi_py")
    sample = _sample(np.random.default_rng(1))
    low, high = package.ppi_mean_ci(*sample[:3], alpha=0.05, lam=tuning)
    result = ppi_mean(sample, tuning=tuning)
    assert result.estimate == pytest.approx(float(np.squeeze(package.ppi_mean_pointestimate(*sample[:3], lam=tuning))))
    assert (result.low, result.high) == pytest.approx((float(low[0]), float(high[0])))


def test_tuned_estimate_is_close_to_ppi_py():
    # ppi_py pools the variance of both sets of predictions; the two lambdas differ by sampling error only.
    package = pytest.importorskip("ppi_py")
    sample = _sample(np.random.default_rng(2), n=1000, rest=20_000)
    low, high = package.ppi_mean_ci(*sample[:3], alpha=0.05)
    result = ppi_mean(sample)
    assert (result.low, result.high) == pytest.approx(
        (float(low[0]), float(high[0])), abs=0.05 * float(high[0] - low[0])
    )


def test_tuning_minimises_the_standard_error():
    sample = _sample(np.random.default_rng(3))
    best = ppi_mean(sample)
    others = [ppi_mean(sample, tuning=t).standard_error for t in np.linspace(0, 1, 101)]
    assert best.standard_error <= min(others) + 1e-12


def test_no_tuning_is_the_mean_of_the_human_labels():
    sample = _sample(np.random.default_rng(4))
    labels = np.asarray(sample.labels)
    result = ppi_mean(sample, tuning=0.0)
    assert result.estimate == pytest.approx(labels.mean())
    assert result.standard_error == pytest.approx(labels.std() / math.sqrt(len(labels)))


def test_constant_judge_adds_nothing():
    labels = [1.0, 0.0, 1.0, 1.0]
    result = ppi_mean(Labelled(labels, [2.0] * 4, [2.0] * 50))
    assert (result.estimate, result.tuning) == (0.75, 0.0)


def test_each_item_its_own_cluster_changes_the_quantile_and_a_factor_only():
    sample = _sample(np.random.default_rng(5), n=100, rest=900)
    alone = ppi_mean(sample, tuning=0.7)
    clustered = ppi_mean(
        sample._replace(labelled_clusters=np.arange(100), unlabelled_clusters=np.arange(100, 1000)), tuning=0.7
    )
    assert clustered.estimate == alone.estimate
    assert clustered.standard_error == pytest.approx(alone.standard_error * math.sqrt(1000 / 999))


def test_interval_covers_and_is_narrower_than_the_labels_alone():
    rng = np.random.default_rng(6)
    results = [ppi_mean(_sample(rng, n=150, rest=2000)) for _ in range(1000)]
    covered = np.mean([r.low <= 0.4 <= r.high for r in results])
    # Standard error of a coverage of 95% over 1,000 data sets: 0.7 points.
    assert abs(covered - 0.95) < 3 * 0.007
    assert abs(np.mean([r.estimate for r in results]) - 0.4) < 4 * np.std([r.estimate for r in results]) / math.sqrt(
        1000
    )
    assert np.mean([r.high - r.low for r in results]) < 0.7 * 2 * 1.96 * math.sqrt(0.24 / 150)


def _clustered(rng, p, clusters=40, labelled=5, rest=45):
    """Clusters with their own mean; some items of every cluster have a human label."""
    mean = np.clip(p + rng.normal(0, 0.15, clusters), 0, 1)
    truth = (rng.random((clusters, labelled + rest)) < mean[:, None]).astype(float)
    judge = np.where(rng.random(truth.shape) < 0.85, truth, 1 - truth)
    name = np.broadcast_to(np.arange(clusters)[:, None], truth.shape)
    near, far = slice(None, labelled), slice(labelled, None)
    return Labelled(
        truth[:, near].ravel(),
        judge[:, near].ravel(),
        judge[:, far].ravel(),
        name[:, near].ravel(),
        name[:, far].ravel(),
    )


def test_interval_by_cluster_covers_where_the_plain_one_does_not():
    rng = np.random.default_rng(7)
    plain, clustered = [], []
    for _ in range(600):
        sample = _clustered(rng, 0.5)
        plain.append(ppi_mean(sample._replace(labelled_clusters=None, unlabelled_clusters=None)))
        clustered.append(ppi_mean(sample))
    by_items, by_clusters = (np.mean([r.low <= 0.5 <= r.high for r in results]) for results in (plain, clustered))
    assert by_items < 0.92
    assert abs(by_clusters - 0.95) < 3 * 0.009


def test_difference_adds_variances_of_independent_samples():
    rng = np.random.default_rng(8)
    first, second = _sample(rng, mean=0.5), _sample(rng, mean=0.3)
    left, right, result = ppi_mean(first), ppi_mean(second), ppi_difference(first, second)
    assert result.estimate == pytest.approx(left.estimate - right.estimate)
    assert result.standard_error == pytest.approx(math.hypot(left.standard_error, right.standard_error))


def test_difference_within_shared_clusters_is_narrower():
    # The same clusters push both samples the same way: what they share cancels in the difference.
    rng = np.random.default_rng(9)
    sample = _clustered(rng, 0.5)
    shared = ppi_difference(sample, sample)
    apart = ppi_difference(
        sample,
        sample._replace(
            labelled_clusters=np.asarray(sample.labelled_clusters) + 1000,
            unlabelled_clusters=np.asarray(sample.unlabelled_clusters) + 1000,
        ),
    )
    assert shared.standard_error == pytest.approx(0.0, abs=1e-12)
    assert apart.standard_error > 0.01


def test_one_label_has_no_interval():
    result = ppi_mean(Labelled([1.0], [0.5], [0.5, 0.7]))
    assert result.estimate == 1.0
    assert math.isnan(result.standard_error)
    assert math.isnan(result.low)


@pytest.mark.parametrize(
    ("sample", "message"),
    [
        (Labelled([1.0, math.nan], [1.0, 1.0], [1.0]), "labels is nan at index 1"),
        (Labelled([1.0], [1.0, 2.0], [1.0]), "one prediction a label"),
        (Labelled([], [], [1.0]), "at least one item each"),
        (Labelled([1.0], [1.0], []), "at least one item each"),
        (Labelled([1.0, 0.0], [1.0, 1.0], [1.0], [1, 2], None), "or for none"),
    ],
)
def test_bad_samples_are_refused(sample, message):
    with pytest.raises(DataError, match=message):
        ppi_mean(sample)


def test_tuning_outside_its_range_is_refused():
    with pytest.raises(DataError, match=r"lies in \[0, 1\]"):
        ppi_mean(Labelled([1.0, 0.0], [1.0, 0.5], [1.0]), tuning=1.5)


def test_clusters_for_one_sample_of_two_are_refused():
    rng = np.random.default_rng(10)
    with pytest.raises(DataError, match="both or for neither"):
        ppi_difference(_clustered(rng, 0.5), _sample(rng))


@pytest.mark.parametrize("unknown", [None, float("nan")])
def test_items_of_an_unknown_cluster_are_refused(unknown):
    for near, far, name in ((["a", unknown], ["a", "b"], "labelled"), (["a", "b"], ["a", unknown], "unlabelled")):
        with pytest.raises(DataError, match=f"{name}_clusters is unknown at index 1"):
            ppi_mean(Labelled([1, 0], [1, 0], [1, 1], near, far))


def test_names_of_clusters_may_be_texts_or_numbers():
    named = Labelled([1, 0, 1], [1, 0, 0], [1, 1, 0], ["a", "a", "b"], ["b", "c", "c"])
    numbered = Labelled([1, 0, 1], [1, 0, 0], [1, 1, 0], [1, 1, 2], np.array([2, 3, 3]))
    assert ppi_mean(named) == ppi_mean(numbered)
    assert ppi_difference(named, named) == ppi_difference(numbered, numbered)
    with pytest.raises(DataError, match="mixes kinds of names"):
        ppi_mean(numbered._replace(unlabelled_clusters=["b", "c", "c"]))
