"""The paper's Tables 2 and 3 over several runs: a row a run, a column an axis, and signed differences to the base run."""

from collections.abc import Sequence

from raylib.report import numbers
from raylib.report.canvas import shortened
from raylib.report.forest import ForestLabels, ForestPanel
from raylib.report.linear_axis import LinearAxis
from raylib.report.sections import DataTable, Figure
from raylib.studies.ltf.axes import Axis
from raylib.studies.ltf.figures.base_runs import Bases, families
from raylib.studies.ltf.figures.forests import forest_figure, forest_row
from raylib.studies.ltf.figures.reading import RunNumbers
from raylib.studies.ltf.figures.titles import RUN_LETTERS, abbreviations, axis_title, short_title, value_text
from raylib.studies.ltf.measures import POOLED

DIFFERENCE, PERCENT = "difference", "in per cent"
_NO_DIFFERENCE = ""
_LEAST = 0.005
"""Of a base value a share can be taken of: of one near zero a percentage says nothing."""


def axes_of(runs: Sequence[RunNumbers]) -> list[Axis]:
    """Return the axes of any of the runs in the order in which they are shown, the controls last."""
    pooled, controls = (
        {axis.name: axis for run in runs for axis in (run.controls if control else run.axes)}
        for control in (False, True)
    )
    return [*pooled.values(), *controls.values()]


def columns_of(runs: Sequence[RunNumbers], pooled: str, *, short: bool = False) -> list[tuple[str, str]]:
    """Return title and cell of each column: the axes, all of them together (called `pooled`), the controls."""
    axes, name = axes_of(runs), short_title if short else axis_title
    own = [(name(axis), axis.name) for axis in axes if not axis.control]
    together = [(pooled, POOLED)] if own else []
    return [*own, *together, *((name(axis), axis.name) for axis in axes if axis.control)]


def table_by_run(
    title: str, statistics: Sequence[str], runs: Sequence[RunNumbers], bases: Bases, pooled: str
) -> DataTable:
    """Return a table in the paper's form.

    Args:
        title: of the table.
        statistics: the statistic's name in each run.
        runs: in the order of the rows; those that are compared stand below their base.
        bases: of the runs.
        pooled: heading of the column of all axes together.
    """
    columns = columns_of(runs, pooled, short=True)
    named = {run.name: (run, statistic) for run, statistic in zip(runs, statistics, strict=True)}
    rows: list[tuple[str, ...]] = []
    for base, others in families([run.name for run in runs], bases):
        rows.append(_values(*named[base], columns))
        for other in others:
            rows.append(_values(*named[other], columns))
            rows += _differences(named[base], named[other], columns)
    headings = ("Run", *(name for name, _ in columns))
    notes = tuple(filter(None, [abbreviations(axes_of(runs))]))
    return DataTable(title, headings, rows, "", frozenset(headings[1:]), notes=notes)


def forest_by_run(
    title: str, statistic: str, runs: Sequence[RunNumbers], pooled: str, labels: ForestLabels, caption: str
) -> Figure:
    """Return a forest plot: a panel an axis, a row a run, one scale."""
    panels = [
        ForestPanel(name, [forest_row(shortened(run.name, RUN_LETTERS), run.row(statistic, cell)) for run in runs])
        for name, cell in columns_of(runs, pooled)
    ]
    return forest_figure(title, panels, labels, caption, LinearAxis())


def _values(run: RunNumbers, statistic: str, columns: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    return (run.name, *(value_text(run.row(statistic, cell)) for _, cell in columns))


def _differences(
    base: tuple[RunNumbers, str], other: tuple[RunNumbers, str], columns: Sequence[tuple[str, str]]
) -> list[tuple[str, ...]]:
    """Return the row of signed differences and the row of these in per cent of the base; empty where one is unknown."""
    absolute, relative = [], []
    for _, cell in columns:
        before, after = (run.row(statistic, cell)["estimate"] for run, statistic in (base, other))
        if before is None or after is None:
            absolute.append(_NO_DIFFERENCE)
            relative.append(_NO_DIFFERENCE)
            continue
        absolute.append(numbers.signed(after - before, 3))
        change = f"{numbers.signed(100 * (after - before) / before, 1)}%" if before >= _LEAST else _NO_DIFFERENCE
        relative.append(change)
    return [(DIFFERENCE, *absolute), (PERCENT, *relative)]
