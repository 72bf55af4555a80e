"""All estimates as tables, folded by statistic: by group, by term, by topic."""

from collections.abc import Sequence
from itertools import groupby

from raylib.report import numbers
from raylib.report.sections import Block, DataTable, Folded, Warning
from raylib.report.table import Row
from raylib.studies.ltf.figures.reading import RunNumbers
from raylib.studies.ltf.figures.titles import axis_title, boot_text, cell_title, interval_text, topic_titles
from raylib.studies.ltf.measures import TERMS

_HEADINGS = ("Group", "Estimate [95%]", "95% bootstrap by template", "Count", "Essays", "Templates")
_KINDS = ("by axis and group", "by term", "by topic")


def folded_tables(run: RunNumbers) -> list[Block]:
    """Return every estimate in a folded table, one fold a statistic; print shows all."""
    axes, topics = {axis.name: axis_title(axis) for axis in run.shown}, topic_titles()
    folds: list[Block] = []
    for statistic in dict.fromkeys(name for name, _, _ in run.rows):
        rows = [row for (name, _, _), row in run.rows.items() if name == statistic]
        tables = []
        for kind, title in enumerate(_KINDS):
            chosen = [row for row in rows if _kind(row["cell"]) == kind]
            if chosen:
                tables.append(_table(f"{statistic}, {title}", chosen, axes, topics))
        without = sum(row["status"] != "ok" for row in rows)
        said = f"{numbers.integer(len(rows))} numbers" + (f", {without} without data" if without else "")
        folds.append(Folded(statistic[0].upper() + statistic[1:], said, tables))
    return folds or [Warning("There are no estimates in this run.")]


def _kind(cell: str) -> int:
    rest = cell.partition("/")[2]
    return 0 if not rest else 1 if rest == TERMS else 2


def _table(title: str, rows: Sequence[Row], axes: dict[str, str], topics: dict[str, str]) -> DataTable:
    cells = list(dict.fromkeys(row["cell"] for row in rows))
    ordered = sorted(rows, key=lambda row: cells.index(row["cell"]))
    groups = tuple(
        (cell_title(cell, axes, topics), len(list(part))) for cell, part in groupby(ordered, lambda row: row["cell"])
    )
    return DataTable(title, _HEADINGS, [_texts(row) for row in ordered], "", frozenset(_HEADINGS[1:]), groups)


def _texts(row: Row) -> tuple[str, ...]:
    counted = numbers.count(row["count"]) if row["count"] is not None else ""
    return (
        str(row["group"]).replace(">", " > "), interval_text(row), boot_text(row), counted, numbers.integer(row["n"]),
        numbers.integer(row["clusters"]),
    )  # fmt: skip
