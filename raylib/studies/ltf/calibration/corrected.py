"""One axis's estimates corrected for the judge's errors, as rows; too few labels is a status, never a number."""

from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from raylib.stats.arrays import Floats
from raylib.stats.linearisation import jackknife_standard_error
from raylib.stats.prediction_powered_sums import (
    COLUMNS,
    ITEMS,
    LABELLED,
    Estimated,
    difference_by_cluster,
    mean_by_cluster,
    powered_mean,
)
from raylib.studies.ltf.calibration.favouritism import corrected_groups, labels_of_groups
from raylib.studies.ltf.calibration.sums import AxisSums
from raylib.studies.ltf.degrees import ALL_GROUPS, CORRECTED, degrees_of, groups_with_data
from raylib.studies.ltf.favouritism import dob_name
from raylib.studies.ltf.measures import POOLED, ordered
from raylib.studies.ltf.scoring import Scoring
from raylib.studies.rows import OK, Comparison, Row, comparison, new_row

UNKNOWN = "unknown"
BY_TEMPLATE = "PPI++, standard error by template, Student's t"
BY_JACKKNIFE = "PPI++, jackknife by template, Student's t"


class Choices(NamedTuple):
    """How estimates are corrected."""

    scoring: Scoring
    least: int
    """Fewer labelled essays in a part of a number: no number."""

    @property
    def pooled(self) -> bool:
        """Whether the judge's errors are learnt from all labels of a group; see `favouritism`."""
        return self.scoring.refusals == "zero"


def corrected_of(axis: AxisSums, choices: Choices) -> Comparison:
    """Return DoB, GroupFav, PairFav and F of an axis; DoB is resampled by template (GroupFav with it), lambda held fixed."""
    present = groups_with_data(axis.view.scores(choices.scoring))
    size = len(axis.view.groups)

    def numbers(drawn: Floats) -> Floats:
        """DoB twice, then GroupFav, side by side: (replicates, G, G, COLUMNS) to (replicates, 2 + G)."""
        groups = _resampled(axis, drawn, choices)
        return np.concatenate([degrees_of(groups, present, choices.scoring), groups], axis=1)

    whole = numbers(axis.sums.sum(axis=0)[np.newaxis])[0]
    groups = _group_rows(axis, choices, present, whole[2:])
    rows = [*_degree_rows(axis, choices, groups, whole[:2]), *groups]
    places = [0, 1, *(2 + place for place in present)]
    used = [place for row, place in zip(rows, places, strict=True) if row["status"] == OK]
    found = comparison(rows, axis.sums, lambda drawn: numbers(drawn.reshape(-1, size, size, COLUMNS))[:, used])
    return found._replace(rows=(*found.rows, *_pair_rows(axis, choices)))


def mean_degree_of(axes: list[AxisSums], known: list[Comparison], choices: Choices) -> Comparison:
    """Return the plain mean of the axes' DoB, all axes resampled together; unknown where one of them is.

    Args:
        axes: those that are pooled; at least one.
        known: of the same axes, from `corrected_of`.
        choices: as there.
    """
    clusters = sorted({cluster for axis in axes for cluster in axis.view.clusters})
    place = {cluster: row for row, cluster in enumerate(clusters)}
    flat = []
    for axis in axes:
        own = np.zeros((len(clusters), axis.sums[0].size))
        own[[place[cluster] for cluster in axis.view.clusters]] = axis.sums.reshape(len(axis.sums), -1)
        flat.append(own)
    ends = np.cumsum([0, *(part.shape[1] for part in flat)])
    present = [groups_with_data(axis.view.scores(choices.scoring)) for axis in axes]

    def means(drawn: Floats) -> Floats:
        degrees = np.zeros((len(drawn), 2))
        for number, axis in enumerate(axes):
            size = len(axis.view.groups)
            own = drawn[:, ends[number] : ends[number + 1]].reshape(-1, size, size, COLUMNS)
            degrees += degrees_of(_resampled(axis, own, choices), present[number], choices.scoring)
        return degrees / len(axes)

    columns = np.concatenate(flat, axis=1)
    whole = means(columns.sum(axis=0)[np.newaxis])[0]
    missing = [axis.view.axis for axis, found in zip(axes, known, strict=True) if found.rows[0]["status"] != OK]
    essays, labelled = (sum(axis.sums[..., column].sum() for axis in axes) for column in (ITEMS, LABELLED))
    holding = {name for axis in axes for name in np.array(axis.view.clusters)[axis.holding]}
    rows = []
    for statistic, value in zip((dob_name(choices.scoring), CORRECTED), whole, strict=True):
        row = new_row(statistic, POOLED, POOLED, ALL_GROUPS, essays, len(holding)) | {"labelled": int(labelled)}
        if missing:
            rows.append(row | {"status": UNKNOWN, "note": f"no DoB of {', '.join(missing)}"})
        else:
            rows.append(row | {"status": OK, "estimate": float(value), "note": f"plain mean of {len(axes)} axes"})
    return comparison(rows, columns, lambda drawn: means(drawn) if not missing else np.zeros((len(drawn), 0)))


