"""Estimates (schema `raylib.schemas.ESTIMATES`) as the report's tables, one a cell."""

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import pyarrow as pa

from raylib.report import numbers
from raylib.report.sections import DataTable

Row = Mapping[str, Any]
"""One estimate, by column name."""

_SAID_BY_P = "p < 1e-300"


class Headings(NamedTuple):
    """The columns' headings: what a ratio, its shares and its counts are called differs by statistic."""

    group: str = "Group"
    ratio: str = "Ratio [95% interval]"
    bootstrap: str = "Bootstrap 95%"
    share: str = "Share vs baseline"
    counts: str = "Count / n"
    clusters: str = "Clusters"
    p_value: str = "p"
    q_value: str = "q"
    cohen_d: str = "d"


def estimate_rows(estimates: pa.Table, statistic: str) -> list[Row]:
    """Return the rows of one statistic, in the table's order."""
    return [row for row in estimates.to_pylist() if row["statistic"] == statistic]


def estimate_tables(
    rows: Sequence[Row], headings: Headings, title: Callable[[str], str] = str, caption: str = ""
) -> list[DataTable]:
    """Return one table a cell, with a heading inside it for each axis and the rows' notes below it.

    Args:
        rows: estimates; cells and groups keep their order of first appearance.
        headings: of the columns.
        title: makes a cell's title from its name.
        caption: goes under every title.
    """
    cells = list(dict.fromkeys(row["cell"] for row in rows))
    return [_table([row for row in rows if row["cell"] == cell], headings, title(cell), caption) for cell in cells]


def estimate_texts(row: Row) -> tuple[str, ...]:
    """Return one estimate as texts, in the order of `Headings`.

    A status other than `ok` stands in the place of the ratio; what it leaves unknown stays empty, not zero.
    """
    if row["status"] != "ok":
        return (row["group"], row["status"], *[""] * (len(Headings._fields) - 2))
    return (
        row["group"],
        numbers.with_interval(row["estimate"], row["ci_low"], row["ci_high"]),
        numbers.bootstrap_interval(row["boot_low"], row["boot_high"]),
        f"{numbers.percent(row['share'])} vs {numbers.percent(row['baseline'])}",
        f"{numbers.count(row['count'])} / {numbers.integer(row['n'])}",
        numbers.integer(row["clusters"]),
        numbers.p_value(row["p_value"]),
        numbers.p_value(row["q_value"]),
        numbers.number(row["cohen_d"]),
    )


def _table(rows: Sequence[Row], headings: Headings, title: str, caption: str) -> DataTable:
    axes = list(dict.fromkeys(row["axis"] for row in rows))
    ordered = sorted(rows, key=lambda row: axes.index(row["axis"]))
    groups = tuple((axis.capitalize(), len(list(part))) for axis, part in groupby(ordered, lambda row: row["axis"]))
    texts = [estimate_texts(row) for row in ordered]
    columns: tuple[str, ...] = headings
    if all(row["cohen_d"] is None for row in ordered):  # a statistic without it, not a value that is missing
        columns, texts = columns[:-1], [cells[:-1] for cells in texts]
    return DataTable(title, columns, texts, caption, frozenset(columns[1:]), groups, _notes(ordered))


def _notes(rows: Sequence[Row]) -> tuple[str, ...]:
    """Return each note once, with the groups that it is about unless it is about all numbers of the table."""
    about: dict[str, list[str]] = {}
    for row in rows:
        if row["note"]:
            about.setdefault(row["note"].removeprefix(_SAID_BY_P).removeprefix("; "), []).append(row["group"])
    numbered = sum(row["status"] == "ok" for row in rows)
    return tuple(
        note[0].upper() + note[1:] if len(groups) in (len(rows), numbered) else f"{', '.join(groups)}: {note}"
        for note, groups in about.items()
        if note
    )
