"""Points by a ratio (log scale) and a percentage, one panel a group; some points have a name."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.lines import Line2D

from raylib.report.canvas import BLUE, GRID, NARROW, SOFT, VERMILION, WIDE, look, to_png
from raylib.report.log_axis import line_at_one, log_ratio_axis, ratio_limits
from raylib.report.panels import panels, say_status
from raylib.report.placing import Placer

_BODY, _LEFT = 250, 54
_FILLED: dict[str, Any] = {"marker": "o", "markersize": 4.5, "color": BLUE, "alpha": 0.55, "markeredgewidth": 0}
_OPEN: dict[str, Any] = {
    "marker": "D",
    "markersize": 4,
    "markerfacecolor": "none",
    "markeredgecolor": VERMILION,
    "markeredgewidth": 0.9,
}


@dataclass(frozen=True)
class ScatterPoint:
    """One item: its ratio, its percentage, and whether the ratio had to be smoothed."""

    ratio: float
    percent: float
    smoothed: bool = False
    name: str = ""
    """Written beside the point where there is room."""


@dataclass(frozen=True)
class ScatterPanel:
    """One group: its points, or a status in their place."""

    title: str
    points: Sequence[ScatterPoint] = ()
    status: str = "ok"


def scatter(
    grid: Sequence[ScatterPanel],
    x_label: str,
    y_label: str,
    kinds: tuple[str, str],
    note: str = "",
    narrow: bool = False,
) -> bytes:
    """Return the panels as PNG: three side by side, or one below the other where it is `narrow`.

    Args:
        grid: the panels; all share their scales.
        x_label: of the ratios.
        y_label: of the percentages.
        kinds: what a filled and what an open point is.
        note: small print at the foot of the figure.
        narrow: for a phone.
    """
    across, width = (1, NARROW) if narrow else (min(3, len(grid)), WIDE)
    limits = ratio_limits([point.ratio for panel in grid for point in panel.points], widest=(0, math.inf))
    with look():
        made = panels(
            len(grid), width=width, across=across, body=_BODY, left=_LEFT, top=48 if narrow else 28, note=note
        )
        for panel, plot in zip(grid, made.plots, strict=True):
            log_ratio_axis(plot, "x", limits, most=5)
            plot.set_ylim(-3, 103)
            plot.set_yticks(range(0, 101, 20))
            plot.grid(axis="y", color=GRID, linewidth=0.8)
            line_at_one(plot, "x", ":")
            plot.tick_params(labelsize=8.5)
            plot.spines[["top", "right"]].set_visible(False)
            plot.set_title(panel.title, loc="left", pad=6)
            plot.set_xlabel(x_label, fontsize=8.5, color=SOFT)
            plot.set_ylabel(y_label, fontsize=8.5, color=SOFT)
            if panel.status != "ok" or not panel.points:
                say_status(plot, panel.status if panel.status != "ok" else "no data")
                continue
            for smoothed, style in ((False, _FILLED), (True, _OPEN)):
                chosen = [point for point in panel.points if point.smoothed == smoothed]
                plot.plot([p.ratio for p in chosen], [p.percent for p in chosen], linestyle="none", zorder=3, **style)
            placer = Placer(plot, (made.body_width, _BODY), [(point.ratio, point.percent) for point in panel.points])
            for point in panel.points:
                if point.name:
                    placer.place(point.ratio, point.percent, point.name)
        made.figure.legend(
            handles=[
                Line2D([], [], linestyle="none", label=kinds[0], **_FILLED),
                Line2D([], [], linestyle="none", label=kinds[1], **_OPEN),
            ],
            loc="upper left", bbox_to_anchor=(0, 1), ncols=1 if narrow else 2, frameon=False, fontsize=9,
            borderaxespad=0.3,
        )  # fmt: skip
        return to_png(made.figure)
