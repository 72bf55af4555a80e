"""Where the cells of matrices stand: how many matrices side by side, how many columns in a block, how large the text."""

import math
import textwrap
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from raylib.report.canvas import NARROW, WIDE, shortened

_LETTER = 6.9
"""Width of a letter at 8.5 points, in CSS pixels."""
_BOLD_LETTER, _TITLE_LETTERS = 7.8, 24
_LINE, _LINES = 13.0, 3
_LEAST, _MOST = 33.0, 62.0
"""Width of a cell; at the least, "−0.28" fits in at 7 points."""
_HEIGHT, _GAP, _TITLE, _FOOT = 30.0, 22.0, 24.0, 100.0
_SMALL = 5
"""Columns."""
_WIDEST_EM = 3.1
"""Width of "−0.28" in ems."""
_POINTS = (7.0, 9.5)
_CSS_PIXELS_A_POINT = 96 / 72


class Names(NamedTuple):
    """What stands around the cells."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    titles: tuple[str, ...]
    """One a matrix."""
    corner: str


@dataclass(frozen=True)
class Tile:
    """Some columns of one matrix. Places are in CSS pixels from the figure's top left corner."""

    panel: int
    title: str
    title_at: tuple[float, float]
    """Left and bottom of the title."""
    rows: tuple[int, ...]
    columns: range
    corner: tuple[float, float]
    """Left and top of the first cell."""
    with_rows: bool
    """Whether the rows' names stand on its left."""


@dataclass(frozen=True)
class Layout:
    """Sizes in CSS pixels."""

    width: float
    height: float
    cell: tuple[float, float]
    """Width and height."""
    font_size: float
    """Of the numbers, in points."""
    row_names: tuple[str, ...]
    column_names: tuple[str, ...]
    rotated: bool
    """Whether the columns' names are written upwards."""
    tiles: tuple[Tile, ...]
    bar: tuple[float, float, float]
    """Left, bottom (from below) and length of the colour bar."""


def in_lines(name: str, most: int) -> str:
    """Return a name in lines of at most so many letters, three lines at most; what is longer is cut."""
    lines = textwrap.wrap(name, most) or [""]
    return "\n".join(lines if len(lines) <= _LINES else [*lines[: _LINES - 1], shortened(lines[-1], most)])


def fits_a_phone(names: Names) -> bool:
    """Say whether a single matrix is small enough to be drawn once, for a desktop and a phone."""
    return len(names.titles) == 1 and len(names.columns) <= _SMALL


def lay_out(names: Names, asked: npt.NDArray[np.bool_], narrow: bool) -> Layout:
    """Return the layout of matrices on a desktop or, `narrow`, on a phone.

    A matrix that is cut into blocks of columns leaves out the rows that a block asks nothing about.
    """
    width, most = (NARROW, 15) if narrow else (WIDE, 26)
    row_names = tuple(in_lines(name, most) for name in names.rows)
    left = 12 + _LETTER * max(*(_longest(name) for name in row_names), 0.85 * len(names.corner))
    blocks = _blocks(len(names.columns), int((width - left) / _LEAST))
    wanted = [(panel, part) for panel in range(len(names.titles)) for part in blocks]
    titles = _BOLD_LETTER * min(_TITLE_LETTERS, max(map(len, names.titles)))
    least = max(len(blocks[0]) * _LEAST, titles)
    across = max(1, int((width - left + _GAP) / (least + _GAP))) if len(blocks) == 1 else 1
    across = math.ceil(len(wanted) / math.ceil(len(wanted) / across))
    pitch = (width - left + _GAP) / across
    cell = min(_MOST, (pitch - _GAP) / len(blocks[0]))
    pitch = max(len(blocks[0]) * cell, titles if across > 1 else 0) + _GAP
    rotated = any(_LETTER * len(name) > cell - 2 for name in names.columns)
    column_names = tuple(in_lines(name, most) for name in names.columns) if rotated else names.columns
    height = max(_HEIGHT, 6 + _LINE * max(name.count("\n") + 1 for name in row_names))
    title = _TITLE if any(names.titles) or len(blocks) > 1 else 0.0
    head = title + 12 + (_LETTER * max(_longest(name) for name in column_names) if rotated else _LINE)
    tiles, top = [], 0.0
    for start in range(0, len(wanted), across):
        line = wanted[start : start + across]
        rows = _rows(asked, line[0][1]) if len(blocks) > 1 else tuple(range(len(names.rows)))
        for place, (panel, part) in enumerate(line):
            said = _title(names.titles[panel], part if len(blocks) > 1 else None, len(names.columns))
            x = left + place * pitch
            room = int((pitch if across > 1 else width) / _BOLD_LETTER)
            at = (2.0 if narrow and across == 1 else x, top + title - 4)
            tiles.append(Tile(panel, shortened(said, room), at, rows, part, (x, top + head), place == 0))
        top += head + len(rows) * height + 8
    start_of_bar = 20.0 if narrow else min(left, 160.0)
    figure_width = width if narrow else max(left + across * pitch - _GAP + 2, start_of_bar + 360)
    bar = (start_of_bar, _FOOT - 36, min(figure_width - start_of_bar - 24, 420.0))
    size = min(_POINTS[1], max(_POINTS[0], (cell - 4) / _WIDEST_EM / _CSS_PIXELS_A_POINT))
    return Layout(figure_width, top + _FOOT, (cell, height), size, row_names, column_names, rotated, tuple(tiles), bar)


def _blocks(columns: int, fitting: int) -> list[range]:
    """Return the columns in as few blocks as fit, none much wider than another."""
    size = math.ceil(columns / math.ceil(columns / max(1, fitting)))
    return [range(start, min(start + size, columns)) for start in range(0, columns, size)]


def _rows(asked: npt.NDArray[np.bool_], columns: range) -> tuple[int, ...]:
    """Return the rows that ask about some of these columns; all where none does."""
    found = np.flatnonzero(asked[:, columns.start : columns.stop].any(axis=1))
    return tuple(int(row) for row in found) or tuple(range(len(asked)))


def _title(title: str, columns: range | None, number: int) -> str:
    """Return a tile's title, which says the columns that it shows where these are not all."""
    if columns is None:
        return title
    part = f"{columns.start + 1}–{columns.stop} of {number}"
    return f"{title}, {part}" if title else f"Columns {part}"


def _longest(name: str) -> int:
    return max(len(line) for line in name.split("\n"))
