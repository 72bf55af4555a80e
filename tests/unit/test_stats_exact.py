"""Sums on a grid: no order of additions changes a byte."""

import numpy as np
import pytest

from raylib.errors import DataError
from raylib.stats.exact import LIKELIHOOD_STEP, on_grid, on_resampling_grid


def test_plain_float_sums_depend_on_the_order_and_grid_sums_do_not():
    rng = np.random.default_rng(0)
    likelihoods = rng.random(100_000)
    orders = [rng.permutation(len(likelihoods)) for _ in range(5)]
    plain = {float(np.cumsum(likelihoods[o])[-1]) for o in orders}
    gridded = on_grid(likelihoods, LIKELIHOOD_STEP)
    assert len(plain) > 1
    assert len({float(np.cumsum(gridded[o])[-1]) for o in orders}) == 1


def test_likelihoods_move_by_less_than_half_a_step():
    values = np.random.default_rng(1).random(1000)
    assert np.abs(on_grid(values, LIKELIHOOD_STEP) - values).max() <= LIKELIHOOD_STEP / 2


def test_whole_counts_do_not_move():
    counts = np.random.default_rng(2).integers(0, 10**9, (500, 3)).astype(float)
    np.testing.assert_array_equal(on_resampling_grid(counts), counts)


def test_fractional_sums_move_by_less_than_the_documented_error():
    sums = np.random.default_rng(3).gamma(1.0, 100.0, (500, 20))
    moved = np.abs(on_resampling_grid(sums) - sums).max(axis=0)
    assert (moved <= 500 * 2.0**-52 * sums.max(axis=0)).all()
    assert moved.max() > 0


def test_each_column_has_its_own_step():
    large, small = np.array([[1e12], [3e11]]), np.array([[0.1], [0.7]])
    together = on_resampling_grid(np.hstack([large, small]))
    np.testing.assert_array_equal(together[:, 1:], on_resampling_grid(small))


def test_zeros_stay_zeros():
    np.testing.assert_array_equal(on_resampling_grid(np.zeros((4, 2))), np.zeros((4, 2)))


def test_step_must_be_a_power_of_two():
    with pytest.raises(DataError, match="power of two"):
        on_grid([0.5], 0.1)


def test_nan_names_its_index():
    with pytest.raises(DataError, match="values is nan at index 1"):
        on_grid([0.5, np.nan], 0.5)


def test_value_beyond_the_grid_is_refused():
    with pytest.raises(DataError, match="larger step"):
        on_grid([1e30], 2.0**-32)
