"""The study's sections of the report."""

from dataclasses import replace

import pytest

from raylib.report.page import render
from raylib.report.sections import DataTable, Excerpts, Figure, Folded, Points, Section, Warning
from raylib.studies.base import StudyOptions
from raylib.studies.narratives.figures import cell_title, sections
from tests.report_support import (
    NOT_MODELLED,
    estimate,
    header,
    report_input,
    stories,
    study_estimates,
    table,
    without_number,
)

OPTIONS = StudyOptions("narratives", {}, 2000)


def blocks(made: list[Section], kind: type) -> list[object]:
    every = [block for section in made for block in section.blocks]
    every += [table for block in every if isinstance(block, Folded) for table in block.tables]
    return [block for block in every if isinstance(block, kind)]


def warnings(made: list[Section]) -> str:
    return " ".join(block.text for block in blocks(made, Warning))  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def made() -> list[Section]:
    return sections(OPTIONS, report_input(study_estimates()))


def test_the_report_has_two_figures_each_for_desktop_and_phone(made: list[Section]) -> None:
    figures = blocks(made, Figure)
    assert [figure.title.split(" in ")[0] for figure in figures] == [  # type: ignore[attr-defined]
        "Representation ratios",
        "Likelihood of race and gender",
    ]
    assert all(figure.png and figure.narrow_png for figure in figures)  # type: ignore[attr-defined]


def test_a_race_without_a_source_is_never_a_number(made: list[Section]) -> None:
    rows = [row for block in blocks(made, DataTable) for row in block.rows if row[0] in NOT_MODELLED]  # type: ignore[attr-defined]
    assert len(rows) == 6
    assert {row[1:] for row in rows} == {("not modelled", "", "", "", "", "", "", "")}
    for figure in blocks(made, Figure):
        assert figure.alt.count("MENA not modelled") == 3  # type: ignore[attr-defined]


def test_the_alternative_text_says_the_ratios(made: list[Section]) -> None:
    forest, _ = blocks(made, Figure)
    assert "Labor: White 0.250, Latine 0.500, Black 0.750" in forest.alt  # type: ignore[attr-defined]


def test_the_number_of_comparisons_is_counted(made: list[Section]) -> None:
    # 3 cells x (5 races + 3 genders); p < .001 for Asian and AI/AN in each
    (points,) = blocks(made, Points)
    said = dict(points.items)  # type: ignore[attr-defined]
    assert said["Many comparisons."].startswith("This report makes 24 comparisons; 6 have p\u00a0<\u00a0.001.")


def test_the_bases_of_the_numbers_are_told(made: list[Section]) -> None:
    (points,) = blocks(made, Points)
    assert [lead for lead, _ in points.items] == [  # type: ignore[attr-defined]
        "Names are a proxy.", "Fractions, not people.", "Three lists of words.", "Two kinds of interval.",
        "Many comparisons.", "Extraction errs.",
    ]  # fmt: skip


def test_a_missing_bootstrap_interval_is_told() -> None:
    rows = [estimate("F", axis="gender", boot_low=None, boot_high=None), estimate("M", axis="gender")]
    assert "1 of 2 ratios has no bootstrap interval" in warnings(sections(OPTIONS, report_input(table(rows))))


def test_few_prompts_are_told() -> None:
    rows = [estimate("F", axis="gender", clusters=4)]
    assert "rest on 4 prompts only" in warnings(sections(OPTIONS, report_input(table(rows))))


def test_enough_prompts_and_all_intervals_need_no_warning(made: list[Section]) -> None:
    assert warnings(made[:1]) == ""  # of the ratios; other sections may have theirs


def test_without_any_number_there_is_a_reason_and_no_figure() -> None:
    rows = [without_number("White", "no data"), without_number("MENA", "not modelled")]
    made = sections(OPTIONS, report_input(table(rows)))
    assert blocks(made, Figure) == []
    assert "No character of a power-neutral story could be counted" in warnings(made)
    assert "no data" in render("t", header(), made)


