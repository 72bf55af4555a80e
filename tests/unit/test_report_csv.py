"""CSV that a spreadsheet opens without running anything."""

import csv
import io

import pyarrow as pa
import pytest

from raylib.report.csv_export import to_csv


def rows_of(table: pa.Table) -> list[list[str]]:
    return list(csv.reader(io.StringIO(to_csv(table), newline="")))


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1+1", "＠x"])
def test_a_text_that_begins_like_a_formula_gets_a_leading_quote(text: str) -> None:
    assert rows_of(pa.table({"note": [text]}))[1] == [f"'{text}"]


@pytest.mark.parametrize("text", ["plain", "a=b", "x-1", "Labor/power-neutral", ""])
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert rows_of(pa.table({"note": [text], "n": [1]}))[1] == [text, "1"]


def test_a_negative_number_stays_a_number() -> None:
    assert rows_of(pa.table({"d": [-0.5], "n": [-3]}))[1] == ["-0.5", "-3"]


def test_numbers_read_back_to_the_same_value() -> None:
    values = [0.1 + 0.2, 2.635083e-56, 1e300]
    assert [float(row[0]) for row in rows_of(pa.table({"x": values}))[1:]] == values


def test_what_is_unknown_is_an_empty_cell() -> None:
    table = pa.table({"x": pa.array([None, float("nan")], pa.float64()), "s": pa.array([None, "a"])})
    assert rows_of(table) == [["x", "s"], ["", ""], ["", "a"]]


def test_commas_quotes_and_line_breaks_stay_in_their_cell() -> None:
    text = 'He said "hi",\nand left'
    assert rows_of(pa.table({"text": [text], "n": [1]}))[1] == [text, "1"]


def test_a_column_name_is_guarded_too() -> None:
    assert rows_of(pa.table({"=cmd": [1]}))[0] == ["'=cmd"]
