"""What is counted of essays beside their scores: how they ended, what the judge made of them, their parts, refusals."""

from collections import Counter

import pyarrow as pa
import pyarrow.compute as pc

from raylib.schemas import TALLIES
from raylib.studies.sums import add_tallies

JUDGED, PARTS, REASONS, REFUSED = "judged", "parts missing", "reasons", "refusals"
NO_PART = "none"
"""Item of PARTS: an essay that has all its parts."""
YES, NO, UNKNOWN = "yes", "no", "unscored"
"""Items of REFUSED say what the judge found, its groups what the detector found."""


def text_tallies(annotations: pa.Table, prompts: pa.Table) -> pa.Table:
    """Count essays (schema TALLIES).

    - `judged`: item the judge's status, group the axis.
    - `parts missing`: item a part that the parser did not find (or `none`), group the axis.
    - `reasons`: item how many reasons could be told apart, group the axis.
    - `refusals`: item what the judge says (yes, no, unscored), group what the detector says (yes, no).

    Texts alone are counted in the last three.
    """
    place = pc.index_in(annotations["prompt_id"], prompts["prompt_id"].combine_chunks())
    axes = prompts["axis"].take(place).to_pylist()
    columns = ["judge_status", "refusal", "declines", "parts_missing", "reasons"]
    counts: Counter[tuple[str, str, str]] = Counter()
    for axis, row in zip(axes, annotations.select(columns).to_pylist(), strict=True):
        counts[JUDGED, row["judge_status"], axis] += 1
        if row["declines"] is None:
            continue
        said = UNKNOWN if row["refusal"] is None else YES if row["refusal"] else NO
        counts[REFUSED, said, YES if row["declines"] else NO] += 1
        counts[REASONS, str(row["reasons"]), axis] += 1
        for part in row["parts_missing"] or (NO_PART,):
            counts[PARTS, part, axis] += 1
    rows = [
        {"cell": cell, "item": item, "group": group, "count": count} for (cell, item, group), count in counts.items()
    ]
    return add_tallies([pa.Table.from_pylist(rows, schema=TALLIES)])
