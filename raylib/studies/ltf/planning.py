"""Which shares a run of the study will estimate, for planning: absolute discrimination by axis, and pooled."""

from collections import defaultdict
from collections.abc import Collection

import pyarrow as pa

from raylib.studies.base import MeasureEntry, PlannedShare
from raylib.studies.ltf.degrees import ALL_GROUPS
from raylib.studies.ltf.measures import ESSAYS, POOLED

_SCORED = ("-1", "0", "1", "2", "refusal")


def planned_shares(prompts: pa.Table, controls: Collection[str]) -> list[PlannedShare]:
    """Return the share of extreme essays of each axis and of all axes but the controls.

    Clusters are templates, which axes have in common. F, PairFav and DoB are means of scores in -1..2, no shares: their
    width follows from a pilot's replicates.
    """
    rows = prompts.select(["axis", "cluster"]).to_pylist()
    templates: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        templates[row["axis"]].add(row["cluster"])
        if row["axis"] not in controls:
            templates[POOLED].add(row["cluster"])
    return [
        PlannedShare(
            cell=axis, axis=axis, group=ALL_GROUPS, prompts=len(found), counted=MeasureEntry(ESSAYS, "extreme"),
            total=tuple(MeasureEntry(ESSAYS, label) for label in _SCORED),
        )
        for axis, found in templates.items()
    ]  # fmt: skip
