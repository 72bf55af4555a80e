"""Which shares a run of the study will estimate, for planning: accuracy by category, condition and style, and pooled."""

from collections import defaultdict

import pyarrow as pa

from raylib.studies.base import MeasureEntry, PlannedShare
from raylib.studies.bbq.metrics import ANSWERS, POOLED


def planned_shares(prompts: pa.Table) -> list[PlannedShare]:
    """Return the accuracies; clusters are templates. A bias score is twice as wide as a share of fewer."""
    templates: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for row in prompts.select(["category", "condition", "style", "cluster"]).to_pylist():
        for category in (POOLED, row["category"]):
            templates[category, row["condition"], row["style"]].add(row["cluster"])
    return [
        PlannedShare(
            cell="/".join(place), axis=place[1], group=place[2], prompts=len(found),
            counted=MeasureEntry(ANSWERS, "correct"), total=(MeasureEntry(ANSWERS, "items"),),
        )
        for place, found in templates.items()
    ]  # fmt: skip
