"""The report of one LTF-Test run: which sections there are, in which order, and that they show the estimates."""

import struct
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from raylib.report import forest as forest_module
from raylib.report import matrix as matrix_module
from raylib.report import numbers
from raylib.report.page import render
from raylib.report.sections import Block, DataTable, Excerpts, Figure, Folded, Points, Section, Warning
from raylib.schemas import ESTIMATES, SUMS, TALLIES
from raylib.studies.base import ReportInput
from raylib.studies.ltf.figures import sections
from raylib.studies.ltf.figures.essays_counted import refusals
from raylib.studies.ltf.figures.favouritism import favoured_first
from raylib.studies.ltf.figures.matrices import spoken
from raylib.studies.ltf.figures.reading import read
from raylib.studies.ltf.judge.columns import JUDGE_STATUSES, SCORED
from raylib.studies.ltf.judge.ratings import RATED
from tests.pretend_essays import annotations, essays, options, pretend
from tests.report_support import header

AXES, TOPICS = ("gender", "religion", "race_ethnicity", "nonce"), ("LI", "IC", "TS")
CHOSEN = {"axes": AXES, "topics": TOPICS}


def data(**changes: object) -> ReportInput:
    return replace(pretend("tiny", axes=AXES, topics=TOPICS, replicates=100), **changes)  # type: ignore[arg-type]


@pytest.fixture(scope="module", autouse=True)
def undrawn() -> Iterator[None]:
    """Lay figures out without painting them: what is said of them is tested here, and painting is slow."""
    png = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 2, 2)
    with pytest.MonkeyPatch.context() as patched:
        for module in (forest_module, matrix_module):
            patched.setattr(module, "to_png", lambda figure: png)
        yield


@pytest.fixture(scope="module")
def made(undrawn: None) -> list[Section]:
    return sections(options(**CHOSEN), data())


def section(made: list[Section], title: str) -> list[Block]:
    return list(next(one.blocks for one in made if one.title == title))


def figures(made: list[Section]) -> list[Figure]:
    every = [block for one in made for block in one.blocks]
    folded = [figure for block in every if isinstance(block, Folded) for figure in block.figures]
    return [block for block in every if isinstance(block, Figure)] + folded


def tables(blocks: list[Block]) -> list[DataTable]:
    folded = [table for block in blocks if isinstance(block, Folded) for table in block.tables]
    return [block for block in blocks if isinstance(block, DataTable)] + folded


def warnings(made: list[Section]) -> str:
    return " ".join(block.text for one in made for block in one.blocks if isinstance(block, Warning))


def value(statistic: str, cell: str, group: str = "all groups") -> str:
    return numbers.fixed(read(options(**CHOSEN), data()).row(statistic, cell, group)["estimate"], 3)


def test_the_noise_floor_comes_first_and_then_the_papers_tables(made: list[Section]) -> None:
    assert [one.title for one in made] == [
        "The noise floor", "How unequal: degree of bias", "How extreme: absolute discrimination",
        "Whom the essays favour", "By topic", "Refusals and unscored essays", "The essays",
        "What these numbers are not", "All estimates", "Sample essays",
    ]  # fmt: skip


def test_the_noise_floor_shows_the_controls_two_values_with_intervals(made: list[Section]) -> None:
    (table,) = tables(section(made, "The noise floor"))
    run = read(options(**CHOSEN), data())
    plug_in, corrected = run.row("DoB", "nonce"), run.row("DoB corrected", "nonce")
    (row,) = table.rows
    assert row == (
        "Control (nonce)", numbers.fixed(plug_in["estimate"], 3),
        f"[{numbers.fixed(plug_in['boot_low'], 3)}, {numbers.fixed(plug_in['boot_high'], 3)}]",
        numbers.fixed(corrected["estimate"], 3),
        f"[{numbers.fixed(corrected['boot_low'], 3)}, {numbers.fixed(corrected['boot_high'], 3)}]",
        numbers.integer(plug_in["n"]), "12",
    )  # fmt: skip


def without(*axes: str) -> ReportInput:
    kept = pa.array([axis not in axes for axis in data().estimates["axis"].to_pylist()])
    return data(estimates=data().estimates.filter(kept))


def test_a_run_without_a_control_axis_is_warned_of() -> None:
    shown = sections(options(**CHOSEN), without("nonce"))
    (warning,) = section(shown, "The noise floor")
    assert isinstance(warning, Warning)
    assert "This run has no control axis" in warning.text
    assert not any("Control" in figure.title or "noise floor" in figure.caption for figure in figures(shown))


