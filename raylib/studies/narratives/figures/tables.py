"""All estimates as tables, folded by statistic and by what is compared."""

from collections.abc import Sequence
from typing import NamedTuple

import pyarrow as pa

from raylib.report import numbers
from raylib.report.sections import Block, Folded, Warning
from raylib.report.table import Headings, Row, estimate_rows, estimate_tables
from raylib.studies.narratives.axes import GENDER, PAIR, RACE, RACE_GENDER, RACE_PAIR
from raylib.studies.narratives.figures.forests import BOOTSTRAP
from raylib.studies.narratives.figures.titles import cell_title

_REP = Headings(
    ratio="Ratio [95%\u00a0Wilson]", bootstrap=BOOTSTRAP, share="Share vs baseline", clusters="Prompts",
    cohen_d="Cohen's\u00a0d",
)  # fmt: skip
_SUB = Headings(
    ratio="Ratio [95%\u00a0Katz]", bootstrap=BOOTSTRAP, share="Subordinate vs dominant share",
    counts="Subordinate / both roles", clusters="Prompts",
)  # fmt: skip
_SINGLE = (RACE.name, GENDER.name, PAIR.name)


class _Fold(NamedTuple):
    """Some estimates that are folded together; `suffix` follows a cell's name in the title of its table."""

    title: str
    statistic: str
    axes: tuple[str, ...]
    headings: Headings
    suffix: str = ""


_FOLDS = (
    _Fold("Representation by race, by gender and by couple", "R_rep", _SINGLE, _REP),
    _Fold("Representation by race and gender together", "R_rep", (RACE_GENDER.name,), _REP),
    _Fold("Representation by race in couples", "R_rep", (RACE_PAIR.name,), _REP),
    _Fold("Subordination by race and by gender", "R_sub", _SINGLE, _SUB, ": subordination"),
    _Fold("Subordination by race and gender together", "R_sub", (RACE_GENDER.name,), _SUB, ": subordination"),
    _Fold(
        "Median racialised subordination by race and gender", "R_mrs", (RACE_GENDER.name,), _SUB,
        ": median racialised subordination",
    ),
)  # fmt: skip


def folded_tables(estimates: pa.Table) -> list[Block]:
    """Return every estimate (schema ESTIMATES) in tables, one a cell, in folds that the reader opens; print shows all."""
    folds: list[Block] = []
    for fold in _FOLDS:
        rows = [row for row in estimate_rows(estimates, fold.statistic) if row["axis"] in fold.axes]
        if rows:
            folds.append(_folded(fold, rows))
    return folds or [Warning("There are no estimates in this run.")]


def _folded(fold: _Fold, rows: Sequence[Row]) -> Folded:
    tables = estimate_tables(rows, fold.headings, lambda cell: f"{cell_title(cell)}{fold.suffix}")
    without: dict[str, int] = {}
    for row in rows:
        if row["status"] != "ok":
            without[row["status"]] = without.get(row["status"], 0) + 1
    said = [f"{numbers.integer(len(rows))} ratios in {len(tables)} table{'s' if len(tables) != 1 else ''}"]
    said += [f"{number} {status}" for status, number in without.items()]
    return Folded(fold.title, ", ".join(said), tables)
