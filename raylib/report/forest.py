"""A dot-and-interval plot on a scale of ratios or a linear one: one panel a cell, two kinds of interval side by side."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from raylib.report import numbers
from raylib.report.canvas import BLUE, INK, NARROW, SOFT, VERMILION, WIDE, look, new_figure, to_png
from raylib.report.log_axis import RatioAxis, interval_line

_ROW, _HEAD, _NO_HEAD, _FOOT, _LEGEND_LINE = 27, 34, 6, 48, 20
_VALUE_COLUMN, _GAP = 60, 18
_PANELS_A_LINE = 3
_ONE_PANEL = 560


class ForestRow(NamedTuple):
    """One number with its two intervals; `status` is "ok" or what is written in the place of the numbers."""

    axis: str
    """Heading that the row stands under; empty: none."""
    group: str
    status: str = "ok"
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    boot_low: float | None = None
    boot_high: float | None = None


@dataclass(frozen=True)
class ForestPanel:
    """One cell: a title and its rows."""

    title: str
    rows: Sequence[ForestRow]
    mark: float | None = None
    """Where a dashed line stands, besides that of the scale."""


@dataclass(frozen=True)
class ForestLabels:
    """The words around the plot."""

    ratio: str
    interval: str
    """Of the first interval; empty: the numbers have a bootstrap interval only."""
    bootstrap: str
    mark: str = ""
    """What the dashed line of a panel is."""


class ForestAxis(Protocol):
    """A scale of the numbers."""

    def limits(self, values: Iterable[float | None]) -> tuple[float, float]:
        """Return the ends of the scale for these numbers."""
        ...

    def draw(self, plot: Axes, limits: tuple[float, float]) -> None:
        """Make the x axis of a plot that scale, with its line of no difference."""
        ...

    def text(self, value: float) -> str:
        """Return a number as it stands beside its row."""
        ...


RATIOS = RatioAxis()


def forest(
    panels: Sequence[ForestPanel], labels: ForestLabels, narrow: bool = False, scale: ForestAxis = RATIOS
) -> bytes:
    """Return the plot as PNG: panels side by side, or one below the other where it is `narrow`.

    Rows are the groups of all panels, by axis; a panel without a row of a group says "no data" there. A ratio of zero
    has no place on a log scale: it is an open triangle at the left edge.
    """
    groups = list(dict.fromkeys((row.axis, row.group) for panel in panels for row in panel.rows))
    axes_names = list(dict.fromkeys(axis for axis, _ in groups))
    lines = [
        item
        for axis in axes_names
        for item in [*([(axis, "")] if axis else []), *(pair for pair in groups if pair[0] == axis)]
    ]
    rows = [row for panel in panels for row in panel.rows]
    marks = [panel.mark for panel in panels]
    limits = scale.limits([*(value for row in rows for value in row[3:]), *marks])
    across = 1 if narrow else min(len(panels), _PANELS_A_LINE)
    down = math.ceil(len(panels) / across)
    label_width = 22 + 7.8 * max(len(text) for pair in groups for text in pair)
    width, body = (NARROW if narrow else WIDE if across > 1 else _ONE_PANEL), len(lines) * _ROW
    one_column = narrow or across == 1
    handles = _handles(labels, marked=any(mark is not None for mark in marks))
    legend = _LEGEND_LINE * (len(handles) if one_column else 1) + 8
    head = _HEAD if any(panel.title for panel in panels) else _NO_HEAD
    height = legend + down * (head + body + _FOOT)
    panel_width = (width - label_width - across * _VALUE_COLUMN - (across - 1) * _GAP) / across
    with look():
        figure = new_figure(width, height)
        for place, panel in enumerate(panels):
            row, column = divmod(place, across)
            left = label_width + column * (panel_width + _VALUE_COLUMN + _GAP)
            bottom = height - legend - (row + 1) * (head + body + _FOOT) + _FOOT
            plot = figure.add_axes((left / width, bottom / height, panel_width / width, body / height))
            scale.draw(plot, limits)
            _frame(plot, panel, labels.ratio, lines, with_labels=column == 0)
            _rows(plot, panel, lines, limits, apart=bool(labels.interval), text_of=scale.text)
        figure.legend(
            handles=handles, loc="upper left", ncols=1 if one_column else len(handles), frameon=False, fontsize=9,
            bbox_to_anchor=(0 if narrow else (label_width - 8) / width, 1), borderaxespad=0.2, handlelength=1.8,
            columnspacing=2.2,
        )  # fmt: skip
        return to_png(figure)


def _frame(plot: Axes, panel: ForestPanel, ratio: str, lines: Sequence[tuple[str, str]], with_labels: bool) -> None:
    plot.set_ylim(len(lines) - 0.5, -0.5)
    plot.set_yticks([])
    plot.set_title(panel.title, loc="left", pad=8)
    plot.set_xlabel(ratio, fontsize=9, color=SOFT)
    plot.spines[["top", "right", "left"]].set_visible(False)
    if panel.mark is not None:
        plot.axvline(panel.mark, color=SOFT, linewidth=1.1, linestyle="--", zorder=1.4)
    for place, (axis, group) in enumerate(lines):
        if with_labels:
            text = group or axis[:1].upper() + axis[1:]
            plot.annotate(
                text, (0, place), xycoords=("axes fraction", "data"), xytext=(-8, 0), textcoords="offset points",
                ha="right", va="center", fontsize=9.5 if group else 9, color=INK if group else SOFT,
                weight="normal" if group else "bold",
            )  # fmt: skip


def _rows(
    plot: Axes,
    panel: ForestPanel,
    lines: Sequence[tuple[str, str]],
    limits: tuple[float, float],
    apart: bool,
    text_of: Callable[[float], str],
) -> None:
    """Draw the numbers, with their texts; the two intervals `apart`, one above the other."""
    above, below = (-0.13, 0.2) if apart else (0.0, 0.0)
    by_group = {(row.axis, row.group): row for row in panel.rows}
    for place, (axis, group) in enumerate(lines):
        if not group:
            continue
        row = by_group.get((axis, group), ForestRow(axis, group, numbers.NO_DATA))
        if row.status != "ok" or row.estimate is None or not math.isfinite(row.estimate):
            text = row.status if row.status != "ok" else numbers.UNKNOWN
            plot.text(
                0.5, place, text, transform=plot.get_yaxis_transform(), ha="center", va="center", fontsize=9,
                color=SOFT, style="italic", bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5}, zorder=4,
            )  # fmt: skip
            continue
        interval_line(plot, place + above, (row.low, row.high), limits, BLUE, 2.4)
        interval_line(plot, place + below, (row.boot_low, row.boot_high), limits, VERMILION, 1.4)
        _dot(plot, place + above, row.estimate, limits)
        plot.annotate(
            text_of(row.estimate), (1, place), xycoords=("axes fraction", "data"), xytext=(8, 0),
            textcoords="offset points", va="center", fontsize=9,
        )  # fmt: skip


def _dot(plot: Axes, height: float, estimate: float, limits: tuple[float, float]) -> None:
    inside = limits[0] <= estimate <= limits[1]
    shown = min(max(estimate, limits[0]), limits[1])
    marker = "o" if inside else "<" if estimate < limits[0] else ">"
    face = BLUE if inside else "white"
    plot.plot(
        [shown], [height], marker=marker, markersize=6.5, markerfacecolor=face, markeredgecolor=BLUE if not inside else
        "white", markeredgewidth=1.1 if not inside else 0.8, clip_on=False, zorder=3,
    )  # fmt: skip


def _handles(labels: ForestLabels, marked: bool) -> list[Line2D]:
    width = 2.4 if labels.interval else 0.0
    estimate = Line2D([], [], color=BLUE, linewidth=width, marker="o", markersize=6.5, markeredgecolor="white")
    boot = Line2D([], [], color=VERMILION, linewidth=1.4, marker="|", markersize=7)
    estimate.set_label(labels.interval or "estimate")
    boot.set_label(labels.bootstrap)
    handles = [estimate, boot]
    if marked:
        handles.append(Line2D([], [], color=SOFT, linewidth=1.1, linestyle="--", label=labels.mark))
    return handles
