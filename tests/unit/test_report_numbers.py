"""How numbers are written: digits, intervals, probabilities, and what is not known."""

import math

import pytest

from raylib.errors import DataError
from raylib.report import numbers


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.034539, "1.03"),
        (1.0, "1.00"),
        (0.5, "0.500"),
        (0.0412, "0.0412"),
        (18.44, "18.4"),
        (184.41, "184"),
        (1308.6, "1,309"),
        (27420716.0, "27,420,716"),
        (0.9996, "1.00"),
        (9.996, "10.0"),
        (99.96, "100"),
        (0.0001, "0.000100"),
        (0.000041, "4.10e-05"),
        (-1.337, "−1.34"),
        (0.0, "0"),
        (-0.0, "0"),
    ],
)
def test_a_number_has_three_significant_digits_and_all_before_the_point(value: float, text: str) -> None:
    assert numbers.number(value) == text


@pytest.mark.parametrize("value", [None, math.nan, math.inf, -math.inf])
def test_what_is_not_known_is_said_in_words(value: float | None) -> None:
    assert numbers.number(value) == "unknown"
    assert numbers.percent(value) == "unknown"
    assert numbers.count(value) == "unknown"
    assert numbers.with_interval(value, 1.0, 2.0) == "unknown"
    assert numbers.interval(value, 2.0) == "no interval"
    assert numbers.interval(1.0, value) == "no interval"


def test_an_estimate_stands_with_its_interval() -> None:
    assert numbers.with_interval(1.52, 1.31, 1.76) == "1.52 [1.31, 1.76]"


def test_the_papers_small_ratio_keeps_its_lower_end() -> None:
    assert numbers.with_interval(0.0425, 0.00751, 0.2405) == "0.0425 [0.00751, 0.240]"


def test_an_estimate_without_interval_says_so() -> None:
    assert numbers.with_interval(1.52, None, None) == "1.52 (no interval)"


def test_a_bootstrap_whose_replicates_all_agree_is_no_interval() -> None:
    assert numbers.bootstrap_interval(0.0, 0.0) == "no interval"
    assert numbers.bootstrap_interval(None, None) == "no interval"
    assert numbers.bootstrap_interval(0.0, 1.2) == "[0, 1.20]"


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (0.0, "< 1e-300"),
        (1e-300, "< 1e-300"),
        (2.635083e-56, "< .001"),
        (0.000999, "< .001"),
        (0.001, ".001"),
        (0.562, ".562"),
        (0.0126, ".013"),
        (0.9994, ".999"),
        (1.0, "> .999"),
        (None, "unknown"),
        (math.nan, "unknown"),
    ],
)
def test_a_p_value_is_written_as_in_the_paper_and_never_as_zero(p: float | None, text: str) -> None:
    assert numbers.p_value(p) == text


@pytest.mark.parametrize("p", [-0.01, 1.01, math.inf])
def test_what_is_no_probability_is_refused(p: float) -> None:
    with pytest.raises(DataError, match="between 0 and 1"):
        numbers.p_value(p)


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.71, "71.0%"),
        (0.0379, "3.79%"),
        (0.004, "0.40%"),
        (0.00003, "< 0.01%"),
        (0.0, "0%"),
        (1.0, "100%"),
        (0.99999, "> 99.99%"),
        (0.9997, "99.97%"),
        (0.0999, "9.99%"),
        (0.09996, "10.0%"),
    ],
)
def test_a_share_is_never_rounded_to_nothing_or_all(share: float, text: str) -> None:
    assert numbers.percent(share) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(1204.0, "1,204"), (23.44, "23.4"), (1204.26, "1,204.3"), (0.04, "< 0.1"), (0.0, "0"), (0.06, "0.1")],
)
def test_a_fractional_count_has_one_decimal(value: float, text: str) -> None:
    assert numbers.count(value) == text


def test_counts_have_thousands_separators() -> None:
    assert numbers.integer(27_420_716) == "27,420,716"
    assert numbers.integer(None) == "unknown"
