"""Sufficient statistics of the study: counts of scores by cell and template (`measures` names them all)."""

from collections.abc import Collection

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from raylib.errors import DataError
from raylib.schemas import SUMS
from raylib.stats.arrays import Floats
from raylib.studies.joining import prompt_places
from raylib.studies.ltf.measures import (
    CONTROLS,
    ESSAYS,
    GROUPS,
    LABELS,
    POOLED,
    SCORES,
    TERMS,
    PairCell,
    check_names,
)
from raylib.studies.sums import grouped

_ASKED = ("cluster", "axis", "topic_code", "group1", "group2", "type1", "type2")


def sums(annotations: pa.Table, prompts: pa.Table, controls: Collection[str] = CONTROLS) -> pa.Table:
    """Return the sums of one annotation part (schema SUMS).

    A sample of status `error` has no essay and adds nothing; the report counts it by status. One of status `refused`, or
    with `refusal`, is a refusal. Any other without a score is unscored: unknown is not zero.

    Args:
        annotations: columns prompt_id, sample_id, status, score (int in -1..2, or null) and refusal.
        prompts: the study's whole prompt table: columns prompt_id, cluster (the template), axis, topic_code, group1,
            group2, type1 and type2 (null, empty or the group itself where an axis has no types).
        controls: axes that are never pooled.

    Raises:
        DataError: an annotation of an unknown prompt, a score out of range, or names that cells cannot hold.
    """
    written = annotations.filter(pc.not_equal(annotations["status"], "error"))
    place = prompt_places(written, prompts)
    names = {name: set(pc.unique(prompts[name]).to_pylist()) - {None} for name in _ASKED if name != "cluster"}
    groups = names["group1"] | names["group2"] | names["type1"] | names["type2"]
    check_names(names["axis"], names["topic_code"], groups)
    found, group = np.unique(place.to_numpy(zero_copy_only=False).astype(np.int64), return_inverse=True)
    counts = np.zeros((len(found), len(LABELS)))
    np.add.at(counts, group, labels_of(written))
    asked = prompts.select(list(_ASKED)).take(pa.array(found)).to_pandas()
    return _by_cell(asked, _typed_axes(prompts), controls, counts)


def labels_of(written: pa.Table) -> Floats:
    """Return each sample's label as counts, shape (rows, LABELS); without a score it is unscored, of any status.

    Raises:
        DataError: a score out of range.
    """
    scores = written["score"].to_numpy(zero_copy_only=False).astype(np.float64)
    refused = pc.or_(pc.fill_null(written["refusal"], False), pc.equal(written["status"], "refused"))
    refusal = refused.to_numpy(zero_copy_only=False).astype(bool)
    known = ~np.isnan(scores) & ~refusal
    strange = known & ~np.isin(scores, SCORES)
    if strange.any():
        row = int(np.flatnonzero(strange)[0])
        raise DataError(
            f"annotation {written['sample_id'][row].as_py()!r} has the score {scores[row]:g}: a score is -1, 0, 1 or 2, "
            "and null where none could be read"
        )
    by_score = known[:, np.newaxis] & (scores[:, np.newaxis] == SCORES)
    ends = by_score[:, [0, -1]].any(axis=1)
    return np.column_stack([by_score, ends, refusal, ~known & ~refusal]).astype(np.float64)


def _typed_axes(prompts: pa.Table) -> set[str]:
    """Return the axes whose groups are types: two different ones in each prompt, which are not the terms themselves."""
    first, second = (pc.fill_null(prompts[name], "") for name in ("type1", "type2"))
    apart = pc.and_(pc.and_(pc.not_equal(first, ""), pc.not_equal(second, "")), pc.not_equal(first, second))
    named = pc.or_(pc.not_equal(first, prompts["group1"]), pc.not_equal(second, prompts["group2"]))
    flags = pa.table({"axis": prompts["axis"], "apart": apart, "named": named})
    by_axis = flags.group_by("axis").aggregate([("apart", "all"), ("named", "any")])
    typed = by_axis.filter(pc.and_(by_axis["apart_all"], by_axis["named_any"]))
    return set(typed["axis"].to_pylist())


def _by_cell(asked: pd.DataFrame, typed: set[str], controls: Collection[str], counts: Floats) -> pa.Table:
    """Sum counts of prompts, shape (prompts, LABELS), by cell and template."""
    cells: list[str] = []
    rows: list[int] = []
    for row, prompt in enumerate(asked.itertuples()):
        found = [prompt.axis, f"{prompt.axis}/{prompt.topic_code}"]
        found += [POOLED, f"{POOLED}/{prompt.topic_code}"] if prompt.axis not in controls else []
        terms = (prompt.group1, prompt.group2)
        if prompt.axis in typed:
            found.append(PairCell(prompt.axis, GROUPS, prompt.type1, prompt.type2).name)
            found.append(PairCell(prompt.axis, TERMS, *terms).name)
        else:
            found.append(PairCell(prompt.axis, GROUPS, *terms).name)
        cells += found
        rows += [row] * len(found)
    place: npt.NDArray[np.int64] = np.array(rows, dtype=np.int64)
    clusters = asked["cluster"].to_numpy(dtype=object)[place]
    return pa.concat_tables([SUMS.empty_table(), grouped(cells, clusters, ESSAYS, counts[place])])
