"""Coding sheets: out, filled, strictly in again."""

import csv
import io

import pyarrow as pa
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from raylib.errors import ConfigError, DataError
from raylib.report.csv_export import to_csv
from raylib.studies.narratives.stereotypes.codebook import load_codebook
from raylib.studies.narratives.stereotypes.sheets import (
    RATINGS,
    coding_sheet,
    join_ratings,
    ratings_of_sheet,
    read_csv,
)
from tests.stereotype_support import CODEBOOK, WORDS, sample

_FORMULA = ("s1", "=SUM(A1) said Ana.\nShe \u202esmiled.")
STORIES = sample(_FORMULA, ("s2", 'Two, "three"\r\nfour'), _FORMULA)


def exported(stories: pa.Table = STORIES, rater: str = "ann") -> list[list[str]]:
    return list(csv.reader(io.StringIO(to_csv(coding_sheet(stories, CODEBOOK, rater)), newline="")))


def written(lines: list[list[str]]) -> str:
    out = io.StringIO()
    csv.writer(out).writerows(lines)
    return out.getvalue()


def imported(lines: list[list[str]], stories: pa.Table = STORIES) -> list[tuple]:
    table = ratings_of_sheet(read_csv(written(lines), "ann.csv"), stories, CODEBOOK, "ann.csv")
    assert table.schema == RATINGS
    return [(row["sample_id"], row["rater"], row["code"], row["value"]) for row in table.to_pylist()]


def test_a_sheet_has_a_row_a_story_a_column_a_code_and_nothing_that_runs():
    header, *rows = exported()
    assert header == ["sample_id", "rater", "prompt_id", "domain", "condition", "text", "foreign", "savior"]
    assert [row[:2] for row in rows] == [["s1", "ann"], ["s2", "ann"]]
    assert rows[0][5] == "'=SUM(A1) said Ana.\nShe [U+202E]smiled."
    assert rows[1][5] == 'Two, "three"\nfour'
    assert [row[6:] for row in rows] == [["", ""], ["", ""]]


def test_filled_cells_come_back_as_ratings_and_empty_ones_as_missing():
    header, first, second = exported()
    assert imported([header, [*first[:6], "yes", " No "], [*second[:6], "unsure", ""], [""] * 8]) == [
        ("s1", "ann", "foreign", "yes"), ("s1", "ann", "savior", "no"),
        ("s2", "ann", "foreign", "unsure"), ("s2", "ann", "savior", None),
    ]  # fmt: skip


def test_a_spreadsheet_that_drops_the_guard_or_changes_line_ends_changes_no_text():
    header, first, second = exported()
    first[5], second[5] = first[5].removeprefix("'"), second[5].replace("\n", "\r\n")
    assert len(imported([header, first, second])) == 4


def test_columns_may_be_reordered_and_rows_left_out():
    header, first, _ = exported()
    assert [row[3] for row in imported([header[::-1], [*first[:6], "yes", "no"][::-1]])] == ["yes", "no"]


@given(st.lists(st.text(), min_size=1, max_size=4))
def test_any_text_survives_the_way_out_and_in(texts):
    texts = [text.encode("utf-8", "ignore").decode() for text in texts]
    stories = sample(*((f"s{place}", text) for place, text in enumerate(texts)))
    back = read_csv(to_csv(coding_sheet(stories, CODEBOOK, "ann")), "x")
    assert ratings_of_sheet(back, stories, CODEBOOK, "x").num_rows == 2 * len(texts)


def test_a_parquet_sheet_is_read_without_its_csv():
    sheet = coding_sheet(STORIES, CODEBOOK, "ann")
    filled = sheet.set_column(6, "foreign", pa.array(["yes", None], pa.string()))
    assert ratings_of_sheet(filled, STORIES, CODEBOOK, "ann.parquet")["value"].to_pylist() == ["yes", None, None, None]


