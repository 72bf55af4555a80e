"""Many short texts as one shape: a number in each cell of a large matrix, drawn ten times faster than text by text."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.textpath import TextPath

_EM = 100.0
_HEIGHT_OF_DIGITS = 0.729
"""In ems, of DejaVu Sans."""
_CSS_PIXELS_A_POINT = 96 / 72


class Lettering(NamedTuple):
    """A text and the middle of its place."""

    text: str
    x: float
    y: float


def write(plot: Axes, letterings: Sequence[Lettering], points: float, colour: str) -> None:
    """Write texts of digits and signs into a plot whose unit is a CSS pixel and whose y axis points down."""
    if not letterings:
        return
    size = points * _CSS_PIXELS_A_POINT
    shapes = [_outline(one.text) for one in letterings]
    vertices = [
        np.array([one.x, one.y + size * _HEIGHT_OF_DIGITS / 2]) + size * shape.vertices
        for one, shape in zip(letterings, shapes, strict=True)
    ]
    outline = Path(np.concatenate(vertices), np.concatenate([shape.codes for shape in shapes]))
    patch = PathPatch(outline, facecolor=colour, linewidth=0, zorder=3)
    plot.add_artist(patch)  # not add_patch, which walks along every curve to learn how far the data reach


class _Outline(NamedTuple):
    vertices: npt.NDArray[np.float64]
    """Shape (points, 2), in ems: the middle of the text at 0 across, its base line at 0, downwards positive."""
    codes: npt.NDArray[np.uint8]


@lru_cache(maxsize=4096)
def _outline(text: str) -> _Outline:
    path = TextPath((0, 0), text, size=_EM, prop=FontProperties(family="DejaVu Sans"))
    points = np.array(path.vertices, dtype=np.float64) / _EM
    points[:, 0] -= points[:, 0].max() / 2
    points[:, 1] *= -1
    return _Outline(points, np.array(path.codes, dtype=np.uint8))
