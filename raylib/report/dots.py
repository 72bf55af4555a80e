"""Ratios of several models on a log scale: one marker a model, the median, colours by p-value; one model: intervals."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from raylib.report import numbers
from raylib.report.canvas import INK, NARROW, SOFT, VERMILION, WIDE, look, shortened, to_png
from raylib.report.log_axis import interval_line, line_at_one, log_ratio_axis, ratio_limits
from raylib.report.panels import panels

MARKERS = ("o", "s", "P", "X", "^", "D", "v", "*", "p", "<", ">", "h")
P_COLOURS = ((0.001, "#7f1734", "p < .001"), (0.01, "#d9642c", "p < .01"), (0.05, "#f5c242", "p < .05"))
_NOT_TOLD_APART = ("#b9bcc0", "p ≥ .05")
"""Dark to light, so that the steps are told apart without hue."""
_ROW, _ROW_OF_SEVERAL, _ONE_COLUMN = 21, 27, 640
_APART = 0.62
"""Of a row's height: from the first to the last model's marker, so that equal ratios do not hide each other."""
_BEYOND = 3
"""How many times the ratios themselves the scale reaches for intervals; a wider one ends in an arrow."""


@dataclass(frozen=True)
class Dot:
    """One model's ratio; `model` counts from 0."""

    model: int
    ratio: float
    p_value: float | None = None
    interval: tuple[float | None, float | None] = (None, None)
    bootstrap: tuple[float | None, float | None] = (None, None)


@dataclass(frozen=True)
class DotRow:
    """One group: its dots, or a status in their place."""

    group: str
    dots: tuple[Dot, ...] = ()
    median: float | None = None
    status: str = "ok"


@dataclass(frozen=True)
class DotPanel:
    """One cell: a title and its rows, in the order in which they are drawn."""

    title: str
    rows: Sequence[DotRow]


def p_colour(p_value: float | None) -> str:
    """Return the colour of a dot; an unknown p-value is as one of .05 and more."""
    known = math.inf if p_value is None or math.isnan(p_value) else p_value
    return next((colour for below, colour, _ in P_COLOURS if known < below), _NOT_TOLD_APART[0])


def dot_plot(grid: Sequence[DotPanel], models: Sequence[str], ratio: str, narrow: bool = False) -> bytes:
    """Return the plot as PNG: two panels side by side, or one below the other where it is `narrow`.

    Args:
        grid: the panels.
        models: names, in the order of `Dot.model`. With one, its two intervals are drawn and no median.
        ratio: label of the axis.
        narrow: for a phone.
    """
    one = len(models) == 1
    dots = [dot for panel in grid for row in panel.rows for dot in row.dots]
    reached = [dot.ratio for dot in dots]
    ends = [end for dot in dots for end in (*dot.interval, *dot.bootstrap)] if one else []
    low, high = ratio_limits(reached, widest=(0, math.inf))
    limits = ratio_limits([*reached, *ends], widest=(low / _BEYOND, high * _BEYOND))
    across = 1 if narrow or len(grid) == 1 else 2
    width = NARROW if narrow else WIDE if across > 1 else _ONE_COLUMN
    left = 14 + 7.2 * max((len(row.group) for panel in grid for row in panel.rows), default=0)
    most = max((len(panel.rows) for panel in grid), default=1)
    shapes = _model_handles(models)
    legend = 26 * (1 if not narrow else 2) + (22 * math.ceil(len(shapes) / (1 if narrow else 5)) if shapes else 0)
    with look():
        made = panels(
            len(grid),
            width=width,
            across=across,
            body=most * (_ROW if one else _ROW_OF_SEVERAL),
            left=left,
            top=legend + 4,
            right=58 if one else 14,
        )
        for panel, plot in zip(grid, made.plots, strict=True):
            log_ratio_axis(plot, "x", limits)
            line_at_one(plot, "x", ":")
            plot.set_ylim(most - 0.5, -0.5)
            plot.set_yticks(range(len(panel.rows)), [row.group for row in panel.rows], fontsize=9)
            plot.tick_params(axis="y", length=0)
            plot.grid(axis="y", visible=False)
            plot.spines[["top", "right", "left"]].set_visible(False)
            plot.set_title(panel.title, loc="left", pad=7)
            plot.set_xlabel(ratio, fontsize=9, color=SOFT)
            for place, row in enumerate(panel.rows):
                _row(plot, place, row, limits, len(models))
        head = {"frameon": False, "fontsize": 9, "borderaxespad": 0.2, "columnspacing": 1.4, "handletextpad": 0.5}
        made.figure.legend(
            handles=_colour_handles(one), loc="upper left", bbox_to_anchor=(0, 1), ncols=3 if narrow else 7, **head
        )
        if shapes:
            made.figure.legend(
                handles=shapes, loc="upper left", ncols=1 if narrow else 5, **head,
                bbox_to_anchor=(0, 1 - 26 * (2 if narrow else 1) / made.height),
            )  # fmt: skip
        return to_png(made.figure)


