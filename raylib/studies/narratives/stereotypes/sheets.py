"""Coding sheets: one row a story, one column a code, for one rater; out as CSV or Parquet, and strictly in again."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from raylib.errors import ConfigError, DataError, nearest
from raylib.ids import check_name
from raylib.report.csv_export import guard
from raylib.report.visible import make_visible
from raylib.studies.narratives.stereotypes.codebook import SHEET_COLUMNS, VALUES, Codebook

RATINGS = pa.schema(
    [
        pa.field("sample_id", pa.string(), nullable=False),
        pa.field("rater", pa.string(), nullable=False),
        pa.field("code", pa.string(), nullable=False),
        pa.field("value", pa.string()),  # yes | no | unsure; null: missing
        pa.field("reason", pa.string()),  # why it is missing, where that is known
    ]
)
"""One row a story, rater and code."""


def coding_sheet(sample: pa.Table, codebook: Codebook, rater: str) -> pa.Table:
    """Return an empty sheet: each story of a sample (`sampling.SAMPLE`) once, in the order of its first row.

    Hidden control characters of a text are written out, so that what the rater sees is what is there.

    Raises:
        ConfigError: the rater's name cannot be part of a file name.
    """
    check_name(rater, "--rater")
    stories = {row["sample_id"]: row for row in reversed(sample.to_pylist())}
    rows = [stories[name] for name in dict.fromkeys(sample["sample_id"].to_pylist())]
    schema = pa.schema([(name, pa.string()) for name in (*SHEET_COLUMNS, *codebook.names)])
    return pa.Table.from_pylist([{**row, "rater": rater, "text": shown(row["text"])} for row in rows], schema=schema)


def shown(text: str) -> str:
    """Return a story as a sheet shows it."""
    return make_visible(text.replace("\r\n", "\n").replace("\r", "\n"))


def read_csv(data: str, where: str) -> pa.Table:
    """Return the cells of a CSV file as texts; an empty cell is null.

    Raises:
        DataError: no header, a column twice, or a row with more or fewer cells than the header.
    """
    try:
        lines = list(csv.reader(io.StringIO(data.removeprefix("\ufeff"), newline="")))
    except csv.Error as error:
        raise DataError(f"{where} is not CSV ({error}): save the sheet as CSV with commas") from None
    if not lines:
        raise DataError(f"{where} is empty: give a sheet that `jobs/stereotypes.py sheet` wrote")
    header = lines[0]
    twice = next((name for name in header if header.count(name) > 1), None)
    if twice is not None:
        raise DataError(f"{where}: the column {twice!r} is there twice; remove one")
    rows = []
    for number, line in enumerate(lines[1:], start=2):
        if not any(line):
            continue  # spreadsheets leave empty lines at the end
        if len(line) != len(header):
            raise DataError(
                f"{where} row {number} has {len(line)} cells, the header {len(header)}: save the sheet as CSV with commas"
            )
        rows.append({**dict(zip(header, line, strict=True)), _ROW: str(number)})
    schema = pa.schema([(name, pa.string()) for name in (*header, _ROW)])
    return pa.Table.from_pylist([{key: cell or None for key, cell in row.items()} for row in rows], schema=schema)


def ratings_of_sheet(sheet: pa.Table, sample: pa.Table, codebook: Codebook, where: str) -> pa.Table:
    """Return the ratings of a filled sheet (schema RATINGS); a cell that was left empty is a missing rating.

    Args:
        sheet: as `coding_sheet` made it, filled; from Parquet or through `read_csv`.
        sample: the stories that the sheet was made of.
        codebook: the codebook that the sheet was made of.
        where: the file's name, for messages.

    Raises:
        DataError: a column that is no code, or a code without a column; a row without rater, of an unknown story, there
            twice, with a changed text or another value than yes, no, unsure. The message names file and row.
    """
    _check_columns(sheet, codebook, where)
    stories = dict(zip(sample["sample_id"].to_pylist(), sample["text"].to_pylist(), strict=True))
    ratings: list[dict[str, Any]] = []
    first: dict[tuple[str, str], str] = {}
    for place, row in enumerate(sheet.to_pylist(), start=1):
        number = row.get(_ROW) or str(place)
        name, rater = _check_row(row, stories, f"{where} row {number}")
        before = first.setdefault((name, rater), number)
        if before != number:
            raise DataError(
                f"{where} row {number}: story {name} by rater {rater} is in row {before} already; remove one"
            )
        for code in codebook.names:
            value = _value(row[code], f"{where} row {number}, column {code}")
            ratings.append({"sample_id": name, "rater": rater, "code": code, "value": value})
    return pa.Table.from_pylist(ratings, schema=RATINGS)


def join_ratings(tables: Sequence[pa.Table]) -> pa.Table:
    """Return the ratings of several sheets as one table.

    Raises:
        DataError: two sheets hold the same story by the same rater.
    """
    whole = pa.concat_tables([RATINGS.empty_table(), *tables])
    seen: set[tuple[str, str, str]] = set()
    for row in whole.select(["sample_id", "rater", "code"]).to_pylist():
        key = (row["sample_id"], row["rater"], row["code"])
        if key in seen:
            raise DataError(
                f"story {key[0]} by rater {key[1]} is in two sheets: give each sheet once, raters by own names"
            )
        seen.add(key)
    return whole


_ROW = "\x00row"
"""A column beside the sheet's own: the row of the file, as a spreadsheet counts it."""


def _check_columns(sheet: pa.Table, codebook: Codebook, where: str) -> None:
    for field in sheet.schema:
        if not any(kind(field.type) for kind in (pa.types.is_string, pa.types.is_large_string, pa.types.is_null)):
            raise DataError(f"{where}: the column {field.name!r} holds {field.type} values; every cell must be text")
    wanted = (*SHEET_COLUMNS, *codebook.names)
    for name in sheet.column_names:
        if name != _ROW and name not in wanted:
            raise DataError(f"{where}: the column {name!r} is no code of the codebook.{nearest(name, codebook.names)}")
    for name in wanted:
        if name not in sheet.column_names:
            raise DataError(f"{where}: the column {name!r} is missing; make the sheet anew with this codebook")


def _check_row(row: Mapping[str, Any], stories: Mapping[str, str], where: str) -> tuple[str, str]:
    name, rater = row["sample_id"], row["rater"]
    if not rater:
        raise DataError(f"{where}: the rater is missing; write who rated")
    try:
        check_name(str(rater), "rater")
    except ConfigError as error:
        raise DataError(f"{where}: {error}") from None
    if name not in stories:
        raise DataError(f"{where}: story {name!r} is not in the sample that the sheet is read with")
    if not _same_text(row["text"] or "", shown(stories[name])):
        raise DataError(f"{where}: the text of story {name} was changed; copy it back, a rating belongs to its text")
    return str(name), str(rater)


def _same_text(cell: str, text: str) -> bool:
    """Whether a cell still holds the text, with or without the guard that spreadsheets may have dropped."""
    found = cell.replace("\r\n", "\n").replace("\r", "\n")
    return found in (text, guard(text))


def _value(cell: str | None, where: str) -> str | None:
    value = (cell or "").strip().lower()
    if value and value not in VALUES:
        raise DataError(f"{where}: {cell!r} is no value; write yes, no, unsure, or leave the cell empty")
    return value or None
