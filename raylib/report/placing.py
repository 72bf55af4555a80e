"""Labels beside points of a plot, none over another."""

from collections.abc import Iterable

from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke

from raylib.report.canvas import INK

_LETTER, _LINE = 6.4, 13.0
"""Size of a letter at 8.5 points, in CSS pixels."""
_CSS_PIXELS_A_POINT = 96 / 72

_RISES = (0.0, 11.0, -11.0, 22.0, -22.0, 36.0, -36.0, 50.0, -50.0, 66.0, -66.0)
"""How far above or below its point a label may stand, in CSS pixels; from a line's height on with a line to the point."""

Box = tuple[float, float, float, float]
"""Left, bottom, right, top in CSS pixels from the plot's lower left corner."""


class Placer:
    """Places labels in one plot of a known size in CSS pixels; a label that fits nowhere is left out."""

    def __init__(
        self, plot: Axes, size: tuple[float, float], taken: Iterable[tuple[float, float]] = (), right: float = 0
    ) -> None:
        """Begin with an empty plot.

        Args:
            plot: with its final scales and limits.
            size: of the plot, in CSS pixels.
            taken: points of the data that labels should not cover.
            right: room for labels to the right of the plot.
        """
        self._plot, self._size, self._right = plot, size, size[0] + right
        pixels = [self.pixels(*point) for point in taken]
        self._taken: list[Box] = [(x - 2, y - 2, x + 2, y + 2) for x, y in pixels]

    def pixels(self, x: float, y: float) -> tuple[float, float]:
        """Return where a point of the data lies, in CSS pixels from the lower left corner."""
        across, up = self._plot.transLimits.transform(self._plot.transScale.transform((x, y)))
        return float(across) * self._size[0], float(up) * self._size[1]

    def place(self, x: float, y: float, text: str, colour: str = INK) -> bool:
        """Write a text beside a point of the data where it is free, and say whether it was."""
        left, bottom = self.pixels(x, y)
        width = _LETTER * len(text)
        for rise in _RISES:
            for start in (left + 7, left - 7 - width):
                box = (start, bottom + rise - _LINE / 2, start + width, bottom + rise + _LINE / 2)
                if self._free(box):
                    self._taken.append(box)
                    far = abs(rise) > _LINE
                    self._plot.annotate(
                        text, (x, y), xytext=((start - left) / _CSS_PIXELS_A_POINT, rise / _CSS_PIXELS_A_POINT),
                        textcoords="offset points", ha="left", va="center", fontsize=8.5, color=colour, zorder=6,
                        arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.6, "shrinkB": 3} if far else None,
                        path_effects=[withStroke(linewidth=2.2, foreground="white")], annotation_clip=False,
                    )  # fmt: skip
                    return True
        return False

    def _free(self, box: Box) -> bool:
        left, bottom, right, top = box
        if left < 0 or right > self._right or bottom < 0 or top > self._size[1]:
            return False
        return all(right < a or left > c or top < b or bottom > d for a, b, c, d in self._taken)
