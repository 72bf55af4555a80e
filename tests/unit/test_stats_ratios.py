"""The numbers that the narratives paper prints, from the counts behind them."""

import math

import numpy as np
import pytest

from raylib.errors import DataError
from raylib.stats.intervals import katz_log_ratio, wilson
from raylib.stats.p_values import format_p_value, log10_p_value_from_interval, p_value_from_interval
from raylib.stats.ratios import cohen_d_share, representation_ratio, smoothed_ratio, subordination_ratio


@pytest.mark.parametrize(
    ("count", "n", "ratio", "p_value"),
    [
        (5886, 6027, 1.034539, 2.635083e-56),  # ChatGPT 3.5, F-M pairs
        (3408, 3508, 1.029125, 6.270189e-21),  # Llama 2
        (5932, 5988, 1.049415, 2.094707e-262),  # PaLM 2
    ],
)
def test_published_ratios_of_mixed_gender_pairs(count, n, ratio, p_value):
    result = representation_ratio(count, n, 0.944)
    assert float(result.ratio) == pytest.approx(ratio, abs=5e-7)
    assert float(result.p_value) == pytest.approx(p_value, rel=5e-7)


@pytest.mark.parametrize(
    ("count", "n", "baseline", "ratio", "low", "high", "d"),
    [
        (1, 3508, 0.0067, 0.04, 0.008, 0.241, -0.380),  # NB-NB
        (54, 11055, 0.0175, 0.28, 0.214, 0.364, -0.181),  # F-F
    ],
)
def test_published_intervals_and_effect_sizes_of_pairs(count, n, baseline, ratio, low, high, d):
    result = representation_ratio(count, n, baseline)
    assert float(result.ratio) == pytest.approx(ratio, abs=0.005)
    assert float(result.low) == pytest.approx(low, abs=5e-4)
    assert float(result.high) == pytest.approx(high, abs=5e-4)
    assert float(result.cohen_d) == pytest.approx(d, abs=5e-4)


def test_published_p_value_of_a_ratio_interval():
    low, high = math.log(0.496), math.log(1.453)
    assert float(p_value_from_interval((low + high) / 2, low, high)) == pytest.approx(0.562, abs=5e-4)


@pytest.mark.parametrize(("part", "whole", "percent"), [(9483, 14282, 66.4), (31, 32, 96.9), (104, 120, 86.67)])
def test_published_percentages(part, whole, percent):
    assert float(representation_ratio(part, whole, 1.0).share) * 100 == pytest.approx(percent, abs=0.05)


def test_raw_count_ratio_of_juan():
    assert float(smoothed_ratio(*map(np.float64, (3135, 10_000, 17, 10_000)))) == pytest.approx(184.41, abs=0.005)


def test_both_numerators_zero_give_ratio_one():
    # Standard error: 1 is added to all four, so sqrt(1 - 1/101 + 1 - 1/201).
    result = subordination_ratio(0, 100, 0, 200)
    half = 1.96 * math.sqrt(1 - 1 / 101 + 1 - 1 / 201)
    assert float(result.ratio) == 1.0
    assert float(result.low) == pytest.approx(math.exp(-half))
    assert float(result.high) == pytest.approx(math.exp(half))
    assert float(result.p_value) == 1.0


def test_one_zero_numerator_adds_one_to_all_four():
    # (5 + 1) / (100 + 1) over (0 + 1) / (50 + 1) = 306 / 101.
    result = subordination_ratio(5, 100, 0, 50)
    assert float(result.ratio) == pytest.approx(306 / 101)
    half = 1.96 * math.sqrt(1 / 6 - 1 / 101 + 1 - 1 / 51)
    assert math.log(float(result.high) / float(result.low)) == pytest.approx(2 * half)


def test_fractional_counts_below_one_are_smoothed_by_the_larger():
    # max(x, y) = 0.5: (0.2 + 0.5) / 10.5 over (0.5 + 0.5) / 20.5.
    result = subordination_ratio(0.2, 10, 0.5, 20)
    assert float(result.ratio) == pytest.approx((0.7 / 10.5) / (1.0 / 20.5))


def test_standard_error_is_not_smoothed_where_both_counts_are_above_zero():
    # The ratio is smoothed (0.2 is below 1), the standard error is not: two rules, as in the authors' material.
    result = subordination_ratio(0.2, 10, 3, 20)
    half = 1.96 * math.sqrt(1 / 0.2 - 1 / 10 + 1 / 3 - 1 / 20)
    assert math.log(float(result.high) / float(result.ratio)) == pytest.approx(half)
    assert float(result.ratio) == pytest.approx((1.2 / 11) / (4 / 21))


