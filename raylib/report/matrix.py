"""Matrices of numbers with the same rows and columns, side by side: a number in each cell, its colour by the value."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.patches import Patch, PathPatch
from matplotlib.path import Path

from raylib.report import numbers
from raylib.report.canvas import GREY, HATCH, INK, SOFT, look, new_figure, to_png
from raylib.report.colour_scale import ColourScale, colour_bar, shade
from raylib.report.lettering import Lettering, write
from raylib.report.matrix_layout import Layout, Names, Tile, fits_a_phone, lay_out

_EDGE = "#c9ccd0"
_NOTHING = "–"
"""Stands in a cell that is asked about and has no number."""


@dataclass(frozen=True)
class MatrixPanel:
    """The numbers of one matrix."""

    title: str
    values: npt.NDArray[np.float64]
    """Shape (rows, columns); NaN: there is no number."""


@dataclass(frozen=True)
class Matrix:
    """Matrices that share their rows, columns and colours."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    panels: Sequence[MatrixPanel]
    asked: npt.NDArray[np.bool_]
    """Shape (rows, columns). A cell that is not asked about is hatched; one that is, but has no number, is grey."""
    scale: ColourScale
    label: str
    """What the numbers are: stands below the colour bar."""
    corner: str = ""
    """Stands where the rows' and the columns' names meet, such as "↓ better than →"."""
    unasked: str = "never asked"
    unknown: str = "no number"

    @property
    def has_unknown(self) -> bool:
        """Whether some cell that is asked about has no number."""
        return any(bool((self.asked & np.isnan(panel.values)).any()) for panel in self.panels)


def matrices(grid: Matrix) -> tuple[bytes, bytes]:
    """Return a matrix for a desktop and for a phone; the second is empty where the first is narrow enough for both."""
    titles = tuple(panel.title for panel in grid.panels)
    names = Names(grid.rows, grid.columns, titles, grid.corner)
    if fits_a_phone(names):
        return matrix(grid, narrow=True), b""
    return matrix(grid), matrix(grid, narrow=True)


def matrix(grid: Matrix, narrow: bool = False) -> bytes:
    """Return the matrices as PNG; what does not fit side by side stands below, a `narrow` one cut into blocks of columns.

    Numbers have two decimals. Their size follows from the cells' and is never below 7 points.
    """
    titles = tuple(panel.title for panel in grid.panels)
    layout = lay_out(Names(grid.rows, grid.columns, titles, grid.corner), grid.asked, narrow)
    with look():
        figure = new_figure(layout.width, layout.height)
        plot = figure.add_axes((0, 0, 1, 1))
        plot.set_xlim(0, layout.width)
        plot.set_ylim(layout.height, 0)  # one unit is one CSS pixel, from the top left corner
        plot.set_axis_off()
        for tile in layout.tiles:
            _names(plot, grid, layout, tile)
            _cells(plot, grid, layout, tile)
        left, bottom, length = layout.bar
        bar = figure.add_axes((left / layout.width, bottom / layout.height, length / layout.width, 11 / layout.height))
        colour_bar(bar, grid.scale, grid.label)
        figure.legend(
            handles=_handles(grid), loc="lower left", ncols=2, frameon=False, fontsize=9, borderaxespad=0.2,
            bbox_to_anchor=(left / layout.width, 0), handlelength=1.4, columnspacing=1.4,
        )  # fmt: skip
        return to_png(figure)


def _names(plot: Axes, grid: Matrix, layout: Layout, tile: Tile) -> None:
    (left, top), (width, height) = tile.corner, layout.cell
    if tile.title:
        plot.text(*tile.title_at, tile.title, ha="left", va="bottom", weight="bold", fontsize=9.5)
    for place, column in enumerate(tile.columns):
        plot.text(
            left + (place + 0.5) * width, top - 5, layout.column_names[column], ha="center", va="bottom", fontsize=8.5,
            rotation=90 if layout.rotated else 0, multialignment="left" if layout.rotated else "center", linespacing=1.05,
        )  # fmt: skip
    if not tile.with_rows:
        return
    for place, row in enumerate(tile.rows):
        y = top + (place + 0.5) * height
        plot.text(left - 7, y, layout.row_names[row], ha="right", va="center", fontsize=8.5, linespacing=1.05)
    plot.text(left - 7, top - 5, grid.corner, ha="right", va="bottom", fontsize=8, color=SOFT)


def _cells(plot: Axes, grid: Matrix, layout: Layout, tile: Tile) -> None:
    values = grid.panels[tile.panel].values
    (left, top), (width, height) = tile.corner, layout.cell
    known, faces, hatched = [], [], []
    written: dict[str, list[Lettering]] = {}
    for down, row in enumerate(tile.rows):
        for across, column in enumerate(tile.columns):
            corners = _corners(left + across * width, top + down * height, layout.cell)
            if not grid.asked[row, column]:
                hatched.append(corners)
                continue
            value = float(values[row, column])
            face, ink = (GREY, INK) if np.isnan(value) else shade(grid.scale, value)
            known.append(corners)
            faces.append(face)
            text = _NOTHING if np.isnan(value) else numbers.fixed(value, 2)
            middle = (left + (across + 0.5) * width, top + (down + 0.5) * height)
            written.setdefault(ink, []).append(Lettering(text, *middle))
    for ink, letterings in written.items():
        write(plot, letterings, layout.font_size, ink)
    if known:
        plot.add_collection(PolyCollection(known, facecolors=faces, edgecolors=_EDGE, linewidths=0.6), autolim=False)
    if hatched:  # one patch: each hatched one by itself takes long to draw
        outline = Path.make_compound_path(*(Path([*corners, corners[0]], closed=True) for corners in hatched))
        plot.add_artist(PathPatch(outline, facecolor="white", hatch="////", edgecolor=_EDGE, linewidth=0.6))


def _corners(x: float, y: float, cell: tuple[float, float]) -> list[tuple[float, float]]:
    """Return the corners of a cell, one pixel inside its bounds."""
    right, low = x + cell[0] - 1, y + cell[1] - 1
    return [(x + 1, y + 1), (right, y + 1), (right, low), (x + 1, low)]


def _handles(grid: Matrix) -> list[Patch]:
    handles = []
    if not grid.asked.all():
        handles.append(Patch(facecolor="white", edgecolor=HATCH, hatch="////", label=grid.unasked))
    if grid.has_unknown:
        handles.append(Patch(facecolor=GREY, label=grid.unknown))
    return handles
