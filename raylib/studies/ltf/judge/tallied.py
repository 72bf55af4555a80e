"""What several judges said, counted by template: all that their agreement needs, however many essays there are."""

from collections import Counter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from raylib.errors import DataError
from raylib.schemas import TALLIES
from raylib.stats.arrays import Floats
from raylib.studies.ltf.judge.agreement import AGREEMENT, measure_agreement
from raylib.studies.ltf.judge.columns import JUDGE_COLUMNS, JUDGE_STATUSES
from raylib.studies.ltf.judge.ratings import RATED
from raylib.studies.sums import add_tallies

CELL = "judges/"
"""Cells of the tallies: `judges/<template>`. Item: `alpha=1|beta=-`, what each judge gave; group: a measure, or STATUS."""
STATUS = "judge_status"
_NONE = "-"

VERDICTS = pa.field(
    "verdicts",
    pa.list_(
        pa.struct([
            pa.field("judge", pa.string(), nullable=False),
            *(field for field in JUDGE_COLUMNS if field.name != "judge_reason"),
        ])
    ),
    nullable=False,
)  # fmt: skip
"""The column of combined annotations that says who said what. A judge's reasons stay in its own annotations."""


def judge_tallies(annotations: pa.Table, prompts: pa.Table) -> pa.Table:
    """Count what the judges said together (schema TALLIES); no rows where one judge scored.

    Args:
        annotations: columns prompt_id and, where several judges scored, VERDICTS.
        prompts: the study's prompt table: columns prompt_id and cluster.
    """
    if VERDICTS.name not in annotations.column_names:
        return TALLIES.empty_table()
    place = pc.index_in(annotations["prompt_id"], prompts["prompt_id"].combine_chunks())
    clusters = prompts["cluster"].take(place).to_pylist()
    counts: Counter[tuple[str, str, str]] = Counter()
    for cluster, verdicts in zip(clusters, annotations[VERDICTS.name].to_pylist(), strict=True):
        for measure in (STATUS, *RATED):
            item = "|".join(f"{one['judge']}={_shown(one[measure])}" for one in verdicts)
            counts[f"{CELL}{cluster}", item, measure] += 1
    rows = [
        {"cell": cell, "item": item, "group": group, "count": count} for (cell, item, group), count in counts.items()
    ]
    return add_tallies([pa.Table.from_pylist(rows, schema=TALLIES)])


def tallied_agreement(tallies: pa.Table, *, seed: int = 0, replicates: int = 2_000) -> pa.Table:
    """Return the judges' agreement (schema `agreement.AGREEMENT`), alpha's interval clustered by template.

    It is what `agreement.judges_agreement` says of the judges' tables with each essay's template as its cluster. No rows
    where one judge scored.

    Raises:
        DataError: the tallies are of different judges.
    """
    tables = [AGREEMENT.empty_table()]
    for measure in RATED:
        found = _read(tallies, measure)
        if found.judges:
            values = np.array([[_value(said) for said in row] for row in found.said], dtype=np.float64)
            essays: Floats = np.repeat(values, found.counts, axis=0)
            clusters = np.repeat(np.array(found.clusters, dtype=np.str_), found.counts)
            tables.append(measure_agreement(found.judges, measure, essays, clusters, seed=seed, replicates=replicates))
    return pa.concat_tables(tables)


def tallied_statuses(tallies: pa.Table) -> dict[str, dict[str, int]]:
    """Return each judge's essays by status, zeros included, in the order of `columns.JUDGE_STATUSES`; {} for one judge."""
    found = _read(tallies, STATUS)
    result = {judge: dict.fromkeys(JUDGE_STATUSES, 0) for judge in found.judges}
    for row, count in zip(found.said, found.counts, strict=True):
        for judge, status in zip(found.judges, row, strict=True):
            result[judge][status] += int(count)
    return result


class _Tallied(NamedTuple):
    """Rows of tallies in one measure."""

    judges: tuple[str, ...]
    """Empty: there are no rows."""
    clusters: list[str]
    said: list[tuple[str, ...]]
    """What each judge gave, as text."""
    counts: npt.NDArray[np.int64]


def _read(tallies: pa.Table, measure: str) -> _Tallied:
    own = pc.and_(pc.starts_with(tallies["cell"], CELL), pc.equal(tallies["group"], measure))
    rows = tallies.filter(own).to_pylist()
    pairs = [[part.rpartition("=")[::2] for part in row["item"].split("|")] for row in rows]
    judges = {tuple(judge for judge, _ in row) for row in pairs}
    if len(judges) > 1:
        raise DataError(
            f"tallies of different judges, {' and '.join(map(str, sorted(judges)))}: run jobs/metrics.py again"
        )
    return _Tallied(
        next(iter(judges), ()),
        [row["cell"].removeprefix(CELL) for row in rows],
        [tuple(said for _, said in row) for row in pairs],
        np.array([row["count"] for row in rows], dtype=np.int64),
    )


def _shown(value: str | int | bool | None) -> str:
    return _NONE if value is None else str(int(value)) if isinstance(value, int) else value


def _value(said: str) -> float:
    return np.nan if said == _NONE else float(said)
