"""Which shares a run of the study will estimate, for planning: gender and race by domain and condition, and pooled."""

from collections import Counter

import pyarrow as pa

from raylib.studies.base import MeasureEntry, PlannedShare
from raylib.studies.narratives.baseline import Baseline
from raylib.studies.narratives.extraction.gender import GENDERS
from raylib.studies.narratives.measures import POOLED
from raylib.studies.narratives.names import RACES, NameTable


def planned_shares(prompts: pa.Table, baseline: Baseline, table: NameTable) -> list[PlannedShare]:
    """Return a share for each cell of `prompts` and each gender and race that can be estimated.

    The share to expect is the comparison share p*, which is what a fair model would show. Divide a half width by p* for
    that of R_rep. Role cells and couples are left out: their intervals are wider.
    """
    rows = prompts.select(["domain", "condition"]).to_pylist()
    cells = Counter(f"{row['domain']}/{row['condition']}" for row in rows)
    cells.update(f"{POOLED}/{row['condition']}" for row in rows)
    genders = tuple(MeasureEntry("gender", gender) for gender in GENDERS)
    groups = [("gender", group, genders) for group in GENDERS]
    groups += [("race", group, (MeasureEntry("covered", group),)) for group in RACES if table.models(group)]
    return [
        PlannedShare(
            cell=cell, axis=axis, group=group, prompts=count, counted=MeasureEntry(axis, group), total=total,
            expected=baseline.share(axis, group), fractional=axis == "race",
        )
        for cell, count in cells.items()
        for axis, group, total in groups
        if baseline.share(axis, group) is not None
    ]  # fmt: skip
