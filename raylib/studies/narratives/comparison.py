"""The study's part of the report over several models: each ratio by model, and the median over the models."""

from collections.abc import Sequence

import numpy as np

from raylib.report import numbers
from raylib.report.sections import Block, DataTable, Folded, Paragraph, Section, Warning
from raylib.report.table import Headings, Row, estimate_rows, estimate_texts
from raylib.studies.base import ReportInput, StudyOptions
from raylib.studies.narratives.figures import cell_title, figures_of

_REP = Headings(
    group="Model", ratio="Ratio [95%\u00a0Wilson]", bootstrap="95% bootstrap by prompt", clusters="Prompts",
    cohen_d="Cohen's\u00a0d",
)  # fmt: skip
_SUB = _REP._replace(
    ratio="Ratio [95%\u00a0Katz]", share="Subordinate vs dominant share", counts="Subordinate / both roles"
)
_TABLES = (
    ("R_rep", "Who appears: representation by model", _REP,
     "The representation ratio is a group's share of the characters over its share of the comparison population."),
    ("R_sub", "Who holds power: subordination by model", _SUB,
     "The subordination ratio is a group's share of the subordinate characters over its share of the dominant ones."),
    ("R_mrs", "Racialised names: median subordination by model", _SUB,
     "R_mrs is the median of the subordination ratios of names above each likelihood of a race, within a gender."),
)  # fmt: skip
_MEDIAN = (
    " The median over the models has no interval: it says where the middle model lies, not how sure its number is. "
    "Where the two intervals of a model disagree, trust the wider one."
)


def comparison_sections(options: StudyOptions, data: Sequence[ReportInput]) -> list[Section]:
    """Return the paper's figures for several models side by side, then the tables of their numbers."""
    return [*figures_of(options, data), *tables_by_model(data)]


def tables_by_model(data: Sequence[ReportInput]) -> list[Section]:
    """Return a section for R_rep, R_sub and R_mrs: a folded table a cell, with a heading a group and a row a model."""
    result = []
    for statistic, title, headings, meaning in _TABLES:
        rows = [(item.model, row) for item in data for row in estimate_rows(item.estimates, statistic)]
        if rows:
            cells = dict.fromkeys(row["cell"] for _, row in rows)
            blocks: list[Block] = [Paragraph(meaning + _MEDIAN)]
            blocks += [_folded([pair for pair in rows if pair[1]["cell"] == cell], headings, cell) for cell in cells]
            result.append(Section(title, blocks))
    return result or [Section("All estimates", [Warning("There are no estimates in these runs.")])]


def _folded(rows: Sequence[tuple[str, Row]], headings: Headings, cell: str) -> Folded:
    """Return a cell's table behind its title; `rows` are (model, estimate)."""
    table = _table(rows, headings, cell)
    models = len({model for model, _ in rows})
    summary = f"{numbers.integer(len(table.groups))} ratios of {models} model{'s' if models != 1 else ''}"
    return Folded(table.title, summary, [table])


def _table(rows: Sequence[tuple[str, Row]], headings: Headings, cell: str) -> DataTable:
    """Return a cell's table; `rows` are (model, estimate)."""
    groups = dict.fromkeys((row["axis"], row["group"]) for _, row in rows)
    texts: list[tuple[str, ...]] = []
    sizes = []
    for axis, group in groups:
        of_group = [(model, row) for model, row in rows if (row["axis"], row["group"]) == (axis, group)]
        lines = [(model, *estimate_texts(row)[1:]) for model, row in of_group]
        lines.append(_median([row for _, row in of_group]))
        texts += lines
        sizes.append((f"{axis.capitalize()}: {group}", len(lines)))
    columns: tuple[str, ...] = headings
    if all(row["cohen_d"] is None for _, row in rows):  # a statistic without it
        columns, texts = columns[:-1], [line[:-1] for line in texts]
    return DataTable(cell_title(cell), columns, texts, "", frozenset(columns[1:]), tuple(sizes))


def _median(rows: Sequence[Row]) -> tuple[str, ...]:
    """Return the line of the median over the models that have a number; the mean of the middle two for an even number."""
    values = [row["estimate"] for row in rows if row["status"] == "ok"]
    label = f"Median of {len(values)} model{'s' if len(values) != 1 else ''}"
    value = numbers.number(float(np.median(values))) if values else numbers.NO_DATA
    return (label, value, *[""] * (len(Headings._fields) - 2))
