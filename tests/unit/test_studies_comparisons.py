"""q-values: Benjamini-Hochberg over all p-values of a table, worked by hand."""

import pytest

from raylib.studies.comparisons import number_of_comparisons, with_q_values
from tests.report_support import estimate, table, without_number


def test_q_values_are_adjusted_for_all_comparisons_of_the_table() -> None:
    rows = [estimate(str(p), p_value=p, q_value=None) for p in (0.01, 0.04, 0.03)]
    given = table([*rows, without_number("MENA", "not modelled")])
    adjusted = with_q_values(given)
    # p * m / rank with m = 3, made monotone from the largest: .01 * 3, min(.03 * 3 / 2, .04), .04
    assert adjusted["q_value"].to_pylist()[:3] == pytest.approx([0.03, 0.04, 0.04])
    assert adjusted["q_value"].to_pylist()[3] is None
    assert adjusted.schema == given.schema
    assert number_of_comparisons(given) == 3


def test_a_table_without_p_values_makes_no_comparison() -> None:
    empty = table([without_number("MENA", "not modelled")])
    assert with_q_values(empty)["q_value"].to_pylist() == [None]
    assert number_of_comparisons(empty) == 0
