"""Numbers on a linear scale with a line at zero: which ones an axis reaches, and where its ticks are."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator

from raylib.report import numbers
from raylib.report.canvas import GRID, INK

_ROOM = 0.06
"""Of an axis's length, beyond the values on each side."""
_MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True)
class LinearAxis:
    """A linear scale that holds zero and reaches at least `least` to one side or the other."""

    least: float = 0.1
    symmetric: bool = False
    """As far to the left of zero as to the right."""

    def limits(self, values: Iterable[float | None]) -> tuple[float, float]:
        """Return the ends of an axis for these values; unknown and endless ones are left out."""
        known = [value for value in values if value is not None and math.isfinite(value)]
        low, high = min([0.0, *known]), max([self.least, *known])
        if self.symmetric:
            low, high = -max(-low, high), max(-low, high)
        room = _ROOM * (high - low)
        return low - (room if low < 0 else room / 2), high + room

    def draw(self, plot: Axes, limits: tuple[float, float]) -> None:
        """Make the x axis of a plot such a scale, with a grid and the line at zero."""
        plot.set_xlim(*limits)
        ticks = linear_ticks(*limits)
        plot.xaxis.set_major_locator(FixedLocator(ticks))
        plot.xaxis.set_major_formatter(FixedFormatter([f"{tick:g}".replace("-", _MINUS) for tick in ticks]))
        plot.xaxis.set_minor_locator(NullLocator())
        plot.xaxis.grid(visible=True, color=GRID, linewidth=0.8)
        plot.set_axisbelow(True)
        plot.axvline(0, color=INK, linewidth=1.1, zorder=1.5)

    def text(self, value: float) -> str:
        """Return a number with three decimals."""
        return numbers.fixed(value, 3)


def linear_ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return multiples of 1, 2 or 5 times a power of ten between two values, at most `most`."""
    power = 10.0 ** math.floor(math.log10((high - low) / most))
    step = next(power * times for times in (1, 2, 5, 10, 20) if (high - low) / (power * times) <= most - 1)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{place * step:.12g}") for place in range(first, last + 1)]