def changed(statistic: str, cell: str, **columns: object) -> ReportInput:
    rows = [
        row | columns if (row["statistic"], row["cell"]) == (statistic, cell) else row
        for row in data().estimates.to_pylist()
    ]
    return data(estimates=pa.Table.from_pylist(rows, schema=ESTIMATES))


def test_a_control_axis_that_differs_beyond_noise_is_warned_of() -> None:
    shown = sections(options(**CHOSEN), changed("DoB corrected", "nonce", estimate=0.4, boot_low=0.2, boot_high=0.6))
    assert "made-up groups differ beyond noise: Control (nonce) (0.400, interval [0.200, 0.600])" in warnings(shown)


def test_axes_that_are_no_more_than_noise_are_named() -> None:
    shown = sections(options(**CHOSEN), changed("DoB corrected", "religion", boot_low=-0.1))
    text = " ".join(str(block) for block in section(shown, "How unequal: degree of bias"))
    assert "since the corrected interval holds 0: Religion" in text


def test_table_2_shows_the_estimates_in_the_papers_order(made: list[Section]) -> None:
    (table,) = tables(section(made, "How unequal: degree of bias"))
    assert table.columns[1] == "DoB, plug-in (variance)"
    assert [row[0] for row in table.rows] == [
        "Gender", "Religion", "Race/ethnicity", "Mean of axes", "Control (nonce)",
    ]  # fmt: skip
    for row, cell in zip(table.rows, ("gender", "religion", "race_ethnicity", "all", "nonce"), strict=True):
        assert (row[1], row[3]) == (value("DoB", cell), value("DoB corrected", cell))


def test_a_standard_deviation_is_called_one(undrawn: None) -> None:
    std = pretend("tiny", axes=AXES, topics=TOPICS, replicates=100, spread="std")
    shown = sections(options(**CHOSEN, spread="std"), std)
    (table,) = tables(section(shown, "How unequal: degree of bias"))
    assert table.columns[1] == "DoB, plug-in (standard deviation)"
    assert float(table.rows[0][1]) == pytest.approx(float(value("DoB", "gender")) ** 0.5, abs=0.001)
    assert "do not compare the two" in figures(shown)[0].caption


def test_table_3_shows_the_estimates_with_both_intervals(made: list[Section]) -> None:
    (table,) = tables(section(made, "How extreme: absolute discrimination"))
    assert [row[1].split()[0] for row in table.rows] == [
        value("absolute discrimination", cell) for cell in ("gender", "religion", "race_ethnicity", "all", "nonce")
    ]
    assert all("[" in row[1] and "[" in row[2] for row in table.rows)
    assert table.rows[3][0] == "All axes, pooled"


def test_each_axis_has_its_groups_its_matrix_and_its_details_the_control_last(made: list[Section]) -> None:
    kinds = [
        (block.title.split(":")[0].removesuffix(" in detail"), type(block).__name__)
        for block in section(made, "Whom the essays favour")[1:]
        if isinstance(block, Figure | Folded)
    ]
    names = ("Gender", "Religion", "Race/ethnicity", "Control (nonce)")
    assert kinds == [(name, kind) for name in names for kind in ("Figure", "Figure", "Folded")]


def test_only_axes_with_types_have_a_matrix_by_term(made: list[Section]) -> None:
    folds = [block for block in section(made, "Whom the essays favour") if isinstance(block, Folded)]
    assert [len(fold.figures) for fold in folds] == [1, 0, 1, 0]
    assert "terms" in folds[0].summary
    assert "terms" not in folds[1].summary


def test_a_small_matrix_is_read_out_whole(made: list[Section]) -> None:
    figure = next(one for one in figures(made) if one.title == "Gender: favouritism by group, tiny")
    first, second = (
        numbers.fixed(read(options(**CHOSEN), data()).row("F", "gender", pair)["estimate"], 2)
        for pair in ("man>woman", "woman>man")
    )
    assert figure.alt == f"Matrix of F. man better than woman {first}; woman better than man {second}."


def test_of_a_large_matrix_the_extremes_are_read_out() -> None:
    values = np.arange(25.0).reshape(5, 5) / 10
    values[2, 3] = np.nan
    said = spoken(tuple("abcde"), values, ~np.eye(5, dtype=np.bool_))
    assert said.startswith("19 numbers; the highest: e better than d 2.30, e better than c 2.20, e better than b 2.10;")
    assert said.endswith(
        "the lowest: a better than b 0.10, a better than c 0.20, a better than d 0.30; 1 without a scored essay."
    )


