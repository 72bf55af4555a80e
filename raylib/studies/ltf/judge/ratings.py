"""The verdicts of several judges on the same essays, side by side."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from raylib.errors import DataError
from raylib.studies.ltf.judge.columns import JUDGE_COLUMNS, SCORED, SCORES, SECTION_COLUMNS

RATED = (*SECTION_COLUMNS, "score", "refusal")
"""What judges are compared in. Scores are in {-1, 0, 1, 2}, refusal is 0 or 1."""


@dataclass(frozen=True)
class Ratings:
    """Essays by judges."""

    sample_ids: tuple[str, ...]
    judges: tuple[str, ...]
    values: Mapping[str, npt.NDArray[np.float64]]
    """For each of RATED: shape (essays, judges), NaN where a judge gave no score."""
    statuses: npt.NDArray[np.str_]
    """Shape (essays, judges)."""


def read_ratings(tables: Mapping[str, pa.Table]) -> Ratings:
    """Return the tables of several judges as one, essays in the order of the first.

    Args:
        tables: judge's name -> table with `sample_id` and the columns `columns.JUDGE_COLUMNS`.

    Raises:
        DataError: fewer than two judges, a column is missing, an essay stands in a table twice or in some tables only,
            a scored row lacks a score, an unscored one has some, or a score is not in {-1, 0, 1, 2}.
    """
    if len(tables) < 2:
        raise DataError(f"several judges are needed, found {len(tables)}: give one table a judge, two or more")
    names = tuple(tables)
    order = [str(key) for key in _column(tables[names[0]], names[0], "sample_id").to_pylist()]
    read = [_of_judge(tables[name], name, order, names[0]) for name in names]
    values = {key: np.stack([one[key] for _, one in read], axis=1) for key in RATED}
    return Ratings(tuple(order), names, values, np.stack([statuses for statuses, _ in read], axis=1))


def _of_judge(
    table: pa.Table, judge: str, order: list[str], first: str
) -> tuple[npt.NDArray[np.str_], dict[str, npt.NDArray[np.float64]]]:
    place: dict[str, int] = {}
    for row, key in enumerate(_column(table, judge, "sample_id").to_pylist()):
        if place.setdefault(key, row) != row:
            raise DataError(f"judge {judge}: essay {key} stands there twice; give each judge's verdict once")
    for one, other, missing in ((judge, first, set(order) - set(place)), (first, judge, set(place) - set(order))):
        if missing:
            raise DataError(
                f"judge {one} lacks essay {min(missing)}, which {other} has: judge the same essays with both"
            )
    rows = [place[key] for key in order]
    statuses = np.array(_column(table, judge, "judge_status").to_pylist(), dtype=np.str_)[rows]
    scored = statuses == SCORED
    values = {}
    for key in RATED:
        found = np.array(_column(table, judge, key).cast(pa.int8()).to_pylist(), dtype=np.float64)[rows]
        wrong = np.isnan(found) == scored
        wrong |= scored & ~np.isin(found, (0, 1) if key == "refusal" else SCORES)
        if wrong.any():
            row = int(np.argmax(wrong))
            raise DataError(
                f"judge {judge}: essay {order[row]} is {statuses[row]}, but its {key} is {_shown(found[row])}; "
                "scored essays have scores of -1, 0, 1, 2, others none"
            )
        values[key] = found
    return statuses, values


def _column(table: pa.Table, judge: str, name: str) -> pa.ChunkedArray:
    if name not in table.column_names:
        needed = ", ".join(("sample_id", *(field.name for field in JUDGE_COLUMNS)))
        raise DataError(f"judge {judge}: its table has no column {name}; needed: {needed}")
    return table[name]


def _shown(value: float) -> str:
    return "null" if np.isnan(value) else f"{value:g}"