def test_one_fractional_zero_uses_the_other_count_in_both():
    result = subordination_ratio(0, 10, 0.4, 20)
    half = 1.96 * math.sqrt(1 / 0.4 - 1 / 10.4 + 1 / 0.8 - 1 / 20.4)
    assert float(result.ratio) == pytest.approx((0.4 / 10.4) / (0.8 / 20.4))
    assert math.log(float(result.high) / float(result.ratio)) == pytest.approx(half)


def test_counts_of_one_or_more_are_not_smoothed():
    result = subordination_ratio(30, 100, 10, 200)
    interval = katz_log_ratio(30, 100, 10, 200)
    assert float(result.ratio) == pytest.approx(6.0)
    assert np.log(result.low) == pytest.approx(float(interval.low))
    assert np.log(result.high) == pytest.approx(float(interval.high))


def test_no_characters_in_a_role_is_unknown_not_one():
    result = subordination_ratio([0, 0, 3], [0, 0, 10], [0, 2, 0], [0, 5, 0])
    assert np.isnan(np.array(result)).all()


def test_interval_without_width_has_no_p_value():
    result = subordination_ratio(10, 10, 20, 20)
    assert float(result.low) == float(result.high) == 1.0
    assert math.isnan(float(result.p_value))


def test_no_observations_is_unknown_not_zero():
    assert np.isnan(np.array(representation_ratio(0, 0, 0.5))).all()


def test_count_of_zero_keeps_an_upper_end_and_has_no_effect_size():
    result = representation_ratio(0, 100, 0.5)
    assert float(result.ratio) == float(result.low) == 0.0
    assert float(result.high) == pytest.approx(1.96**2 / (100 + 1.96**2) / 0.5)
    assert math.isnan(float(result.cohen_d))


def test_ratios_are_vectorised_over_cells():
    cells = representation_ratio(
        [[5886, 3408], [54, 1]], [[6027, 3508], [11055, 3508]], [[0.944, 0.944], [0.0175, 0.0067]]
    )
    assert cells.ratio.shape == cells.p_value.shape == cells.cohen_d.shape == (2, 2)
    assert float(cells.ratio[1, 1]) == float(representation_ratio(1, 3508, 0.0067).ratio)


def test_smoothed_ratio_of_replicates_equals_the_reported_ratio():
    rng = np.random.default_rng(3)
    x, y = rng.gamma(0.5, 2, 500), rng.poisson(1, 500).astype(float)
    x[:100] = 0
    ratios = subordination_ratio(x, 50, y, 80).ratio
    np.testing.assert_array_equal(smoothed_ratio(x, np.float64(50), y, np.float64(80)), ratios)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, np.nan], 5, 0.5), "count is nan at index 1"),
        (([1, 7], 5, 0.5), "count is 7.0 of n 5.0 at index 1"),
        ((-1, 5, 0.5), "cannot be negative"),
        ((1, 5, 0.0), "comparison share lies in"),
        ((1, 5, np.nan), "baseline is nan"),
        ((["a"], 5, 0.5), "does not hold numbers"),
        (([1, 2], [1, 2, 3], 0.5), "must broadcast"),
    ],
)
def test_bad_input_names_what_and_where(arguments, message):
    with pytest.raises(DataError, match=message):
        representation_ratio(*arguments)


def test_effect_size_by_hand():
    # p = 0.2, p* = 0.5: -0.3 / sqrt(0.16) = -0.75.
    assert float(cohen_d_share(20, 100, 0.5)) == pytest.approx(-0.75)


def test_rounding_of_summed_likelihoods_does_not_exceed_the_total():
    total = 3.0
    assert float(wilson(np.nextafter(total, 4), total).high) == 1.0


def test_p_value_underflow_is_reported_as_a_bound():
    p = float(p_value_from_interval(1.0, 0.999, 1.001))
    assert p == 0.0
    assert format_p_value(p) == "< 1e-300"
    # z = 1 / (0.002 / 3.92) = 1960; log10 P = -(0.717 z + 0.416 z^2) / ln 10.
    assert float(log10_p_value_from_interval(1.0, 0.999, 1.001)) == pytest.approx(
        -(0.717 * 1960 + 0.416 * 1960**2) / math.log(10), rel=1e-6
    )


def test_p_values_are_printed_with_three_digits_and_blank_where_unknown():
    assert [format_p_value(p) for p in (0.03456, 2.094707e-262, 1.0, math.nan)] == ["0.0346", "2.09e-262", "1", ""]


def test_p_value_outside_its_range_is_refused():
    with pytest.raises(DataError, match="outside"):
        format_p_value(1.5)


def test_reversed_interval_is_refused():
    with pytest.raises(DataError, match="low and high in this order"):
        p_value_from_interval(1.0, 2.0, 1.0)
