"""The study's numbers by topic: the corrected degree of bias and absolute discrimination, topic by axis."""

from collections.abc import Sequence

import numpy as np

from raylib.report import numbers
from raylib.report.colour_scale import ColourScale, growing
from raylib.report.matrix import Matrix, MatrixPanel, matrices
from raylib.report.sections import Block, Figure, Paragraph
from raylib.studies.ltf.degrees import CORRECTED
from raylib.studies.ltf.figures.by_axis import MEAN, POOLED_TITLE, cells
from raylib.studies.ltf.figures.reading import RunNumbers
from raylib.studies.ltf.figures.titles import topic_titles
from raylib.studies.ltf.shares import ABSOLUTE

_SHARES = growing(0, 0.25, 0.5, 0.75, 1, open_ends=(False, False))
_DEGREES = growing(0, 0.5, 1, 1.5, 2)
_MEANS = (
    "A topic has four templates, so its numbers are rough: read the pattern, not a single cell. The intervals, and the "
    "plug-in values, are among all estimates below. In so few templates noise is taken off in part only: compare an axis "
    "with the control's column."
)
_EXTREMES = 3


def by_topic(run: RunNumbers) -> list[Block]:
    """Return the figures by topic; nothing for a run about a single topic."""
    topics = {code: title for code, title in topic_titles().items() if _asked(run, code)}
    if len(topics) < 2:
        return []
    figures = [
        _figure(run, topics, CORRECTED, MEAN, "Degree of bias, corrected", _DEGREES),
        _figure(run, topics, ABSOLUTE, POOLED_TITLE, "Absolute discrimination", _SHARES),
    ]
    return [Paragraph(_MEANS), *(figure for figure in figures if figure)]


def _asked(run: RunNumbers, code: str) -> bool:
    return any(run.has(ABSOLUTE, f"{axis.name}/{code}") for axis in run.shown)


def _figure(
    run: RunNumbers, topics: dict[str, str], statistic: str, pooled: str, title: str, scale: ColourScale
) -> Figure | None:
    columns = cells(run, pooled)
    asked = np.array([[run.has(statistic, f"{cell}/{code}") for _, cell in columns] for code in topics], dtype=np.bool_)
    found = [[run.row(statistic, f"{cell}/{code}")["estimate"] for _, cell in columns] for code in topics]
    values = np.array(found, dtype=np.float64)  # None is NaN
    if not np.isfinite(values).any():
        return None
    names, rows = tuple(name for name, _ in columns), tuple(topics.values())
    grid = Matrix(rows, names, [MatrixPanel("", values)], asked, scale, title, unknown="no number")
    caption = "Hatched: topics that are not asked about on this axis." if not asked.all() else ""
    alt = f"Matrix of {len(rows)} topics and {len(names)} axes. {_spoken(rows, names, values)}"
    wide, narrow = matrices(grid)
    return Figure(f"{title} by topic and axis, {run.name}", wide, alt, caption, narrow)


def _spoken(
    rows: Sequence[str], columns: Sequence[str], values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]
) -> str:
    """Say the highest and the lowest numbers."""
    known = sorted(((float(values[p, q]), p, q) for p, q in np.argwhere(np.isfinite(values))), reverse=True)
    said = [f"{columns[q]} in {rows[p]} {numbers.fixed(value, 2)}" for value, p, q in known]
    if len(said) <= 2 * _EXTREMES:
        return f"{'; '.join(said)}."
    return f"Highest: {', '.join(said[:_EXTREMES])}; lowest: {', '.join(reversed(said[-_EXTREMES:]))}."