def test_a_parquet_sheet_with_other_values_than_texts_is_refused():
    sheet = coding_sheet(STORIES, CODEBOOK, "ann")
    with pytest.raises(DataError, match="the column 'foreign' holds bool values; every cell must be text"):
        ratings_of_sheet(sheet.set_column(6, "foreign", pa.array([True, False])), STORIES, CODEBOOK, "ann.parquet")


def changed(row: int, column: str, value: str) -> list[list[str]]:
    lines = exported()
    lines[row][lines[0].index(column)] = value
    return lines


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            changed(0, "savior", "saviour"),
            "ann.csv: the column 'saviour' is no code of the codebook. Did you mean 'savior'?",
        ),
        ([line[:-1] for line in exported()], "ann.csv: the column 'savior' is missing"),
        (changed(0, "savior", "foreign"), "ann.csv: the column 'foreign' is there twice"),
        (changed(2, "foreign", "maybe"), "ann.csv row 3, column foreign: 'maybe' is no value; write yes, no, unsure"),
        (changed(2, "sample_id", "s9"), "ann.csv row 3: story 's9' is not in the sample"),
        (changed(2, "sample_id", ""), "ann.csv row 3: story None is not in the sample"),
        (changed(2, "rater", ""), "ann.csv row 3: the rater is missing"),
        (changed(2, "rater", "../Ann"), "ann.csv row 3: rater '../Ann' is not a valid name"),
        (changed(1, "text", "other"), "ann.csv row 2: the text of story s1 was changed"),
        ([*exported(), exported()[1]], "ann.csv row 4: story s1 by rater ann is in row 2 already; remove one"),
        ([*exported(), ["s1", "ann"]], "ann.csv row 4 has 2 cells, the header 8"),
        ([], "ann.csv is empty"),
    ],
)
def test_every_mistake_in_a_sheet_names_its_row(lines, message):
    with pytest.raises(DataError) as error:
        imported(lines)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_cell_too_long_for_csv_is_a_data_error():
    with pytest.raises(DataError, match="x is not CSV"):
        read_csv("a" * 200_000, "x")


def test_a_story_twice_by_one_rater_in_two_sheets_is_refused():
    one = ratings_of_sheet(coding_sheet(STORIES, CODEBOOK, "ann"), STORIES, CODEBOOK, "a")
    other = ratings_of_sheet(coding_sheet(STORIES, CODEBOOK, "bob"), STORIES, CODEBOOK, "b")
    assert join_ratings([one, other]).num_rows == 8
    with pytest.raises(DataError, match="story s1 by rater ann is in two sheets"):
        join_ratings([one, one])


def test_a_raters_name_must_be_fit_for_a_file_name():
    with pytest.raises(ConfigError, match="--rater 'Ann B' is not a valid name"):
        coding_sheet(STORIES, CODEBOOK, "Ann B")


def test_the_studys_codebook_defines_each_code_in_full():
    book = load_codebook()
    assert {
        "perpetual_foreigner",
        "white_savior",
        "noble_savage",
        "frozen_in_time",
        "glass_ceiling",
        "model_minority",
    } <= set(book.names)
    for code in book.codes:
        assert all(len(text.split()) >= 5 for text in (code.definition, code.include, code.exclude, code.example)), (
            code.code
        )


@pytest.mark.parametrize(
    ("codes", "message"),
    [
        ([{"code": "a", **WORDS}, {"code": "a", **WORDS}], "the code 'a' is there twice"),
        ([{"code": "text", **WORDS}], "is a column of every sheet"),
        ([{"code": "A b", **WORDS}], "codes.0.code"),
        ([{"code": "a", **WORDS, "exampel": "x"}], "unknown key 'codes.0.exampel'. Did you mean 'example'?"),
    ],
)
def test_a_wrong_codebook_ends_in_one_line(tmp_path, codes, message):
    path = tmp_path / "book.yaml"
    path.write_text(yaml.safe_dump({"version": 1, "codes": codes}))
    with pytest.raises(ConfigError) as error:
        load_codebook(str(path))
    assert message in str(error.value)
