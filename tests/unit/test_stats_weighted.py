"""Weighted statistics by hand and against statsmodels."""

import numpy as np
import pytest

from raylib.errors import DataError
from raylib.stats.weighted import (
    effective_sample_size,
    stratified_mean,
    weighted_mean,
    weighted_quantile,
    weighted_variance,
)


def test_mean_and_variance_equal_statsmodels():
    weightstats = pytest.importorskip("statsmodels.stats.weightstats")
    rng = np.random.default_rng(1)
    values, weights = rng.normal(size=50), rng.random(50)
    expected = weightstats.DescrStatsW(values, weights=weights, ddof=0)
    assert weighted_mean(values, weights) == pytest.approx(expected.mean)
    assert weighted_variance(values, weights) == pytest.approx(expected.var)


def test_whole_weights_repeat_values():
    values, weights = np.array([1.0, 5.0, 7.0]), np.array([3, 1, 2])
    repeated = np.repeat(values, weights)
    assert weighted_mean(values, weights) == pytest.approx(repeated.mean())
    assert weighted_variance(values, weights) == pytest.approx(repeated.var())
    assert weighted_quantile(values, weights, [0.0, 0.5, 0.51, 1.0]).tolist() == [1, 1, 5, 7]


def test_quantile_ignores_values_without_weight():
    assert float(weighted_quantile([1.0, 2.0, 3.0], [0.0, 1.0, 0.0], 0.0)) == 2.0


def test_effective_sample_size_by_hand():
    assert effective_sample_size([2, 2, 2]) == pytest.approx(3.0)
    assert effective_sample_size([0, 5, 0]) == pytest.approx(1.0)
    assert effective_sample_size([1, 3]) == pytest.approx(1.6)


def test_plain_and_pooled_means_of_axes():
    means = [0.1, 0.4]
    assert float(stratified_mean(means, [1, 1])) == pytest.approx(0.25)
    assert float(stratified_mean(means, [1008, 1848])) == pytest.approx((0.1 * 1008 + 0.4 * 1848) / 2856)


def test_means_over_strata_keep_the_axes_before():
    assert stratified_mean(np.ones((7, 3, 2)), [1, 2]).shape == (7, 3)


@pytest.mark.parametrize(
    ("values", "weights", "message"),
    [
        ([], [], "at least one"),
        ([1.0], [0.0], "all weights are 0"),
        ([1.0, np.nan], [1, 1], "values is nan at index 1"),
        ([1.0, 2.0], [1, -1], "cannot be negative"),
        ([1.0, 2.0], [1], "one weight a value"),
    ],
)
def test_bad_input_is_refused(values, weights, message):
    with pytest.raises(DataError, match=message):
        weighted_mean(values, weights)


@pytest.mark.parametrize("scale", [1e-320, 1e-200, 1e200, 8e307])
def test_the_scale_of_the_weights_does_not_matter(scale):
    weights = np.array([1.0, 1.0, 2.0]) * scale
    values = [1.0, 3.0, 4.0]
    assert weighted_mean(values, weights) == pytest.approx(3.0)
    assert weighted_variance(values, weights) == pytest.approx(1.5)
    assert weighted_quantile(values, weights, [0.25, 0.5, 1.0]).tolist() == [1, 3, 4]
    assert effective_sample_size(weights) == pytest.approx(16 / 6)
    assert float(stratified_mean(values, weights)) == pytest.approx(3.0)
