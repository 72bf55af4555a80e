"""Histograms on a log scale of counts: one small panel a group, all with the same scales."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.ticker import FixedLocator, NullLocator

from raylib.report.canvas import BLUE, GRID, NARROW, SOFT, WIDE, look, to_png
from raylib.report.panels import panels, say_status

_BODY, _LEFT = 118, 68
_FLOOR = 0.5
"""Lower end of the scale of counts: a single observation has a bar."""


@dataclass(frozen=True)
class HistogramPanel:
    """One group: counts of bins of equal width from 0 to 100, or a status in their place."""

    title: str
    counts: tuple[float, ...] = ()
    status: str = "ok"

    @property
    def highest(self) -> int:
        """The upper end of the highest bin that holds anything; 0 for an empty panel."""
        used = [place for place, count in enumerate(self.counts, start=1) if count > 0]
        return round(100 * used[-1] / len(self.counts)) if used else 0


def histogram(
    grid: Sequence[HistogramPanel], x_label: str, y_label: str, note: str = "", narrow: bool = False
) -> bytes:
    """Return the panels as PNG: three side by side, or one below the other where it is `narrow`.

    A panel says where its counts end, one without counts its status; `note` is small print at the foot.
    """
    across, width = (1, NARROW) if narrow else (min(3, len(grid)), WIDE)
    top = 10.0 ** math.ceil(math.log10(max([10.0, *(count for panel in grid for count in panel.counts)])) + 0.15)
    with look():
        made = panels(len(grid), width=width, across=across, body=_BODY, left=_LEFT, top=4, note=note)
        for panel, plot in zip(grid, made.plots, strict=True):
            plot.set_title(panel.title, loc="left", pad=6)
            plot.set_yscale("log")
            plot.set_xlim(0, 100)
            plot.set_ylim(_FLOOR, top)
            plot.set_xticks([0, 20, 40, 60, 80, 100])
            plot.yaxis.set_major_locator(FixedLocator([10.0**power for power in range(int(math.log10(top)) + 1)][::2]))
            plot.yaxis.set_major_formatter(lambda tick, _: f"{tick:,.0f}")
            plot.yaxis.set_minor_locator(NullLocator())
            plot.tick_params(labelsize=8.5)
            plot.spines[["top", "right"]].set_visible(False)
            plot.set_xlabel(x_label, fontsize=8.5, color=SOFT)
            plot.set_ylabel(y_label, fontsize=8.5, color=SOFT)
            if panel.status != "ok" or not panel.highest:
                say_status(plot, panel.status if panel.status != "ok" else "no data")
                continue
            plot.grid(axis="y", color=GRID, linewidth=0.8)
            plot.set_axisbelow(True)
            step = 100 / len(panel.counts)
            edges = [place * step for place in range(len(panel.counts) + 1)]
            plot.stairs(panel.counts, edges, baseline=_FLOOR, fill=True, color=BLUE, linewidth=0)
            if panel.highest < 97:
                plot.annotate(
                    f"none above {panel.highest}%", (panel.highest, 0), xycoords=("data", "axes fraction"),
                    xytext=(4 if panel.highest < 60 else -4, 66 if panel.highest >= 60 else 7),
                    textcoords="offset points", ha="left" if panel.highest < 60 else "right", va="bottom", fontsize=8.5,
                    color=SOFT,
                )  # fmt: skip
        return to_png(made.figure)
