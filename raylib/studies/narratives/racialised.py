"""R_mrs: how subordination grows with the likelihood of a race, for each gender (the paper's equation 4).

For thresholds t = 1..100 percent: whole counts of characters of a gender whose name's likelihood of the race exceeds t,
over all characters of that gender whose name the race's source lists, subordinate over dominant; the median over thresholds.
The interval and the p-value of the paper are Katz's at the threshold whose ratio is the median.
"""

from collections.abc import Callable, Mapping

import numpy as np

from raylib.stats.arrays import Floats
from raylib.stats.median_ratio import THRESHOLDS, median_of_replicates, median_subordination_ratio, median_threshold
from raylib.stats.ratios import subordination_ratio
from raylib.studies.narratives.axes import RACE_GENDER
from raylib.studies.narratives.comparisons import NOT_MODELLED, clusters_of, not_estimated, reported_p, roles_of
from raylib.studies.narratives.extraction.gender import GENDERS
from raylib.studies.narratives.measures import CLASSES
from raylib.studies.narratives.names import RACES, NameTable
from raylib.studies.rows import NO_DATA, OK, Comparison, Row, comparison, new_row
from raylib.studies.sums import Cell

_NOTE = "interval and p-value: at t = {t}%, where the ratio is the median; they take t as given"


def racialised_subordination(name: str, cells: Mapping[str, Cell], table: NameTable) -> Comparison:
    """Return R_mrs of each race and gender in one power-laden cell.

    No name above any threshold in either role: `no data`. A threshold without a name in both roles is skipped; a count
    of zero in one role is smoothed as in R_sub.
    """
    subordinate, dominant = roles_of(name, cells)
    prompts = clusters_of(subordinate, dominant)
    under, under_totals = _counts(subordinate, prompts)
    over, over_totals = _counts(dominant, prompts)
    weighed = not all(whole(counted) for counted in (under, under_totals, over, over_totals))
    rows: list[Row] = []
    used: list[tuple[int, int]] = []
    for group in RACE_GENDER.groups:
        gender, race = GENDERS.index(group.parts["gender"]), RACES.index(group.parts["race"])
        x, y = under[:, gender, race].sum(axis=0), over[:, gender, race].sum(axis=0)
        x_total, y_total = float(under_totals[:, gender, race].sum()), float(over_totals[:, gender, race].sum())
        row = new_row("R_mrs", name, RACE_GENDER.name, group.name, x_total + y_total, len(prompts))
        missing = not_estimated(group, 1.0, table, min(x_total, y_total))
        if missing is None and weighed:
            missing = {"status": NOT_MODELLED, "note": "prompts with different numbers of samples: no whole counts"}
        if missing is None and not (x + y).any():
            missing = {"status": NO_DATA, "note": "no name exceeds any threshold"}
        if missing is not None:
            rows.append(row | missing)
            continue
        used.append((gender, race))
        t = median_threshold(x, x_total, y, y_total)
        at = subordination_ratio(x[t - 1], x_total, y[t - 1], y_total)
        rows.append(
            row
            | {
                "status": OK, "estimate": float(median_subordination_ratio(x, x_total, y, y_total)),
                "ci_low": float(at.low), "ci_high": float(at.high), "ci_method": "Katz", "count": float(x[t - 1]),
                "share": float(x[t - 1] / x_total), "baseline": float(y[t - 1] / y_total),
                "p_value": reported_p(at.p_value), "note": _NOTE.format(t=t),
            }
        )  # fmt: skip
    return comparison(rows, *_resampled(used, under, under_totals, over, over_totals))


def whole(counts: Floats) -> bool:
    """Say whether counts are whole: where a pool weighs prompts alike, they are not, and R_mrs is made of whole ones.

    Ask of each prompt's counts: weighed ones may add up to a whole number, and their replicates are none.
    """
    return bool((counts == np.rint(counts)).all())


def _counts(cell: Cell | None, clusters: list[str]) -> tuple[Floats, Floats]:
    """Counts above each threshold, shape (clusters, genders, races, thresholds), and totals, without the last axis."""
    shape = (len(clusters), len(CLASSES), len(RACES), len(THRESHOLDS))
    if cell is None:
        return np.zeros(shape), np.zeros(shape[:3])
    return cell.vector("above", clusters).reshape(shape), cell.vector("covered by gender", clusters).reshape(shape[:3])


def _resampled(
    used: list[tuple[int, int]], under: Floats, under_totals: Floats, over: Floats, over_totals: Floats
) -> tuple[Floats, Callable[[Floats], Floats]]:
    """Return the sums that are resampled, shape (clusters, columns), and the medians of such sums.

    Thresholds that no character of a group exceeds in either role are left out: they are skipped in every replicate.
    """
    columns: list[Floats] = []
    places: list[tuple[slice, slice, int, int]] = []
    width = 0
    for gender, race in used:
        kept = (under[:, gender, race] + over[:, gender, race]).any(axis=0)
        number = int(kept.sum())
        columns += [
            under[:, gender, race][:, kept], over[:, gender, race][:, kept],
            under_totals[:, gender, [race]], over_totals[:, gender, [race]],
        ]  # fmt: skip
        start, middle, end = width, width + number, width + 2 * number
        places.append((slice(start, middle), slice(middle, end), end, end + 1))
        width = end + 2

    def medians(drawn: Floats) -> Floats:
        found = [
            median_of_replicates(drawn[:, x], drawn[:, x_total], drawn[:, y], drawn[:, y_total])
            for x, y, x_total, y_total in places
        ]
        return np.column_stack(found) if found else np.zeros((len(drawn), 0))

    return (np.concatenate(columns, axis=1) if columns else np.zeros((len(under), 0))), medians