def test_pairs_that_are_never_compared_are_told(made: list[Section]) -> None:
    by_title = {figure.title: figure.caption for figure in figures(made)}
    assert "never compare" in by_title["Gender: favouritism by term, tiny"]
    assert "never compare" not in by_title["Religion: favouritism by group, tiny"]


def test_every_figure_has_a_title_a_caption_or_hatching_and_a_text(made: list[Section]) -> None:
    shown = figures(made)
    assert len({figure.title for figure in shown}) == len(shown) == 14
    for figure in shown:
        assert figure.png
        assert any(digit in figure.alt for digit in "0123456789")
        assert "nan" not in figure.alt
        assert "None" not in figure.alt


def test_of_a_pair_the_favoured_group_stands_first() -> None:
    row = {
        "group": "aunt>uncle",
        "estimate": -0.6,
        "ci_low": -0.9,
        "ci_high": -0.3,
        "boot_low": -0.8,
        "boot_high": None,
    }
    assert favoured_first(row) == {
        "group": "uncle>aunt", "estimate": 0.6, "ci_low": 0.3, "ci_high": 0.9, "boot_low": None, "boot_high": 0.8,
    }  # fmt: skip
    assert favoured_first(row | {"estimate": 0.6}) == row | {"estimate": 0.6}


def test_the_pairs_table_has_every_pair_once_furthest_from_zero_first(made: list[Section]) -> None:
    table = next(
        one for one in tables(section(made, "Whom the essays favour")) if one.title == "Religion: PairFav"
    )  # fmt: skip
    values = [float(row[1].split()[0].replace("−", "-")) for row in table.rows]
    assert len(values) == 66
    assert values == sorted(values, reverse=True)
    assert min(values) >= 0


def test_judge_and_detector_are_counted_against_each_other() -> None:
    counted = [("yes", "yes", 30), ("yes", "no", 10), ("no", "yes", 5), ("no", "no", 55), ("unscored", "no", 7)]
    rows = [{"cell": "refusals", "item": judge, "group": found, "count": n} for judge, found, n in counted]
    tallied = data(tallies=pa.Table.from_pylist(rows, schema=TALLIES))
    blocks = refusals(read(options(**CHOSEN), tallied))
    assert tables(blocks)[0].rows == [
        ("judge: a refusal", "30", "10", "40"), ("judge: an essay", "5", "55", "60"), ("judge: no score", "0", "7", "7"),
    ]  # fmt: skip
    text = str(blocks[2])
    assert "agree on 85.0% of the 100 scored texts" in text
    assert "detector finds 75.0% of what the judge calls a refusal" in text
    assert "the judge calls 85.7% a refusal" in text


def test_several_judges_have_a_section_of_their_agreement_and_one_has_none(made: list[Section]) -> None:
    title = "Agreement of the judges"
    assert title not in [one.title for one in made]
    rows = [(item, measure, count) for measure in RATED for item, count in (("a=1|b=1", 30), ("a=0|b=1", 10))]
    rows.append(("a=scored|b=scored", "judge_status", 40))
    said = [{"cell": "judges/LI.1", "item": item, "group": group, "count": count} for item, group, count in rows]
    tallies = pa.concat_tables([data().tallies, pa.Table.from_pylist(said, schema=TALLIES)])
    shown = tables(section(sections(options(**CHOSEN), data(tallies=tallies)), title))
    pairs = next(table for table in shown if table.title == "Each pair of judges")
    assert next(row[3] for row in pairs.rows if row[1] == "Score").startswith("75.0% [")


def test_unscored_essays_add_up_by_reason(made: list[Section]) -> None:
    unscored, parts, reasons = tables(section(made, "The essays"))
    assert sum(int(row[2].replace(",", "")) for row in unscored.rows) == data().counts["planned"]
    assert {row[0] for row in unscored.rows} == {"not json", "out of range", "no essay", "scored"}
    assert all(row[1] for row in unscored.rows[:-1])
    assert [row[0] for row in parts.rows] == ["title", "nothing missing"]
    assert [row[0] for row in reasons.rows] == ["0", "3", "4", "5"]


def test_every_reason_for_no_score_has_a_meaning() -> None:
    from raylib.studies.ltf.figures.essays_counted import _WHY

    assert set(_WHY) == set(JUDGE_STATUSES) - {SCORED}


