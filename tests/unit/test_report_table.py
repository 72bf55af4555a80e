"""Estimates as tables."""

from raylib.report.table import Headings, estimate_rows, estimate_tables, estimate_texts
from tests.report_support import CELLS, estimate, study_estimates, table, without_number


def test_a_row_holds_ratio_intervals_shares_counts_and_tests() -> None:
    assert estimate_texts(estimate("Latine")) == (
        "Latine", "1.52 [1.31, 1.76]", "[1.10, 2.04]", "29.0% vs 19.1%", "18.4 / 1,204", "15", ".012", ".024",
        "−0.218",
    )  # fmt: skip


def test_a_status_stands_in_the_place_of_the_numbers() -> None:
    for status in ("not modelled", "no data"):
        assert estimate_texts(without_number("MENA", status)) == ("MENA", status, "", "", "", "", "", "", "")


def test_a_missing_bootstrap_interval_is_said() -> None:
    texts = estimate_texts(estimate("F", boot_low=None, boot_high=None))
    assert texts[1:3] == ("1.52 [1.31, 1.76]", "no interval")


def test_there_is_one_table_a_cell_with_a_heading_for_each_axis() -> None:
    tables = estimate_tables(estimate_rows(study_estimates(), "R_rep"), Headings(), str.upper)
    assert [made.title for made in tables] == [cell.upper() for cell in CELLS]
    assert tables[0].groups == (("Race", 7), ("Gender", 3))
    assert [row[0] for row in tables[0].rows][:2] == ["White", "Latine"]


def test_rows_of_an_axis_come_together_even_where_they_lay_apart() -> None:
    rows = [estimate("White"), estimate("F", axis="gender"), estimate("Black")]
    (made,) = estimate_tables(rows, Headings())
    assert [row[0] for row in made.rows] == ["White", "Black", "F"]
    assert made.groups == (("Race", 2), ("Gender", 1))


def test_only_the_rows_of_the_statistic_are_taken() -> None:
    both = table([estimate("F"), estimate("F", statistic="R_sub")])
    assert [row["statistic"] for row in estimate_rows(both, "R_sub")] == ["R_sub"]


def test_a_statistic_without_effect_size_has_no_column_for_it() -> None:
    (made,) = estimate_tables([estimate("F", cohen_d=None), estimate("M", cohen_d=None)], Headings())
    assert Headings().cohen_d not in made.columns
    assert {len(row) for row in made.rows} == {len(made.columns)}


def test_a_note_is_said_once_with_the_groups_that_it_is_about() -> None:
    rows = [estimate("White"), *(without_number(race, "not modelled", note="no column") for race in ("MENA", "NH/PI"))]
    (made,) = estimate_tables(rows, Headings())
    assert made.notes == ("MENA, NH/PI: no column",)


def test_a_note_about_every_number_names_no_group_and_underflow_is_left_to_the_p_column() -> None:
    rows = [estimate("F", note="both roles"), estimate("M", note="p < 1e-300; both roles", p_value=1e-300)]
    (made,) = estimate_tables(rows, Headings())
    assert made.notes == ("Both roles",)
    assert made.rows[1][6] == "< 1e-300"
