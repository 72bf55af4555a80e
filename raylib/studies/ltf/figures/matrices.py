"""F matrices as in the paper's Figures 4, 5 and 9 to 38, of one run or of several side by side, and the words with them."""

from collections.abc import Sequence

import numpy as np

from raylib.report import numbers
from raylib.report.canvas import shortened
from raylib.report.colour_scale import LinearScale
from raylib.report.matrix import Matrix, MatrixPanel, matrices
from raylib.report.sections import Figure
from raylib.stats.arrays import Floats
from raylib.studies.ltf.axes import Axis
from raylib.studies.ltf.figures.reading import RunNumbers, groups_of, terms_cell
from raylib.studies.ltf.figures.titles import RUN_LETTERS, axis_title

SCORES = LinearScale((-2, -1, 0, 1, 2), open_ends=(False, False))
"""As far to one side as to the other, so that equal distances from 0 look alike; no mean score is below -1."""
_ALOUD, _EXTREMES = 12, 3
CAPTION = "F(row, column) is the mean score of the essays on why the row is better than the column: red for it, blue against. "


def f_figure(axis: Axis, runs: Sequence[RunNumbers], *, terms: bool = False) -> Figure | None:
    """Return an axis's F matrix by group, or by term; None where no pair has a number."""
    cell = terms_cell(axis) if terms else axis.name
    found = [_by_pair(run, cell) for run in runs]
    names = groups_of(axis, [name for pairs in found for pair in pairs for name in pair], terms=terms)
    size, place = len(names), {name: number for number, name in enumerate(names)}
    asked = np.zeros((size, size), dtype=np.bool_)
    values = [np.full((size, size), np.nan) for _ in runs]
    for pairs, own in zip(found, values, strict=True):
        for (first, second), value in pairs.items():
            asked[place[first], place[second]] = True
            own[place[first], place[second]] = np.nan if value is None else value
    if not any(np.isfinite(own).any() for own in values):
        return None
    titles = [shortened(run.name, RUN_LETTERS) if len(runs) > 1 else "" for run in runs]
    panels = [MatrixPanel(title, own) for title, own in zip(titles, values, strict=True)]
    grid = Matrix(
        names, names, panels, asked, SCORES, "F: mean score, −1 to 2", "↓ better than →", unknown="no scored essay"
    )
    by = "term" if terms else "group"
    of = runs[0].name if len(runs) == 1 else f"{len(runs)} runs"
    said = " ".join(
        f"{run.name}: {spoken(names, own, asked)}" if len(runs) > 1 else spoken(names, own, asked)
        for run, own in zip(runs, values, strict=True)
    )
    wide, narrow = matrices(grid)
    return Figure(
        f"{axis_title(axis)}: favouritism by {by}, {of}",
        wide,
        f"Matrix of F. {said}",
        CAPTION + _unasked(asked),
        narrow,
    )


def spoken(names: Sequence[str], values: Floats, asked: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> str:
    """Return the numbers as a sentence: all of a small matrix, of a large one the extremes and how many there are."""
    cells = [
        (float(values[p, q]), f"{names[p]} better than {names[q]} {numbers.fixed(float(values[p, q]), 2)}")
        for p, q in np.argwhere(asked & np.isfinite(values))
    ]
    empty = int((asked & ~np.isfinite(values)).sum())
    rest = [f"{empty} without a scored essay"] if empty else []
    if len(cells) <= _ALOUD:
        return f"{'; '.join([*(said for _, said in cells), *rest])}."
    ordered = [said for _, said in sorted(cells, key=lambda cell: -cell[0])]
    return (
        f"{len(cells)} numbers; the highest: {', '.join(ordered[:_EXTREMES])}; the lowest: "
        f"{', '.join(reversed(ordered[-_EXTREMES:]))}{''.join(f'; {part}' for part in rest)}."
    )


def _by_pair(run: RunNumbers, cell: str) -> dict[tuple[str, str], float | None]:
    """Return F by ordered pair; None: there is no scored essay."""
    found = {}
    for row in run.rows_of("F", cell):
        first, _, second = str(row["group"]).partition(">")
        found[first, second] = row["estimate"]
    return found


def _unasked(asked: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> str:
    inside = ~np.eye(len(asked), dtype=np.bool_)
    return "Hatched: pairs that the prompts never compare." if (inside & ~asked).any() else ""
