"""The degree of bias (the paper's equation 3) of one axis, and the mean over axes."""

from collections.abc import Sequence

import numpy as np

from raylib.stats.arrays import Floats
from raylib.studies.ltf.favouritism import dob_name, favouritism, groupwise, pairwise, spread_of_groups
from raylib.studies.ltf.scoring import Scoring
from raylib.studies.ltf.world import View
from raylib.studies.rows import NO_DATA, OK, Comparison, Row, comparison, joined, new_row

CORRECTED = "DoB corrected"
"""Its replicates are those of the plug-in variance, and so is its estimate here: `estimates` takes off the noise."""
ALL_GROUPS = "all groups"
_FLOOR = "noise floor: groups that do not exist, which a fair model does not favour"


def groups_with_data(sums: Floats) -> list[int]:
    """Return the places of groups that have a GroupFav, from sums of shape (clusters, groups, groups, 2)."""
    groups = groupwise(pairwise(favouritism(sums.sum(axis=0))))
    return [int(place) for place in np.flatnonzero(np.isfinite(groups))]


def degrees_of(groups: Floats, present: Sequence[int], scoring: Scoring) -> Floats:
    """Return DoB as `scoring` wants it and as a variance: (replicates, groups) to (replicates, 2)."""
    return np.stack([spread_of_groups(groups, present, spread) for spread in (scoring.spread, "variance")], axis=1)


def degree_rows(view: View, sums: Floats, degrees: Floats, scoring: Scoring) -> list[Row]:
    """Return the two DoB rows of a view; `degrees` from `degrees_of`."""
    present = groups_with_data(sums)
    left_out = [name for place, name in enumerate(view.groups) if place not in present]
    notes = [_FLOOR] if view.control else []
    notes += [f"groups without scored essays: {', '.join(left_out)}"] if left_out else []
    clusters = int((sums[..., 1].sum(axis=(1, 2)) > 0).sum())
    return _rows(view.cell, view.axis, sums[..., 1].sum(), clusters, degrees, notes, scoring)


def mean_degree(views: Sequence[View], cell: str, scoring: Scoring) -> Comparison:
    """Return the plain mean of the axes' DoB (Table 2's last column), all axes resampled together by template.

    Axes without a DoB are left out, and the note says so.
    """
    clusters = sorted({cluster for view in views for cluster in view.clusters})
    sums = [view.scores(scoring, clusters) for view in views]
    with_data = [groups_with_data(some) for some in sums]
    usable = [place for place, groups in enumerate(with_data) if len(groups) > 1]
    sizes = [len(views[place].groups) for place in usable]
    ends = np.cumsum([0, *(2 * size * size for size in sizes)])

    def means(drawn: Floats) -> Floats:
        degrees = np.zeros((len(drawn), 2))
        for axis, size in enumerate(sizes):
            own = drawn[:, ends[axis] : ends[axis + 1]].reshape(len(drawn), size, size, 2)
            degrees += degrees_of(groupwise(pairwise(favouritism(own))), with_data[usable[axis]], scoring)
        return degrees / len(sizes) if sizes else np.full((len(drawn), 2), np.nan)

    flat = [sums[place].reshape(len(clusters), -1) for place in usable]
    columns = np.concatenate(flat, axis=1) if flat else np.zeros((len(clusters), 0))
    whole = means(columns.sum(axis=0)[np.newaxis])[0]
    essays = [some[..., 1].sum(axis=(1, 2)) for some in sums]
    left_out = [view.axis for place, view in enumerate(views) if place not in usable]
    notes = [f"plain mean of {len(usable)} axes"]
    notes += [f"axes without a DoB: {', '.join(left_out)}"] if left_out else []
    filled = int((np.sum(essays, axis=0) > 0).sum()) if essays else 0
    rows = _rows(cell, cell.partition("/")[0], float(np.sum(essays)), filled, whole, notes, scoring)
    return comparison(
        rows, columns, lambda drawn: means(drawn) if rows[0]["status"] == OK else np.zeros((len(drawn), 0))
    )


def _rows(
    cell: str, axis: str, essays: float, clusters: int, degrees: Floats, notes: list[str], scoring: Scoring
) -> list[Row]:
    rows = []
    for statistic, value in zip((dob_name(scoring), CORRECTED), degrees, strict=True):
        row = new_row(statistic, cell, axis, ALL_GROUPS, essays, clusters)
        if np.isfinite(value):
            rows.append(row | {"status": OK, "estimate": float(value), "note": joined(*notes)})
        else:
            rows.append(row | {"status": NO_DATA, "note": "fewer than two groups that have a GroupFav"})
    return rows
