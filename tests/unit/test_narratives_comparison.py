"""The report over several models: a row a model, and the median."""

from dataclasses import replace
from typing import Any

from raylib.report.page import render
from raylib.report.sections import DataTable, Figure, Folded, Section, Warning
from raylib.studies.base import ReportInput, StudyOptions
from raylib.studies.narratives.comparison import comparison_sections, tables_by_model
from tests.report_support import estimate, header, report_input, table, without_number

OPTIONS = StudyOptions("narratives", {}, 2000)


def inputs(**models: list[dict[str, Any]]) -> list[ReportInput]:
    return [replace(report_input(table(rows)), model=name) for name, rows in models.items()]


def tables(made: list[Section]) -> list[DataTable]:
    return [
        table for section in made for block in section.blocks if isinstance(block, Folded) for table in block.tables
    ]


def test_each_group_has_a_row_a_model_with_its_intervals_and_the_median() -> None:
    made = tables_by_model(
        inputs(
            a=[estimate("White", estimate=0.5)],
            b=[estimate("White", estimate=4.0)],
            c=[estimate("White", estimate=1.0)],
        ),
    )
    (found,) = tables(made)
    assert (found.title, found.columns[0], found.groups) == ("Labor, power-neutral", "Model", (("Race: White", 4),))
    assert [row[:3] for row in found.rows] == [
        ("a", "0.500 [1.31, 1.76]", "[1.10, 2.04]"),
        ("b", "4.00 [1.31, 1.76]", "[1.10, 2.04]"),
        ("c", "1.00 [1.31, 1.76]", "[1.10, 2.04]"),
        ("Median of 3 models", "1.00", ""),
    ]


def test_the_median_of_an_even_number_is_the_mean_of_the_middle_two() -> None:
    (found,) = tables(tables_by_model(inputs(a=[estimate("F", estimate=1.0)], b=[estimate("F", estimate=2.0)])))
    assert found.rows[-1][:2] == ("Median of 2 models", "1.50")


def test_a_model_without_a_number_says_why_and_is_in_no_median() -> None:
    rows = inputs(a=[estimate("White", estimate=3.0)], b=[without_number("White", "no data")])
    (found,) = tables(tables_by_model(rows))
    assert [row[:2] for row in found.rows[1:]] == [("b", "no data"), ("Median of 1 model", "3.00")]
    rows = inputs(a=[without_number("MENA", "not modelled")], b=[without_number("MENA", "not modelled")])
    (found,) = tables(tables_by_model(rows))
    assert found.rows[-1][:2] == ("Median of 0 models", "no data")


def test_a_cell_that_only_one_model_has_stands_for_it_alone() -> None:
    rows = inputs(a=[estimate("F")], b=[estimate("F"), estimate("F", "Love/romantic partner")])
    assert [found.groups for found in tables(tables_by_model(rows))] == [
        (("Race: F", 3),),
        (("Race: F", 2),),
    ]


def test_subordination_has_its_own_section_without_cohens_d() -> None:
    rows = [estimate("White"), estimate("White", "Labor", statistic="R_sub", cohen_d=None)]
    made = tables_by_model(inputs(a=rows, b=rows))
    assert [section.title for section in made] == [
        "Who appears: representation by model",
        "Who holds power: subordination by model",
    ]
    assert [len(found.columns) for found in tables(made)] == [9, 8]


def test_tables_are_folded_and_say_how_many_ratios_they_hold() -> None:
    rows = [estimate("F"), estimate("M")]
    (section,) = tables_by_model(inputs(a=rows, b=rows))
    (fold,) = (block for block in section.blocks if isinstance(block, Folded))
    assert (fold.title, fold.summary) == ("Labor, power-neutral", "2 ratios of 2 models")


def test_models_without_estimates_have_a_report_and_a_hostile_name_stays_text() -> None:
    (section,) = tables_by_model(inputs(a=[], b=[]))
    assert isinstance(section.blocks[0], Warning)
    page = render("t", header(), tables_by_model(inputs(**{"<script>": [estimate("F")]})))
    assert "<script" not in page


def test_the_report_shows_the_papers_figures_before_the_tables() -> None:
    rows = [estimate("White"), estimate("F", axis="gender")]
    made = comparison_sections(OPTIONS, inputs(a=rows, b=rows))
    titles = [section.title for section in made]
    assert titles[0] == "Who appears: representation"
    assert titles[-1] == "Who appears: representation by model"
    assert len(set(titles)) == len(titles)
    assert any(isinstance(block, Figure) for block in made[0].blocks)
    assert "Median of 2 models" in render("t", header(), made)
