"""Ratios on a log scale: which ones an axis reaches, where its ticks are, what stands at them."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator

from raylib.report import numbers
from raylib.report.canvas import GRID, INK

_WIDEST = (1 / 200, 200.0)


def ratio_limits(
    values: Iterable[float | None], least: float = 2.0, widest: tuple[float, float] = _WIDEST
) -> tuple[float, float]:
    """Return the ends of a ratio axis: what the values reach, at least 1/least to `least`, at most `widest`.

    Values that are unknown, endless, zero or negative have no place on it and are left out.
    """
    known = [value for value in values if value is not None and math.isfinite(value) and value > 0]
    low, high = min([1 / least, *known]), max([least, *known])
    return max(low / 1.25, widest[0]), min(high * 1.25, widest[1])


def ratio_ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return round numbers between two ratios, at most `most` where powers of ten or of a hundred do that."""
    ticks: list[float] = []
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for steps, every in (((1, 2, 5), 1), ((1, 3), 1), ((1,), 1), ((1,), 2)):
        kept = [decade for decade in decades if decade % every == 0]
        ticks = [step * 10.0**decade for decade in kept for step in steps if low <= step * 10.0**decade <= high]
        if len(ticks) <= most:
            break
    return ticks


def log_ratio_axis(plot: Axes, which: str, limits: tuple[float, float], most: int = 6) -> None:
    """Make the x or the y axis of a plot a log scale of ratios, with a grid."""
    axis: Axis = plot.xaxis if which == "x" else plot.yaxis
    (plot.set_xscale if which == "x" else plot.set_yscale)("log")
    (plot.set_xlim if which == "x" else plot.set_ylim)(*limits)
    ticks = ratio_ticks(*limits, most)
    axis.set_major_locator(FixedLocator(ticks))
    axis.set_major_formatter(FixedFormatter([f"{tick:,.0f}" if tick >= 1 else f"{tick:g}" for tick in ticks]))
    axis.set_minor_locator(NullLocator())
    axis.grid(visible=True, color=GRID, linewidth=0.8)
    plot.set_axisbelow(True)


def line_at_one(plot: Axes, which: str, style: str = "-") -> None:
    """Draw the line at a ratio of 1."""
    draw = plot.axvline if which == "x" else plot.axhline
    draw(1, color=INK, linewidth=1.1, linestyle=style, zorder=1.5)


@dataclass(frozen=True)
class RatioAxis:
    """A log scale of ratios with a line at 1."""

    def limits(self, values: Iterable[float | None]) -> tuple[float, float]:
        """Return the ends of an axis for these ratios (`ratio_limits`)."""
        return ratio_limits(values)

    def draw(self, plot: Axes, limits: tuple[float, float]) -> None:
        """Make the x axis of a plot such a scale, with a grid and the line."""
        log_ratio_axis(plot, "x", limits)
        line_at_one(plot, "x")

    def text(self, value: float) -> str:
        """Return a ratio at three significant digits."""
        return numbers.number(value)


def interval_line(
    plot: Axes,
    y: float,
    ends: tuple[float | None, float | None],
    limits: tuple[float, float],
    color: str,
    width: float,
    *,
    capped: bool = True,
) -> None:
    """Draw an interval along x at the height `y`; an arrow where it goes on beyond the axis, a cap where it ends.

    An unknown interval, or one of no width, is not drawn: that nothing varied does not make a value certain.
    """
    low, high = ends
    if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)) or low == high:
        return
    left, right = (min(max(end, limits[0]), limits[1]) for end in (low, high))
    plot.plot([left, right], [y, y], color=color, linewidth=width, solid_capstyle="butt", zorder=2)
    for end, shown, arrow in ((low, left, "<"), (high, right, ">")):
        if end != shown:
            plot.plot([shown], [y], marker=arrow, color=color, markersize=5, clip_on=False, zorder=2)
        elif capped:
            plot.plot([shown], [y], marker="|", color=color, markersize=5.5, clip_on=False, zorder=2)