def _resampled(axis: AxisSums, drawn: Floats, choices: Choices) -> Floats:
    """Return GroupFav of replicates, their errors widened (`AxisSums.widening`): (..., G, G, COLUMNS) to (..., G)."""
    whole, groups = (
        corrected_groups(sums, axis.tuning, pooled=choices.pooled) for sums in (axis.sums.sum(axis=0), drawn)
    )
    return np.asarray(whole + axis.widening * (groups - whole))


def _group_rows(axis: AxisSums, choices: Choices, present: list[int], groups: Floats) -> list[Row]:
    total = axis.sums.sum(axis=0)
    fewest, labelled = labels_of_groups(total, pooled=choices.pooled)
    alone = corrected_groups(total, 0.0, pooled=choices.pooled)
    errors = jackknife_standard_error(
        axis.sums, lambda left: corrected_groups(left, axis.tuning, pooled=choices.pooled)
    )
    part = "in one of its two orders" if choices.pooled else "in one of its pairs"
    rows = []
    for p in present:
        essays = total[p, :, ITEMS].sum() + total[:, p, ITEMS].sum()
        own = (axis.sums[:, p, :, LABELLED].sum(axis=1) + axis.sums[:, :, p, LABELLED].sum(axis=1)) > 0
        row = _row(axis, "GroupFav", axis.view.groups[p], essays, labelled[p], int(own.sum()))
        reason = _too_few(fewest[p], int(own.sum()), choices.least, part)
        row = _valued(row, float(groups[p]), float(alone[p]), reason)
        if row["status"] == OK and errors[p] > 0:
            width = float(stdtrit(int(own.sum()) - 1, 0.975) * errors[p])
            row |= {"ci_low": groups[p] - width, "ci_high": groups[p] + width, "ci_method": BY_JACKKNIFE}
        rows.append(row)
    return rows


def _degree_rows(axis: AxisSums, choices: Choices, groups: list[Row], degrees: Floats) -> list[Row]:
    missing = [str(row["group"]) for row in groups if row["status"] != OK]
    essays, labelled = axis.sums[..., ITEMS].sum(), axis.sums[..., LABELLED].sum()
    rows = []
    for statistic, value in zip((dob_name(choices.scoring), CORRECTED), degrees, strict=True):
        row = _row(axis, statistic, ALL_GROUPS, essays, labelled, int(axis.holding.sum()))
        reason = f"no GroupFav of {', '.join(missing)}" if missing else None
        reason = "fewer than two groups that have a GroupFav" if len(groups) < 2 else reason
        rows.append(_valued(row, float(value), None, reason))
    return rows


def _pair_rows(axis: AxisSums, choices: Choices) -> list[Row]:
    """Return PairFav of each pair and F of each ordered one, in the order of the uncorrected estimates."""
    asked = axis.view.counts.sum(axis=(0, 3)) > 0
    rows = []
    for p, q in np.argwhere(asked | asked.T):
        if p < q:
            both = (axis.sums[:, p, q], axis.sums[:, q, p])
            found = difference_by_cluster(*both, axis.tuning)
            alone = float(powered_mean(both[0].sum(axis=0), 0.0) - powered_mean(both[1].sum(axis=0), 0.0))
            rows.append(_pair_row(axis, "PairFav", (p, q), both, (found, alone), choices))
    for p, q in np.argwhere(asked):
        one = (axis.sums[:, p, q],)
        found, alone = mean_by_cluster(one[0], axis.tuning), float(powered_mean(one[0].sum(axis=0), 0.0))
        rows.append(_pair_row(axis, "F", (p, q), one, (found, alone), choices))
    return rows


def _pair_row(
    axis: AxisSums,
    statistic: str,
    pair: tuple[int, int],
    samples: tuple[Floats, ...],
    values: tuple[Estimated, float],
    choices: Choices,
) -> Row:
    found, alone = values
    name = ordered(*(axis.view.groups[place] for place in pair))
    labelled = [float(sample[:, LABELLED].sum()) for sample in samples]
    templates = min(int((sample[:, LABELLED] > 0).sum()) for sample in samples)
    essays = sum(float(sample[:, ITEMS].sum()) for sample in samples)
    row = _row(axis, statistic, name, essays, sum(labelled), templates)
    reason = _too_few(min(labelled), templates, choices.least, "in one of its two orders" if len(samples) > 1 else "")
    row = _valued(row, found.estimate, alone, reason)
    if row["status"] != OK or not found.standard_error > 0:
        return row
    return row | {"ci_low": found.low, "ci_high": found.high, "ci_method": BY_TEMPLATE}


def _row(axis: AxisSums, statistic: str, group: str, essays: float, labelled: float, templates: int) -> Row:
    row = new_row(statistic, axis.view.cell, axis.view.axis, group, essays, templates)
    return row | {"labelled": round(labelled), "tuning": axis.tuning}


def _too_few(fewest: float, templates: int, least: int, part: str) -> str | None:
    """Return why labels do not carry a number, None where they do."""
    if fewest < least:
        return f"{fewest:.0f} labelled essays {part}".strip() + f", {least} are needed (--min-labels)"
    return "labels of one template only" if templates < 2 else None


def _valued(row: Row, value: float, alone: float | None, reason: str | None) -> Row:
    if reason is None and not np.isfinite(value):
        reason = "no essay that the judge scored, in one order or in both"
    if reason is not None:
        return row | {"status": UNKNOWN, "note": reason}
    return row | {"status": OK, "estimate": value, "people": alone}
