"""Small plots side by side: where each stands in a figure, and what one without numbers says."""

import math
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from raylib.report.canvas import SOFT, new_figure

_NOTE = 22


@dataclass(frozen=True)
class Panels:
    """A figure with its plots, in reading order, and its size in CSS pixels."""

    figure: Figure
    plots: list[Axes]
    width: int
    height: float
    body_width: float
    """Of one plot."""


def panels(
    number: int, *, width: int, across: int, body: float, left: float, top: float, head: float = 30, foot: float = 46,
    right: float = 16, note: str = "",
) -> Panels:  # fmt: skip
    """Return a figure with a grid of empty plots below a strip for the legend.

    Args:
        number: of plots.
        width: of the figure; this and all other sizes are CSS pixels.
        across: plots in a line.
        body: height of a plot.
        left: room for the labels on the left of each plot.
        top: height of the legend's strip.
        head: room above each plot for its title.
        foot: room below each plot for its scale.
        right: room on the right of each plot.
        note: small print at the foot of the figure, such as which groups are not modelled.
    """
    down = math.ceil(number / across)
    height = top + down * (head + body + foot) + (_NOTE if note else 0)
    body_width = width / across - left - right
    figure = new_figure(width, height)
    plots = []
    for place in range(number):
        row, column = divmod(place, across)
        x, y = column * width / across + left, height - top - (row + 1) * (head + body + foot) + foot
        plots.append(figure.add_axes((x / width, y / height, body_width / width, body / height)))
    if note:
        figure.text(8 / width, 8 / height, note, fontsize=9, color=SOFT, style="italic", va="bottom")
    return Panels(figure, plots, width, height, body_width)


def say_status(plot: Axes, status: str) -> None:
    """Write a status in the middle of a plot that has no numbers."""
    plot.text(
        0.5, 0.5, status, transform=plot.transAxes, ha="center", va="center", fontsize=9.5, color=SOFT, style="italic",
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 2.5}, zorder=5,
    )  # fmt: skip
