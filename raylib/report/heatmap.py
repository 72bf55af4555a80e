"""A heat map: colours say how far from the baseline a value is, the text in a cell says the number."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from matplotlib.axes import Axes
from matplotlib.patches import Patch, Rectangle

from raylib.report.canvas import GREY, HATCH, INK, NARROW, SOFT, WIDE, look, new_figure, shortened, to_png
from raylib.report.colour_scale import EIGHTFOLD, ColourScale, colour_bar, shade

_HEAD, _TITLE, _LEGEND = 24, 30, 76
_LETTER = 7.8
"""Width of a letter at 9.5 points, in CSS pixels."""
_GAP = 0.35
"""Between columns of different axes, in columns."""


@dataclass(frozen=True)
class HeatCell:
    """One cell: its text, and the ratio that colours it (None: grey)."""

    text: str
    ratio: float | None = None
    small: str = ""
    modelled: bool = True
    """False: hatched, there is no number at all."""


@dataclass(frozen=True)
class HeatBlock:
    """Rows that stand together under a title, such as the domains of one model."""

    title: str
    rows: tuple[str, ...]
    cells: Sequence[Sequence[HeatCell]]
    """One line of cells a row."""


@dataclass(frozen=True)
class HeatMap:
    """Blocks of rows with the same columns; columns of one axis stand together."""

    columns: tuple[tuple[str, str], ...]
    """Axis and group of each column."""
    blocks: Sequence[HeatBlock]
    ratio: str
    grey: str
    """What a grey cell means."""
    scale: ColourScale = EIGHTFOLD


@dataclass(frozen=True)
class _Layout:
    """Sizes in CSS pixels."""

    width: int
    left: float
    cell_width: float
    cell_height: float
    gaps: tuple[float, ...]


def heatmap(grid: HeatMap, narrow: bool = False) -> bytes:
    """Return the heat map as PNG; `narrow` puts the groups into rows, block below block."""
    axes_names = list(dict.fromkeys(axis for axis, _ in grid.columns))
    gaps = tuple(_GAP * axes_names.index(axis) for axis, _ in grid.columns)
    along = len(grid.columns) + gaps[-1]
    rows = sum(len(block.rows) for block in grid.blocks)
    side = [group for _, group in grid.columns] if narrow else [row for block in grid.blocks for row in block.rows]
    width, left = (NARROW if narrow else WIDE), 18 + _LETTER * max(len(label) for label in side)
    across = max(len(block.rows) for block in grid.blocks) if narrow else along
    tall = any(cell.small for block in grid.blocks for line in block.cells for cell in line)
    cell_height = 46.0 if narrow else 58.0 if rows <= 4 else 46.0 if tall else 36.0
    layout = _Layout(width, left, (width - left - 4) / across, cell_height, gaps)
    titles = _TITLE * sum(bool(block.title) for block in grid.blocks)
    heads = _HEAD * (len(grid.blocks) if narrow else 1)
    body = titles + heads + cell_height * (along * len(grid.blocks) if narrow else rows)
    legend = _LEGEND + (28 if narrow else 0)
    height = body + legend + (8 * len(grid.blocks) if narrow else 0)
    with look():
        figure = new_figure(width, height)
        plot = figure.add_axes((0, 0, 1, 1))
        plot.set_xlim(0, width)
        plot.set_ylim(height, 0)  # one unit is one CSS pixel, from the top left corner
        plot.set_axis_off()
        (_draw_narrow if narrow else _draw_wide)(plot, grid, layout)
        bar_left, bar_width = (34, width - 68) if narrow else (left + 20, 0.5 * (width - left))
        bar = figure.add_axes((bar_left / width, (legend - 34) / height, bar_width / width, 11 / height))
        colour_bar(bar, grid.scale, grid.ratio)
        figure.legend(
            handles=[
                Patch(facecolor=GREY, label=grid.grey),
                Patch(facecolor="white", edgecolor=HATCH, hatch="////", label="no number"),
            ],
            loc="lower right" if not narrow else "lower left", ncols=1 if not narrow else 2, frameon=False, fontsize=9,
            bbox_to_anchor=(1, 0) if not narrow else (0, 0), borderaxespad=0.3, handlelength=1.4, columnspacing=1.4,
        )  # fmt: skip
        return to_png(figure)


def _draw_wide(plot: Axes, grid: HeatMap, layout: _Layout) -> None:
    for place, (_, group) in enumerate(grid.columns):
        x = layout.left + (place + layout.gaps[place] + 0.5) * layout.cell_width
        _say(plot, x, _HEAD - 6, group, "center", "bottom")
    top = float(_HEAD)
    for block in grid.blocks:
        if block.title:
            _say(plot, 2, top + _TITLE - 7, shortened(block.title, 100), "left", "bottom", "bold")
            top += _TITLE
        for row, line in zip(block.rows, block.cells, strict=True):
            weight = "normal" if block.title else "bold"
            _say(plot, layout.left - 8, top + layout.cell_height / 2, row, "right", "center", weight)
            for place, cell in enumerate(line):
                x = layout.left + (place + layout.gaps[place]) * layout.cell_width
                _cell(plot, (x, top), (layout.cell_width, layout.cell_height), cell, grid.scale)
            top += layout.cell_height


def _draw_narrow(plot: Axes, grid: HeatMap, layout: _Layout) -> None:
    top = 0.0
    for block in grid.blocks:
        if block.title:
            _say(plot, 2, top + _TITLE - 7, shortened(block.title, 42), "left", "bottom", "bold")
            top += _TITLE
        for row, label in enumerate(block.rows):
            weight = "normal" if block.title else "bold"
            _say(
                plot, layout.left + (row + 0.5) * layout.cell_width, top + _HEAD - 6, label, "center", "bottom", weight
            )
        top += _HEAD
        for place, (_, group) in enumerate(grid.columns):
            y = top + (place + layout.gaps[place]) * layout.cell_height
            _say(plot, layout.left - 8, y + layout.cell_height / 2, group, "right", "center")
            for row, line in enumerate(block.cells):
                x = layout.left + row * layout.cell_width
                _cell(plot, (x, y), (layout.cell_width, layout.cell_height), line[place], grid.scale)
        top += (len(grid.columns) + layout.gaps[-1]) * layout.cell_height + 8


def _say(
    plot: Axes,
    x: float,
    y: float,
    text: str,
    across: Literal["left", "center", "right"],
    along: Literal["bottom", "center"],
    weight: str = "normal",
) -> None:
    plot.text(x, y, text, ha=across, va=along, weight=weight)


def _cell(
    plot: Axes, corner: tuple[float, float], size: tuple[float, float], cell: HeatCell, scale: ColourScale
) -> None:
    (x, y), (width, height) = corner, size
    face, ink = _colours(cell, scale)
    plot.add_patch(
        Rectangle(
            (x + 1, y + 1), width - 2, height - 2, facecolor=face, edgecolor="#c9ccd0", linewidth=0.6,
            hatch=None if cell.modelled else "////",
        )
    )  # fmt: skip
    fits = len(cell.text) * _LETTER < width - 8
    text = (
        cell.text if cell.modelled or fits else cell.text.replace(" ", "\n", 1)
    )  # "not modelled" is wider than a cell
    box = None if cell.modelled else {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
    plot.text(
        x + width / 2, y + height * (0.36 if cell.small else 0.5), text, ha="center", va="center", color=ink, bbox=box,
        fontsize=9.5 if cell.modelled else 8.5, style="normal" if cell.modelled else "italic",
        weight="bold" if cell.modelled else "normal", linespacing=1.0,
    )  # fmt: skip
    if cell.small:
        plot.text(x + width / 2, y + 0.72 * height, cell.small, ha="center", va="center", color=ink, fontsize=8.5)


def _colours(cell: HeatCell, scale: ColourScale) -> tuple[str, str]:
    """Return a cell's face and the ink that can be read on it."""
    if not cell.modelled:
        return "white", SOFT
    if cell.ratio is None:
        return GREY, INK
    return shade(scale, cell.ratio)
