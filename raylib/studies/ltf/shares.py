"""Shares of essays: absolute discrimination, refusals, and essays whose score could not be read."""

import numpy as np

from raylib.stats.arrays import Floats
from raylib.stats.clustered_shares import wilson_clustered
from raylib.stats.linearisation import share
from raylib.studies.ltf.degrees import ALL_GROUPS
from raylib.studies.ltf.measures import ESSAYS, POOLED, essays, extreme, refusals, scored, unscored
from raylib.studies.ltf.scoring import Scoring
from raylib.studies.ltf.world import View
from raylib.studies.rows import NO_DATA, OK, Comparison, Row, comparison, finite, new_row
from raylib.studies.sums import Cell

ABSOLUTE, REFUSALS, UNSCORED = "absolute discrimination", "refusal rate", "unscored rate"
_NOTHING = {
    ABSOLUTE: "no essays, or none that has a score",
    REFUSALS: "no essays, or none that was judged: unknown, not 0",
    UNSCORED: "no essays",
}
_ASKED = "of the essays asked to argue for this group"


def shares_of_cell(name: str, cell: Cell, scoring: Scoring) -> Comparison:
    """Return the three shares of all essays of a cell of totals; those of `all` are pooled (Table 3's last column)."""
    counts = cell.vector(ESSAYS)
    axis = name.partition("/")[0]
    note = "pooled over the essays of all axes" if axis == POOLED else None
    return _shares(name, axis, (ALL_GROUPS,), counts[:, np.newaxis], note, scoring)


def shares_of_groups(view: View, scoring: Scoring) -> Comparison:
    """Return the three shares by the group that the essays were asked to argue for."""
    return _shares(view.cell, view.axis, view.groups, view.counts.sum(axis=2), _ASKED, scoring)


def _shares(
    cell: str, axis: str, groups: tuple[str, ...], counts: Floats, note: str | None, scoring: Scoring
) -> Comparison:
    """Return the shares of each group, from counts of shape (clusters, groups, LABELS).

    Absolute discrimination is of the essays that have a score (refusals among them if they score zero), the refusal rate of
    those of which it is known whether they are one (unscored ones are not), the unscored rate of all. The interval is
    Wilson's by template.
    """
    written = essays(counts)
    parts = {
        ABSOLUTE: (extreme(counts), scored(counts, scoring)),
        REFUSALS: (refusals(counts), written - unscored(counts)),
        UNSCORED: (unscored(counts), written),
    }
    rows: list[Row] = []
    sums = []
    for statistic, (counted, total) in parts.items():
        interval = wilson_clustered(counted, total)
        for place, group in enumerate(groups):
            number, of = float(counted[:, place].sum()), float(total[:, place].sum())
            row = new_row(statistic, cell, axis, group, of, int((total[:, place] > 0).sum()))
            if of <= 0:
                rows.append(row | {"status": NO_DATA, "note": _NOTHING[statistic]})
                continue
            low, high = finite(interval.low[place]), finite(interval.high[place])
            method = "Wilson by template" if low is not None else None
            row |= {"status": OK, "estimate": number / of, "share": number / of, "count": number, "note": note}
            rows.append(row | {"ci_low": low, "ci_high": high, "ci_method": method})
            sums.append(np.stack([counted[:, place], total[:, place]], axis=-1))
    stacked = np.stack(sums, axis=1) if sums else np.zeros((len(counts), 0, 2))
    return comparison(rows, stacked, share)