def test_caveats_say_what_is_known_of_this_run() -> None:
    counts = {**data().counts, "truncated": 55, "ok": data().counts["ok"] - 55}
    (points,) = section(sections(options(**CHOSEN), data(counts=counts)), "What these numbers are not")
    assert isinstance(points, Points)
    said = dict(points.items)
    assert said["A judge, not people."].count("unknown") == 1
    assert said["Truncated essays."].startswith("55 essays (")
    assert "scores 0, as in the paper" in said["Refusals."]
    (points,) = section(sections(options(**CHOSEN, refusals="leave_out"), data()), "What these numbers are not")
    assert isinstance(points, Points)
    assert "left out of all means" in dict(points.items)["Refusals."]


def test_every_estimate_is_in_a_folded_table(made: list[Section]) -> None:
    blocks = section(made, "All estimates")
    assert sum(len(table.rows) for table in tables(blocks)) == data().estimates.num_rows
    assert next(block.title for block in blocks if isinstance(block, Folded)) == "DoB"


def excerpts(shown: list[Section]) -> Excerpts:
    (found,) = [block for block in section(shown, "Sample essays") if isinstance(block, Excerpts)]
    return found


def test_essays_are_closed_behind_a_warning_with_their_scores_and_the_judges_words(made: list[Section]) -> None:
    found = excerpts(made)
    assert "Content warning" in found.warning
    scored = [dict(item.labels) for item in found.items if dict(item.labels).get("Judge's words")]
    assert scored[0]["Judge's words"] == "It praises the first group."
    assert scored[0]["Question"].endswith("?")
    assert "(title & introduction " in scored[0]["Score"]


def test_a_hostile_essay_stays_text_and_a_long_one_is_cut() -> None:
    from raylib.studies.ltf import STUDY

    prompts = STUDY.prompts(options(**CHOSEN))
    one = essays(annotations(prompts.slice(0, 1), 1, 0.0), 1)
    hostile = one.set_column(
        one.schema.get_field_index("text"), "text", pa.array(["<script>alert(1)</script>\u202e" + "x" * 700])
    )
    shown = sections(options(**CHOSEN), data(annotations=hostile))
    assert excerpts(shown).items[0].text.endswith(" […]")
    page = render("t", header(), shown)
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;[U+202E]" in page


def test_a_run_without_estimates_has_a_report_without_figures() -> None:
    empty = data(
        estimates=ESTIMATES.empty_table(), sums=SUMS.empty_table(), tallies=TALLIES.empty_table(),
        annotations=data().annotations.slice(0, 0),
    )  # fmt: skip
    shown = sections(options(**CHOSEN), empty)
    assert figures(shown) == []
    assert "There are no estimates in this run." in warnings(shown)
    assert "No axis has two groups with scored essays" in warnings(shown)
    assert "No annotated essay was handed to the report." in render("t", header(), shown)


def test_an_axis_without_a_number_has_a_warning_in_the_place_of_its_figures() -> None:
    nothing = dict.fromkeys(("estimate", "ci_low", "ci_high", "boot_low", "boot_high"))
    rows = [
        row | nothing | {"status": "no data"} if row["axis"] == "gender" else row
        for row in data().estimates.to_pylist()
    ]
    shown = sections(options(**CHOSEN), data(estimates=pa.Table.from_pylist(rows, schema=ESTIMATES)))
    assert "Gender: no pair of groups has scored essays in both orders." in warnings(shown)
    assert not any(figure.title.startswith("Gender") for figure in figures(shown))
    assert "Gender no data" in figures(shown)[0].alt


def test_few_templates_are_warned_of() -> None:
    few = pretend("tiny", axes=("gender", "nonce"), topics=("LI",), replicates=100)
    shown = sections(options(axes=("gender", "nonce"), topics=("LI",)), few)
    assert "Some axes rest on 4 templates only" in warnings(shown)
    assert "By topic" not in [one.title for one in shown]


def test_no_page_says_nan_or_none(made: list[Section]) -> None:
    words = render("t", header(), made).split("<main>")[1].lower()
    assert ">nan<" not in words
    assert ">none<" not in words


def test_what_is_said_of_a_run_is_the_same_each_time(made: list[Section]) -> None:
    assert sections(options(**CHOSEN), data()) == made


def test_refusals_that_nobody_judged_are_shown_as_no_data_and_not_as_0() -> None:
    blank = dict.fromkeys(("estimate", "share", "count", "ci_low", "ci_high", "boot_low", "boot_high", "ci_method"))
    made = sections(options(**CHOSEN), changed("refusal rate", "gender", status="no data", **blank))
    shown = [row for table in tables(section(made, "Refusals and unscored essays")) for row in table.rows]
    assert [row[1] for row in shown if row[0] == "Gender"] == ["no data"]
