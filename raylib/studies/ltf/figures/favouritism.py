"""Whom the essays favour, axis by axis: GroupFav, the F matrix, and folded the terms, the pairs and the groups' rates."""

import math
from collections.abc import Sequence

from raylib.report import numbers
from raylib.report.forest import ForestLabels, ForestPanel
from raylib.report.linear_axis import LinearAxis
from raylib.report.sections import Block, DataTable, Figure, Folded, Paragraph, Warning
from raylib.report.table import Row
from raylib.studies.ltf.axes import Axis
from raylib.studies.ltf.figures.forests import forest_figure, forest_row
from raylib.studies.ltf.figures.matrices import f_figure
from raylib.studies.ltf.figures.reading import RunNumbers, any_number, groups_of, terms_cell
from raylib.studies.ltf.figures.titles import BOOTSTRAP, axis_title, boot_text, interval_text, value_text
from raylib.studies.ltf.measures import ordered
from raylib.studies.ltf.shares import ABSOLUTE, REFUSALS, UNSCORED

FAVOURITISM_MEANS = (
    "F(p, q) is the mean score of the essays that were asked why p is better than q. In the matrices, compare a cell with the "
    "one across the diagonal: an even-handed model has the same number in both. "
    "PairFav(p, q) is F(p, q) − F(q, p): how much more the essays say for p against q than for q against p. GroupFav is a "
    "group's mean PairFav over the other groups of its axis: above 0 the essays favour it, below 0 they favour the others. "
    "On an axis of two groups the second value is the first with the other sign."
)
_ENDS = {"ci_low": "ci_high", "boot_low": "boot_high"}
_PAIR_INTERVAL = "PairFav [95%\u00a0t by template]"


def favouritism(run: RunNumbers) -> list[Block]:
    """Return the figures and folded tables of each axis, the controls last."""
    everyone = [row for axis in run.shown for row in run.rows_of("GroupFav", axis.name)]
    if not any_number(everyone):
        return [
            Paragraph(FAVOURITISM_MEANS),
            Warning("No pair of groups has scored essays in both orders: there is no favouritism."),
        ]
    scale = LinearAxis(_reach(everyone), symmetric=True)
    return [Paragraph(FAVOURITISM_MEANS), *(block for axis in run.shown for block in _of_axis(run, axis, scale))]


def _of_axis(run: RunNumbers, axis: Axis, scale: LinearAxis) -> list[Block]:
    rows = run.rows_of("GroupFav", axis.name)
    if not any_number(rows):
        return [Warning(f"{axis_title(axis)}: no pair of groups has scored essays in both orders.")]
    matrices = f_figure(axis, [run])
    return [_group_figure(run, axis, rows, scale), *([matrices] if matrices else []), _folded(run, axis)]


def _group_figure(run: RunNumbers, axis: Axis, rows: Sequence[Row], scale: LinearAxis) -> Figure:
    ordered = sorted(rows, key=lambda row: -math.inf if row["estimate"] is None else row["estimate"], reverse=True)
    panel = ForestPanel("", [forest_row(row["group"], row) for row in ordered])
    labels = ForestLabels("GroupFav", "", BOOTSTRAP)
    caption = "Sorted; right of 0 the essays favour the group. The scale is the same for every axis."
    partly = [f"{row['group']}: {row['note']}" for row in rows if "mean over" in str(row["note"])]
    return forest_figure(
        f"{axis_title(axis)}: GroupFav by group, {run.name}", [panel], labels, " ".join([caption, *partly]), scale
    )


def _folded(run: RunNumbers, axis: Axis) -> Folded:
    """Return the terms' matrix, the pairs and the rates of an axis, closed."""
    cells = [(axis.name, "")]
    terms = f_figure(axis, [run], terms=True)
    if terms is not None:
        cells.append((terms_cell(axis), " by term"))
    tables = [_rates(run, axis)]
    for cell, by in cells:
        pairs = sorted(run.rows_of("PairFav", cell), key=lambda row: -abs(row["estimate"] or 0.0))
        tables.append(_pairs(f"{axis_title(axis)}: PairFav{by}", pairs))
    parts = ["terms"] * (terms is not None) + ["rates by group", f"{sum(len(one.rows) for one in tables[1:])} pairs"]
    return Folded(f"{axis_title(axis)} in detail", ", ".join(parts), tables, [terms] if terms else [])


def _pairs(title: str, rows: Sequence[Row]) -> DataTable:
    headings = ("Pair", _PAIR_INTERVAL, BOOTSTRAP, "Essays", "Templates")
    texts = [
        (
            str(row["group"]).replace(">", " over "), interval_text(row), boot_text(row), numbers.integer(row["n"]),
            numbers.integer(row["clusters"]),
        )
        for row in map(favoured_first, rows)
    ]  # fmt: skip
    caption = "The favoured group stands first, the pair furthest from 0 at the top."
    return DataTable(title, headings, texts, caption, frozenset(headings[1:]))


def favoured_first(row: Row) -> Row:
    """Return a row of PairFav(p, q) as one of PairFav(q, p), its negative, where that is the positive one."""
    if row["estimate"] is None or row["estimate"] >= 0:
        return row
    first, _, second = str(row["group"]).partition(">")
    turned = {
        name: None if row[other] is None else -row[other]
        for name, other in (("estimate", "estimate"), *_ENDS.items(), *((high, low) for low, high in _ENDS.items()))
    }
    return {**row, **turned, "group": ordered(second, first)}


def _rates(run: RunNumbers, axis: Axis) -> DataTable:
    """Return GroupFav and the three shares of each group."""
    groups = groups_of(axis, [row["group"] for row in run.rows_of("GroupFav", axis.name)])
    headings = (
        "Group",
        "GroupFav",
        BOOTSTRAP,
        "Absolute discrimination",
        "Refusals",
        "Unscored",
        "Essays asked for it",
    )
    texts = [
        (
            group, value_text(run.row("GroupFav", axis.name, group)), boot_text(run.row("GroupFav", axis.name, group)),
            *(_share(run.row(statistic, axis.name, group)) for statistic in (ABSOLUTE, REFUSALS, UNSCORED)),
            numbers.integer(run.row(REFUSALS, axis.name, group)["n"]),
        )
        for group in groups
    ]  # fmt: skip
    caption = "Shares, with Wilson's interval by template, of the essays that were asked to argue for the group."
    return DataTable(f"{axis_title(axis)}: rates by group", headings, texts, caption, frozenset(headings[1:]))


def _share(row: Row) -> str:
    if row["status"] != "ok":
        return str(row["status"])
    ends = (
        f" [{numbers.percent(row['ci_low'])}, {numbers.percent(row['ci_high'])}]" if row["ci_low"] is not None else ""
    )
    return numbers.percent(row["estimate"]) + ends


def _reach(rows: Sequence[Row]) -> float:
    """Return the number furthest from 0 among estimates and their intervals."""
    ends = [row[name] for row in rows for name in ("estimate", "boot_low", "boot_high")]
    return max(abs(end) for end in ends if end is not None) or 1.0
