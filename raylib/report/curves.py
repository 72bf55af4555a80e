"""Ratios along a scale of 0 to 100 percent: a line a group on a log scale, each with a band."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from raylib.report.canvas import NARROW, SERIES, SOFT, WIDE, look, to_png
from raylib.report.log_axis import line_at_one, log_ratio_axis, ratio_limits
from raylib.report.panels import panels
from raylib.report.placing import Placer

_NAMES = 54
"""Room on the right for the names of lines that reach 100%."""


@dataclass(frozen=True)
class Curve:
    """One group's line. NaN: there is no value at that place."""

    group: str
    series: int
    """Which colour and dash, counted from 0: a group has the same in every figure."""
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()


def curves(lines: Sequence[Curve], x_label: str, y_label: str, note: str = "", narrow: bool = False) -> bytes:
    """Return the lines as PNG, each with its name at its end.

    Args:
        lines: at least one; a line without any value is left out, so say of it in `note` what is known.
        x_label: of the percentages.
        y_label: of the ratios.
        note: small print in the figure, such as which groups are not modelled.
        narrow: for a phone.
    """
    width, body = (NARROW, 300) if narrow else (WIDE, 400)
    limits = ratio_limits([value for line in lines for value in line.y], widest=(0, math.inf))
    shown = [line for line in lines if any(math.isfinite(value) for value in line.y)]
    top = 24.0 * math.ceil((len(shown) + 1) / (3 if narrow else 8)) + 6
    with look():
        made = panels(1, width=width, across=1, body=body, left=56, top=top, head=8, note=note,
                      right=_NAMES)  # fmt: skip
        (plot,) = made.plots
        log_ratio_axis(plot, "y", limits)
        line_at_one(plot, "y", ":")
        plot.set_xlim(0, 100)
        plot.set_xticks(range(0, 101, 10 if not narrow else 20))
        plot.spines[["top", "right"]].set_visible(False)
        plot.set_xlabel(x_label, fontsize=9, color=SOFT)
        plot.set_ylabel(y_label, fontsize=9, color=SOFT)
        placer = Placer(plot, (made.body_width, body), right=_NAMES - 6)
        for line in shown:
            colour, dash = SERIES[line.series % len(SERIES)]
            if line.low and line.high:
                plot.fill_between(line.x, line.low, line.high, color=colour, alpha=0.13, linewidth=0, zorder=2)
            plot.plot(line.x, line.y, color=colour, linestyle=dash, linewidth=2, zorder=3)
            last = max(place for place, value in enumerate(line.y) if math.isfinite(value))
            plot.plot([line.x[last]], [line.y[last]], marker="o", markersize=5, color=colour, zorder=4)
            placer.place(line.x[last], line.y[last], line.group)
        handles: list[Line2D | Patch] = [
            Line2D([], [], color=SERIES[line.series % len(SERIES)][0], linestyle=SERIES[line.series % len(SERIES)][1],
                   linewidth=2, label=line.group)
            for line in shown
        ]  # fmt: skip
        if any(line.low for line in shown):
            handles.append(Patch(facecolor="#888888", alpha=0.25, label="95% bootstrap"))
        made.figure.legend(
            handles=handles, loc="upper left", bbox_to_anchor=(0 if narrow else 50 / width, 1), frameon=False, fontsize=9,
            ncols=3 if narrow else 8, borderaxespad=0.2, columnspacing=1.4, handlelength=2.6,
        )  # fmt: skip
        return to_png(made.figure)
