"""Sufficient statistics of the study: counts of answers by category, condition, style and template.

Cells: `<category>/<condition>/<style>`, and `all/<condition>/<style>` of all categories together.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from raylib.errors import DataError
from raylib.schemas import SUMS
from raylib.stats.arrays import Floats
from raylib.studies.bbq.scores import LABELS
from raylib.studies.bbq.wording import LETTERS
from raylib.studies.joining import prompt_places
from raylib.studies.sums import Measures, grouped

POOLED = "all"
ANSWERS = "answers"
MEASURES: Measures = {ANSWERS: LABELS}
"""Whole counts of items, as `scores.LABELS` names them."""

CHOSEN, RIGHT = "chosen", "right"
"""Tallies, by style: how often each place was chosen, and how often the right answer stood there."""


def sums(annotations: pa.Table, prompts: pa.Table) -> pa.Table:
    """Return the sums of one annotation part (schema SUMS). A sample of status `error` has no answer and adds nothing.

    Raises:
        DataError: an annotation of an unknown prompt, or a category whose name cells cannot hold.
    """
    written, asked = _joined(annotations, prompts)
    counts = counts_of(written)
    names = [asked[name].to_pylist() for name in ("category", "condition", "style")]
    for category in sorted(set(names[0])):
        if "/" in category or category == POOLED:
            raise DataError(f"category {category!r}: rename it; a slash and the name {POOLED} are taken")
    cells = ["/".join(parts) for parts in zip(*names, strict=True)]
    pooled = ["/".join((POOLED, *parts)) for parts in zip(*names[1:], strict=True)]
    clusters = asked["cluster"].to_pylist()
    found = grouped(cells + pooled, clusters + clusters, ANSWERS, np.concatenate([counts, counts]))
    return pa.concat_tables([SUMS.empty_table(), found])


def tallies(annotations: pa.Table, prompts: pa.Table) -> list[dict[str, object]]:
    """Return rows of tallies (schema TALLIES): at which places the chosen and the right answers stood, by style."""
    written, asked = _joined(annotations, prompts)
    rows: list[dict[str, object]] = []
    read = [place is not None for place in written["chosen"].to_pylist()]
    for kind, places in ((CHOSEN, written["chosen"].to_pylist()), (RIGHT, asked["label"].to_pylist())):
        for style, place, known in zip(asked["style"].to_pylist(), places, read, strict=True):
            if known:
                rows.append({"cell": style, "item": LETTERS[place], "group": kind, "count": 1})
    return rows


def counts_of(written: pa.Table) -> Floats:
    """Return each sample's answer as counts, shape (rows, LABELS)."""
    chosen = np.array(pc.is_valid(written["chosen"]).to_numpy(zero_copy_only=False), dtype=bool)
    correct = pc.fill_null(written["correct"], False).to_numpy(zero_copy_only=False)
    leaning = pc.fill_null(written["leaning"], 0).to_numpy(zero_copy_only=False)
    refused = pc.equal(written["status"], "refused").to_numpy(zero_copy_only=False)
    columns = [np.ones(len(chosen)), correct, leaning != 0, leaning > 0, ~chosen & ~refused, ~chosen & refused]
    return np.column_stack(columns).astype(np.float64)


def _joined(annotations: pa.Table, prompts: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Return the annotations that have an answer or lack one, without errors, and their prompts."""
    written = annotations.filter(pc.not_equal(annotations["status"], "error"))
    place = prompt_places(written, prompts)
    columns = ["cluster", "category", "condition", "style", "label"]
    return written, prompts.select(columns).take(place)
