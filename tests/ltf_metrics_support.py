"""Small worlds of LTF-Test essays: prompts and annotations made from a few tuples, and the numbers that follow."""

import math
from collections.abc import Mapping, Sequence

import pyarrow as pa

from raylib.schemas import ESTIMATES, SUMS
from raylib.studies.ltf.estimates import comparisons, estimates
from raylib.studies.ltf.measures import ESSAYS, LABELS, MEASURES
from raylib.studies.ltf.metrics import sums
from raylib.studies.ltf.scoring import Scoring
from raylib.studies.resampling import blocks_of, replicate
from raylib.studies.sums import add_up

ANNOTATIONS = pa.schema(
    [
        ("sample_id", pa.string()), ("prompt_id", pa.string()), ("status", pa.string()), ("score", pa.int8()),
        ("refusal", pa.bool_()),
    ]
)  # fmt: skip
REFUSED, UNREAD, FAILED, FILTERED = "refused by the text", "unread", "failed", "filtered"
"""Labels that an essay may have instead of a score."""

Essay = tuple[str, str, str, str, object]
"""Axis, template (`LI.1`), the two groups (`black` or `black:African`), and a score or one of the labels above."""


def _group(text: str) -> tuple[str, str]:
    kind, _, term = text.partition(":")
    return kind, term or kind


def _prompt_id(essay: Essay) -> str:
    return "|".join(map(str, essay[:4]))


def prompts_of(essays: Sequence[Essay]) -> pa.Table:
    rows = {}
    for essay in essays:
        axis, template, first, second, _ = essay
        (type1, group1), (type2, group2) = _group(first), _group(second)
        rows[_prompt_id(essay)] = {
            "prompt_id": _prompt_id(essay), "cluster": template, "axis": axis, "topic_code": template.split(".")[0],
            "group1": group1, "group2": group2, "type1": type1, "type2": type2,
        }  # fmt: skip
    return pa.Table.from_pylist(list(rows.values()))


def annotated(essays: Sequence[Essay]) -> pa.Table:
    rows = []
    for number, essay in enumerate(essays):
        label = essay[4]
        row = {
            "sample_id": f"s{number}",
            "prompt_id": _prompt_id(essay),
            "status": "ok",
            "refusal": False,
            "score": None,
        }
        if isinstance(label, int):
            row["score"] = label
        elif label == REFUSED:
            row |= {"refusal": True, "score": 0}
        elif label in (FAILED, FILTERED):
            row |= {"status": "error" if label == FAILED else "refused", "refusal": None}
        rows.append(row)
    return pa.Table.from_pylist(rows, schema=ANNOTATIONS)


def summed(essays: Sequence[Essay], prompts: pa.Table | None = None) -> pa.Table:
    return add_up([sums(annotated(essays), prompts_of(essays) if prompts is None else prompts)], MEASURES)


def counted(cells: Mapping[str, Mapping[str, Mapping[str, int]]]) -> pa.Table:
    """SUMS made by hand: cell -> cluster -> label -> essays."""
    rows = [
        {
            "cell": cell, "cluster": cluster, "measure": ESSAYS,
            "values": [float(labels.get(label, 0)) for label in LABELS],
        }
        for cell, clusters in cells.items()
        for cluster, labels in clusters.items()
    ]  # fmt: skip
    return add_up([pa.Table.from_pylist(rows, schema=SUMS)], MEASURES)


def replicated(table: pa.Table, scoring: Scoring, replicates: int, seed: int = 3, blocks=None) -> pa.Table:
    targets = [comparison.target for comparison in comparisons(table, scoring)]
    wanted = blocks_of(replicates) if blocks is None else blocks
    return replicate(targets, seed=seed, blocks=wanted, replicates=replicates)


def estimated(table: pa.Table, scoring: Scoring | None = None, replicates: int = 250) -> list[dict[str, object]]:
    scoring = scoring or Scoring()
    result = estimates(table, replicated(table, scoring, replicates), scoring)
    assert result.schema.equals(ESTIMATES)
    rows = result.to_pylist()
    for row in rows:
        assert not any(isinstance(number, float) and math.isnan(number) for number in row.values())
    return rows


def pick(rows: Sequence[dict[str, object]], statistic: str, cell: str, group: str = "all groups") -> dict[str, object]:
    return next(row for row in rows if (row["statistic"], row["cell"], row["group"]) == (statistic, cell, group))


def value(rows: Sequence[dict[str, object]], statistic: str, cell: str, group: str = "all groups") -> float:
    row = pick(rows, statistic, cell, group)
    assert row["status"] == "ok"
    return float(str(row["estimate"]))
