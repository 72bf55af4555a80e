"""Colour scales of heat maps and matrices: from a value to a place between 0 and 1, and to a colour."""

import math
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, Protocol

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Colormap, Normalize, to_hex, to_rgb

from raylib.report.canvas import INK, SOFT

_STEPS = 49
_MINUS = "\N{MINUS SIGN}"
_DIVERGING, _GROWING = "RdBu_r", "YlOrBr"
"""Blue to red through white, and white to brown: each told apart for every common colour blindness."""


class ColourScale(Protocol):
    """What gives values their colours. What lies beyond the last tick has the last colour."""

    @property
    def ticks(self) -> tuple[float, ...]:
        """Values with a tick, lowest first."""
        ...

    @property
    def colours(self) -> str:
        """Name of the colour map."""
        ...

    def position(self, value: float) -> float:
        """Return where a value lies, 0 to 1."""
        ...

    def labels(self) -> list[str]:
        """Return the ticks as texts."""
        ...


@dataclass(frozen=True)
class RatioScale:
    """Logarithmic around one: ratios with a tick, lowest first, 1 in the middle."""

    ticks: tuple[float, ...]
    colours: str = _DIVERGING

    def position(self, value: float) -> float:
        """Return where a ratio lies, 0 to 1; a ratio of zero has the lowest colour."""
        reach = math.log(self.ticks[-1])
        place = math.log(value) if value > 0 else -reach
        return (min(max(place, -reach), reach) + reach) / (2 * reach)

    def labels(self) -> list[str]:
        """Return the ticks as texts: "≤ 1/8", "1/4", "1", "≥ 8"."""
        texts = [f"{tick:,.0f}" if tick >= 1 else f"1/{1 / tick:,.0f}" for tick in self.ticks]
        return [f"≤ {texts[0]}", *texts[1:-1], f"≥ {texts[-1]}"]


@dataclass(frozen=True)
class LinearScale:
    """Even steps from the first to the last tick; with colours around the middle, or growing from the first."""

    ticks: tuple[float, ...]
    colours: str = _DIVERGING
    open_ends: tuple[bool, bool] = (True, True)
    """Whether values below the first and above the last tick are possible: their labels say so."""

    def position(self, value: float) -> float:
        """Return where a value lies, 0 to 1."""
        low, high = self.ticks[0], self.ticks[-1]
        return (min(max(value, low), high) - low) / (high - low)

    def labels(self) -> list[str]:
        """Return the ticks as texts: "−2", "0", "≥ 1"."""
        texts = [f"{tick:g}".replace("-", _MINUS) for tick in self.ticks]
        below, above = self.open_ends
        return [f"{'≤ ' if below else ''}{texts[0]}", *texts[1:-1], f"{'≥ ' if above else ''}{texts[-1]}"]


EIGHTFOLD = RatioScale((1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8))
HUNDREDFOLD = RatioScale((1 / 100, 1 / 10, 1, 10, 100))


def growing(*ticks: float, open_ends: tuple[bool, bool] = (True, True)) -> LinearScale:
    """Return a scale for what is not, or not far, below its first tick, such as a variance: white to brown."""
    return LinearScale(ticks, _GROWING, open_ends)


class Shade(NamedTuple):
    """Colours of a cell, as hexadecimal texts."""

    face: str
    ink: str
    """Dark or light, whichever can be read on the face."""


def shade(scale: ColourScale, value: float) -> Shade:
    """Return the colours of a value."""
    face = to_rgb(_colourmap(scale.colours)(scale.position(value)))
    return Shade(to_hex(face), "white" if _luminance(face) < 0.3 else INK)


def colour_bar(axes: Axes, scale: ColourScale, label: str) -> None:
    """Draw a horizontal colour bar that fills the axes, with its ticks and a label below."""
    bar = axes.figure.colorbar(
        ScalarMappable(Normalize(0, 1), _colourmap(scale.colours)), cax=axes, orientation="horizontal"
    )
    bar.set_ticks([scale.position(tick) for tick in scale.ticks], labels=scale.labels())
    bar.outline.set_visible(False)
    axes.tick_params(labelsize=8.5, length=2)
    axes.set_xlabel(label, fontsize=9, color=SOFT, loc="left")


@cache
def _colourmap(name: str) -> Colormap:
    """Return a colour map in steps, so that few colours are used."""
    return mpl.colormaps[name].resampled(_STEPS)


def _luminance(colour: tuple[float, float, float]) -> float:
    """Return the relative luminance of a colour, 0 to 1 (WCAG 2)."""
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
