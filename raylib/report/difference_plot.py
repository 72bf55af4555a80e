"""Differences with their intervals on a linear scale around 0: one panel a statistic, one row an axis."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from raylib.report import numbers
from raylib.report.canvas import BLUE, GREY, GRID, INK, NARROW, SOFT, WIDE, look, shortened, to_png
from raylib.report.log_axis import interval_line
from raylib.report.panels import panels

MOST_ROWS = 24
"""Of a panel: with more, nobody reads the plot."""
_ROW, _ACROSS, _LETTER, _VALUE_COLUMN, _LONGEST = 25, 3, 6.9, 68, 24


class DifferenceRow(NamedTuple):
    """One difference; `status` is "ok" or what is written in the place of the numbers."""

    label: str
    status: str = "ok"
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    detectable: float | None = None


@dataclass(frozen=True)
class DifferencePanel:
    """One statistic: its title and its rows, in the order in which they are drawn."""

    title: str
    rows: Sequence[DifferenceRow]


def difference_plot(grid: Sequence[DifferencePanel], scale: str, narrow: bool = False) -> bytes:
    """Return the plot as PNG: panels side by side, or one below the other where it is `narrow`.

    Each panel has a scale of its own, since statistics differ in their units; 0 is in its middle.

    Args:
        grid: the panels, at least one, none of them empty.
        scale: label of the axes, such as "B - A".
        narrow: for a phone.
    """
    across = 1 if narrow else min(len(grid), _ACROSS)
    longest = max(len(shortened(row.label, _LONGEST)) for panel in grid for row in panel.rows)
    most = max(len(panel.rows) for panel in grid)
    with look():
        made = panels(
            len(grid), width=NARROW if narrow else WIDE, across=across, body=most * _ROW, left=16 + _LETTER * longest,
            top=50 if narrow else 28, right=_VALUE_COLUMN,
        )  # fmt: skip
        for panel, plot in zip(grid, made.plots, strict=True):
            limits = _limits(panel)
            _frame(plot, panel, scale, limits, most)
            for place, row in enumerate(panel.rows):
                _row(plot, place, row, limits)
        made.figure.legend(
            handles=_handles(), loc="upper left", ncols=1 if narrow else 2, frameon=False, fontsize=9,
            bbox_to_anchor=(0, 1), borderaxespad=0.2, columnspacing=2.2,
        )  # fmt: skip
        return to_png(made.figure)


def _limits(panel: DifferencePanel) -> tuple[float, float]:
    """Return ends at equal distances from 0 that hold all differences and intervals."""
    reached = [abs(value) for row in panel.rows for value in row[2:5] if value is not None and math.isfinite(value)]
    far = 1.15 * max(reached, default=0.0) or 1.0
    return -far, far


def _frame(plot: Axes, panel: DifferencePanel, scale: str, limits: tuple[float, float], most: int) -> None:
    plot.set_xlim(*limits)
    plot.set_ylim(most - 0.5, -0.5)
    plot.set_yticks(range(len(panel.rows)), [shortened(row.label, _LONGEST) for row in panel.rows], fontsize=9)
    plot.tick_params(axis="y", length=0)
    plot.xaxis.set_major_locator(MaxNLocator(4, symmetric=True))
    plot.grid(axis="x", color=GRID, linewidth=0.8)
    plot.set_axisbelow(True)
    plot.axvline(0, color=INK, linewidth=1.1, zorder=1.5)
    plot.spines[["top", "right", "left"]].set_visible(False)
    plot.set_title(panel.title, loc="left", pad=7)
    plot.set_xlabel(scale, fontsize=9, color=SOFT)


def _row(plot: Axes, place: int, row: DifferenceRow, limits: tuple[float, float]) -> None:
    if row.status != "ok" or row.difference is None or not math.isfinite(row.difference):
        text = row.status if row.status != "ok" else numbers.UNKNOWN
        plot.text(
            0.5, place, text, transform=plot.get_yaxis_transform(), ha="center", va="center", fontsize=9, color=SOFT,
            style="italic", bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5}, zorder=4,
        )  # fmt: skip
        return
    if row.detectable is not None and math.isfinite(row.detectable):
        reach = min(row.detectable, limits[1])
        plot.barh(place, 2 * reach, left=-reach, height=0.62, color=GREY, alpha=0.55, zorder=0.8)
    interval_line(plot, place, (row.low, row.high), limits, BLUE, 2.0)
    plot.plot([row.difference], [place], marker="o", markersize=6, color=BLUE, markeredgecolor="white", zorder=3)
    plot.annotate(
        numbers.number(row.difference), (1, place), xycoords=("axes fraction", "data"), xytext=(8, 0),
        textcoords="offset points", va="center", fontsize=9,
    )  # fmt: skip


def _handles() -> list[Line2D | Patch]:
    return [
        Line2D([], [], color=BLUE, linewidth=2, marker="o", markeredgecolor="white", label="difference, 95% bootstrap"),
        Patch(facecolor=GREY, alpha=0.55, label="too small for this design to find (80% power)"),
    ]
