"""Forest plots on a linear scale: estimates of the study with the intervals that they have."""

from collections.abc import Sequence

from raylib.report import numbers
from raylib.report.forest import ForestLabels, ForestPanel, ForestRow, forest
from raylib.report.linear_axis import LinearAxis
from raylib.report.sections import Figure
from raylib.report.table import Row


def forest_row(name: str, row: Row, heading: str = "") -> ForestRow:
    """Return an estimate as a row of a forest plot."""
    ends = (row["ci_low"], row["ci_high"], row["boot_low"], row["boot_high"])
    return ForestRow(heading, name, str(row["status"]), row["estimate"], *ends)


def forest_figure(
    title: str, panels: Sequence[ForestPanel], labels: ForestLabels, caption: str, scale: LinearAxis
) -> Figure:
    """Return a forest plot with its alternative text, for a desktop and for a phone."""
    said = [
        f"{panel.title}: " * bool(panel.title) + ", ".join(f"{row.group} {_spoken(row)}" for row in panel.rows)
        for panel in panels
    ]
    alt = f"Dot plot with a line at 0. {'. '.join(said)}."
    wide, narrow = (forest(panels, labels, narrow, scale) for narrow in (False, True))
    return Figure(title, wide, alt, caption, narrow)


def _spoken(row: ForestRow) -> str:
    """Say a number and its interval: its own, or the bootstrap's."""
    if row.status != "ok":
        return row.status
    low, high = (row.boot_low, row.boot_high) if row.low is None else (row.low, row.high)
    ends = f" [{numbers.fixed(low, 3)}, {numbers.fixed(high, 3)}]" if low is not None else ""
    return numbers.fixed(row.estimate, 3) + ends
