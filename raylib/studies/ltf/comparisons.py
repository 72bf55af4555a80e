"""Favouritism of one axis: its DoB, GroupFav, PairFav and F as rows, and what the bootstrap resamples for them."""

import numpy as np
from scipy.special import stdtrit

from raylib.stats.arrays import Floats
from raylib.stats.linearisation import DIFFERENCE_OF_SHARES, SHARE, SmoothStatistic, cluster_standard_error
from raylib.studies.ltf.degrees import degree_rows, degrees_of, groups_with_data
from raylib.studies.ltf.favouritism import favouritism, groupwise, pairwise
from raylib.studies.ltf.measures import ordered
from raylib.studies.ltf.scoring import Scoring
from raylib.studies.ltf.world import View
from raylib.studies.rows import NO_DATA, OK, Comparison, Row, comparison, new_row

_CI = "mean and standard error by template, Student's t"
_NO_ERROR = "no standard error: essays of one template, or templates that all agree"


def favouritism_of(view: View, scoring: Scoring, *, pairs: bool = True) -> Comparison:
    """Return DoB, GroupFav of each group and, with `pairs`, PairFav of each pair and F of each ordered pair.

    PairFav has one row a pair, named in alphabetical order: PairFav(q, p) is its negative. Pairs that the prompts never
    compare have no row.
    """
    sums = view.scores(scoring)
    present = groups_with_data(sums)
    size = len(view.groups)

    def numbers(drawn: Floats) -> Floats:
        """All numbers of sums (replicates, G, G, 2), side by side: two DoB, GroupFav, PairFav, F."""
        f = favouritism(drawn)
        found = pairwise(f)
        groups = groupwise(found)
        degrees = degrees_of(groups, present, scoring)
        return np.concatenate([degrees, groups, *(some.reshape(len(f), size * size) for some in (found, f))], axis=1)

    whole = numbers(sums.sum(axis=0)[np.newaxis])[0]
    rows = [*degree_rows(view, sums, whole[:2], scoring), *_group_rows(view, sums, whole[2 : 2 + size])]
    places = list(range(2 + size))
    asked = view.counts.sum(axis=(0, 3)) > 0
    for p, q in np.argwhere(asked | asked.T) if pairs else ():
        if p < q:
            places.append(2 + size + p * size + q)
            both = np.concatenate([sums[:, p, q], sums[:, q, p]], axis=-1)
            rows.append(_pair_row("PairFav", view, (p, q), whole[places[-1]], both, DIFFERENCE_OF_SHARES))
    for p, q in np.argwhere(asked) if pairs else ():
        places.append(2 + size + size * size + p * size + q)
        row = _pair_row("F", view, (p, q), whole[places[-1]], sums[:, p, q], SHARE)
        rows.append(row | {"count": float(sums[:, p, q, 0].sum())})
    used = [place for row, place in zip(rows, places, strict=True) if row["status"] == OK]
    return comparison(rows, sums, lambda drawn: numbers(drawn)[:, used])


def _group_rows(view: View, sums: Floats, groups: Floats) -> list[Row]:
    """Return GroupFav of each group; a mean over fewer pairs than were asked says so."""
    essays = sums[..., 1]
    asked = view.counts.sum(axis=(0, 3)) > 0
    both = essays.sum(axis=0) > 0
    rows = []
    for p, name in enumerate(view.groups):
        own = essays[:, p].sum(axis=-1) + essays[:, :, p].sum(axis=-1)
        row = new_row("GroupFav", view.cell, view.axis, name, own.sum(), int((own > 0).sum()))
        compared, planned = int((both[p] & both[:, p]).sum()), int((asked[p] | asked[:, p]).sum())
        if not np.isfinite(groups[p]):
            rows.append(row | {"status": NO_DATA, "note": "no pair of this group has scored essays in both orders"})
            continue
        partly = f"mean over {compared} of {planned} groups: the others have no scored essays"
        rows.append(row | {"status": OK, "estimate": float(groups[p]), "note": partly if compared < planned else None})
    return rows


def _pair_row(
    statistic: str, view: View, pair: tuple[int, int], value: float, sums: Floats, smooth: SmoothStatistic
) -> Row:
    """Return the row of a pair with its standard error by template; sums of shape (clusters, sums of the statistic)."""
    essays = sums[:, 1::2]
    filled = sums[essays.sum(axis=1) > 0]
    name = ordered(*(view.groups[place] for place in pair))
    row = new_row(statistic, view.cell, view.axis, name, essays.sum(), len(filled))
    if not np.isfinite(value):
        return row | {"status": NO_DATA, "note": "no essay that has a score, in one order or in both"}
    row |= {"status": OK, "estimate": float(value)}
    error = float(cluster_standard_error(filled, smooth))
    if not error > 0:
        return row | {"note": _NO_ERROR}
    width = float(stdtrit(len(filled) - 1, 0.975)) * error
    return row | {
        "ci_low": value - width, "ci_high": value + width, "ci_method": _CI,
        "note": f"standard error {error:.6g}",
    }  # fmt: skip