def _row(plot: Axes, place: int, row: DotRow, limits: tuple[float, float], models: int) -> None:
    one = models == 1
    if not row.dots:
        plot.text(
            0.5, place, row.status, transform=plot.get_yaxis_transform(), ha="center", va="center", fontsize=9,
            color=SOFT, style="italic", bbox={"facecolor": "white", "edgecolor": "none", "pad": 1}, zorder=4,
        )  # fmt: skip
        return
    plot.axhline(place, color="#eeeeec", linewidth=0.8, zorder=0.5)
    if row.median is not None and not one:
        plot.plot([row.median] * 2, [place - 0.42, place + 0.42], color=INK, linewidth=1.8, zorder=2)
    for dot in row.dots:
        colour = p_colour(dot.p_value)
        if one:
            interval_line(plot, place - 0.1, dot.interval, limits, INK, 1.6, capped=False)
            interval_line(plot, place + 0.26, dot.bootstrap, limits, VERMILION, 1.4, capped=False)
            plot.annotate(
                numbers.number(dot.ratio), (1, place), xycoords=("axes fraction", "data"), xytext=(8, 0),
                textcoords="offset points", va="center", fontsize=9,
            )  # fmt: skip
        edge = "white" if colour == P_COLOURS[0][1] else INK
        y = place - 0.1 if one else place + _APART * (dot.model / (models - 1) - 0.5)
        plot.plot(
            [dot.ratio], [y], marker=MARKERS[dot.model % len(MARKERS)], color=colour, markersize=7 if one else 6.5,
            markeredgecolor=edge, markeredgewidth=0.6, clip_on=False, zorder=3, linestyle="none",
        )  # fmt: skip


def _colour_handles(one: bool) -> list[Patch | Line2D]:
    steps = [*((colour, label) for _, colour, label in P_COLOURS), _NOT_TOLD_APART]
    found: list[Patch | Line2D] = [
        Patch(facecolor=colour, edgecolor=INK, linewidth=0.6, label=label) for colour, label in steps
    ]
    if one:
        found.append(Line2D([], [], color=INK, linewidth=1.6, label="95% Katz"))
        found.append(Line2D([], [], color=VERMILION, linewidth=1.4, label="95% bootstrap"))
    else:
        found.append(
            Line2D([], [], color=INK, linewidth=1.8, marker="|", markersize=11, linestyle="none", label="median")
        )
    return found


def _model_handles(models: Sequence[str]) -> list[Line2D]:
    if len(models) == 1:
        return []
    return [
        Line2D(
            [], [], marker=MARKERS[place % len(MARKERS)], color="white", markeredgecolor=INK, markersize=7,
            linestyle="none", label=shortened(name, 40 if len(models) < 3 else 24),
        )
        for place, name in enumerate(models)
    ]  # fmt: skip
