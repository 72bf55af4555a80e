"""What the figures share: a look, sizes in CSS pixels, and PNG bytes that are the same every time."""

from collections.abc import Iterator
from contextlib import contextmanager

import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from raylib.report.palette import indexed_png

INK = "#1c2127"
SOFT = "#5b636d"
GREY = "#d4d5d6"
GRID = "#e3e4e5"
BLUE = "#0072b2"
VERMILION = "#d55e00"
HATCH = "#a9adb2"
"""Blue and vermilion of Okabe and Ito's palette: apart for every common colour blindness, and in grey."""

SERIES = (
    ("#000000", "-"), ("#e69f00", "-"), ("#009e73", "--"), ("#0072b2", "-"), ("#d55e00", "-."), ("#cc79a7", "--"),
    ("#56b4e9", ":"),
)  # fmt: skip
"""Okabe and Ito's palette, each colour with a dash, so that lines are told apart without colour too."""

WIDE = 920
"""Width of a figure on a desktop and on paper, in CSS pixels (96 an inch)."""
NARROW = 356
"""Width of a figure on a phone 390 pixels wide."""

_CSS_PIXELS_PER_INCH = 96
_STYLE = {
    "font.family": "DejaVu Sans",  # comes with matplotlib: the same glyphs on every machine
    "font.size": 9.5,
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "axes.edgecolor": SOFT,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": SOFT,
    "ytick.color": INK,
    "xtick.labelcolor": INK,
    "hatch.linewidth": 0.6,
    "hatch.color": HATCH,
}


@contextmanager
def look() -> Iterator[None]:
    """Use the report's look in the block, whatever the user's matplotlib settings are, and put theirs back."""
    with mpl.rc_context({**mpl.rcParamsDefault, **_STYLE, "backend": mpl.rcParams["backend"]}):
        yield


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of a size in CSS pixels, without any state outside it."""
    size = (width / _CSS_PIXELS_PER_INCH, height / _CSS_PIXELS_PER_INCH)
    return Figure(figsize=size, dpi=2 * _CSS_PIXELS_PER_INCH, facecolor="white")


def shortened(text: str, most: int) -> str:
    """Return a text of at most so many letters, its middle left out where it is longer."""
    if len(text) <= most:
        return text
    kept = most - 1
    return f"{text[: kept - kept // 2]}…{text[len(text) - kept // 2 :]}"


def to_png(figure: Figure) -> bytes:
    """Return the figure as PNG at two pixels a CSS pixel; without a date or a version, so the same bytes each time."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return indexed_png(np.asarray(canvas.buffer_rgba()), 2 * _CSS_PIXELS_PER_INCH)