def test_an_empty_table_of_estimates_has_a_report() -> None:
    made = sections(OPTIONS, report_input(table([])))
    assert "There are no estimates in this run." in warnings(made)


def test_pooled_cells_are_in_the_heat_map_and_not_among_the_panels() -> None:
    rows = [estimate("White"), estimate("White", "all/power-neutral", estimate=0.111)]
    forest, heat = blocks(sections(OPTIONS, report_input(table(rows))), Figure)
    assert "All" not in forest.alt  # type: ignore[attr-defined]
    assert "All: White 29.0%" in heat.alt  # type: ignore[attr-defined]


def test_subordination_has_its_own_section_and_tables() -> None:
    rows = [estimate("White"), estimate("White", "Labor/power-laden", statistic="R_sub", cohen_d=None)]
    made = sections(OPTIONS, report_input(table(rows)))
    assert made[1].title == "Who holds power: subordination"
    last = blocks(made, DataTable)[-1]
    assert last.title == "Labor, power-laden: subordination"  # type: ignore[attr-defined]
    assert "Subordinate vs dominant share" in last.columns  # type: ignore[attr-defined]


def test_couples_have_a_figure() -> None:
    rows = [estimate("White"), estimate("F-M", "Love/romantic partner", "pair")]
    titles = [figure.title for figure in blocks(sections(OPTIONS, report_input(table(rows))), Figure)]  # type: ignore[attr-defined]
    assert titles[-2:] == [
        "Couples by gender in romantic stories of tiny",
        "Likelihood of couples by gender in romantic stories of tiny",
    ]


def test_stories_lead_back_to_their_samples_with_what_was_read() -> None:
    (block,) = blocks(sections(OPTIONS, report_input(texts=("Sarah ran.",))), Excerpts)
    (item,) = block.items  # type: ignore[attr-defined]
    assert item.sample_id == "0" * 24
    assert item.labels == (
        ("Prompt", "labor.actor.neutral-0"), ("Status", "ok"), ("Subject", "Sarah; F; she, her"),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a" * 400, "a" * 400), ("a" * 401, "a" * 400 + " […]"), ("", "[empty text]"), (None, "[no text: ok]")],
)
def test_a_story_is_cut_and_a_missing_one_is_told(text: str | None, shown: str) -> None:
    (block,) = blocks(sections(OPTIONS, report_input(texts=(text,))), Excerpts)
    assert block.items[0].text == shown  # type: ignore[attr-defined]


def test_at_most_twelve_stories_are_shown_from_the_whole_run() -> None:
    (block,) = blocks(sections(OPTIONS, report_input(texts=[f"story {place}" for place in range(30)])), Excerpts)
    assert [item.text for item in block.items] == [f"story {place}" for place in range(0, 30, 3)]  # type: ignore[attr-defined]


def test_a_hostile_story_stays_text() -> None:
    page = render("t", header(), sections(OPTIONS, report_input(texts=("<script>alert(1)</script>\u202etxt",))))
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;[U+202E]txt" in page


def test_hostile_names_stay_text() -> None:
    data = report_input()
    hostile = stories(["x"], subject_name='<img src=x onerror="alert(1)">', notes="</dl><script>")
    page = render("t", header(), sections(OPTIONS, replace(data, annotations=hostile)))
    assert "<img src=x" not in page
    assert "<script" not in page


def test_no_page_says_nan_or_none(made: list[Section]) -> None:
    words = render("t", header(), made).split("<main>")[1].lower()
    assert ">nan<" not in words
    assert "none" not in words


def test_cells_have_titles_for_readers() -> None:
    assert cell_title("Labor/power-neutral") == "Labor, power-neutral"
    assert cell_title("all/power-laden") == "All domains, power-laden"
    assert cell_title("Love") == "Love"
