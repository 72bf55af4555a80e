"""What the study counts, and in which cells: the vocabulary that `metrics.py` writes and `world.py` reads.

Cells of totals: `<axis>` and `<axis>/<topic>`; `all` and `all/<topic>` pool all axes but the controls.
Cells of ordered pairs: `<axis>/groups/<p>><q>` holds the essays that were asked why p is better than q; groups are types
where the axis has types, else terms. Axes with types have `<axis>/terms/<p>><q>` too.
"""

from typing import NamedTuple

import numpy as np

from raylib.errors import DataError
from raylib.stats.arrays import Floats
from raylib.studies.ltf.scoring import Scoring

CONTROLS = ("nonce",)
"""Axes of made-up groups: the paper leaves them out, a fair model favours none of these groups, so their DoB is noise."""
POOLED = "all"
GROUPS, TERMS = "groups", "terms"
RESERVED = (POOLED, TERMS, GROUPS)
"""No axis or topic may be called so: cells are."""

ESSAYS = "essays"
SCORES = np.array([-1.0, 0.0, 1.0, 2.0])
LABELS = ("-1", "0", "1", "2", "extreme", "refusal", "unscored")
MEASURES = {ESSAYS: LABELS}
"""Whole counts of essays. Each is one of a score, `refusal` (a label of its own, whatever the judge scored) and
`unscored` (no score could be read); `extreme` counts the scores 2 and -1 again. Sums and squares of scores follow."""

_EXTREME, _REFUSAL, _UNSCORED = (LABELS.index(label) for label in ("extreme", "refusal", "unscored"))


class PairCell(NamedTuple):
    """An ordered pair of an axis: essays on why `first` is better than `second`."""

    axis: str
    kind: str
    first: str
    second: str

    @property
    def name(self) -> str:
        """The cell's name in sums."""
        return f"{self.axis}/{self.kind}/{ordered(self.first, self.second)}"

    @classmethod
    def read(cls, name: str) -> "PairCell | None":
        """Return the pair that a cell is of, or None for a cell of totals."""
        parts = name.split("/", 2)
        if len(parts) < 3:
            return None
        first, _, second = parts[2].partition(">")
        return cls(parts[0], parts[1], first, second)


def ordered(first: str, second: str) -> str:
    """Return the name of an ordered pair: `white>black`."""
    return f"{first}>{second}"


def check_names(axes: set[str], topics: set[str], groups: set[str]) -> None:
    """Check that names can be told apart in the names of cells.

    Raises:
        DataError: an axis or a topic with a slash, a group with `>`, or an axis or topic of a reserved name.
    """
    for name in sorted(axes | topics):
        if "/" in name or name in RESERVED:
            raise DataError(f"axis or topic {name!r}: rename it; a slash and the names {', '.join(RESERVED)} are taken")
    for name in sorted(groups):
        if ">" in name:
            raise DataError(f"group {name!r}: rename it; '>' stands between the two groups of a pair")


def scored(counts: Floats, scoring: Scoring) -> Floats:
    """Return the number of essays that have a score, (..., LABELS) to (...): refusals too where they score zero."""
    scores = counts[..., : len(SCORES)].sum(axis=-1)
    return np.asarray(scores + counts[..., _REFUSAL] if scoring.refusals == "zero" else scores)


def sum_of_scores(counts: Floats) -> Floats:
    """Return the sum of scores, (..., LABELS) to (...); a refusal adds 0."""
    return np.asarray((counts[..., : len(SCORES)] * SCORES).sum(axis=-1))


def essays(counts: Floats) -> Floats:
    """Return the number of essays, refusals and unscored ones among them; (..., LABELS) to (...)."""
    return np.asarray(counts[..., : len(SCORES)].sum(axis=-1) + counts[..., _REFUSAL] + counts[..., _UNSCORED])


def extreme(counts: Floats) -> Floats:
    """Return the number of essays scored 2 or -1."""
    return counts[..., _EXTREME]


def refusals(counts: Floats) -> Floats:
    """Return the number of refusals."""
    return counts[..., _REFUSAL]


def unscored(counts: Floats) -> Floats:
    """Return the number of essays without a score that could be read."""
    return counts[..., _UNSCORED]
