"""One cell and axis compared: a row for each group, and what the bootstrap resamples for those that have a number."""

from collections.abc import Mapping

import numpy as np

from raylib.stats.arrays import Floats
from raylib.stats.p_values import SMALLEST_REPORTED
from raylib.stats.ratios import representation_ratio, smoothed_ratio, subordination_ratio
from raylib.studies.narratives.axes import Axis, Group
from raylib.studies.narratives.baseline import Baseline
from raylib.studies.narratives.measures import DOMINANT, LADEN, SUBORDINATE
from raylib.studies.narratives.names import NameTable
from raylib.studies.rows import NO_DATA, OK, Comparison, Row, comparison, finite, new_row
from raylib.studies.sums import Cell

NOT_MODELLED = "not modelled"
_LADEN_NOTE = "both characters of the power-laden prompts; the paper takes R_rep from power-neutral ones alone"
_PRODUCT_NOTE = "baseline: product of the two shares, as if independent"
_ROLES_NOTE = "share and baseline: among subordinate and dominant characters"


def representation(
    name: str, cells: Mapping[str, Cell], axis: Axis, baseline: Baseline, table: NameTable
) -> Comparison:
    """Return R_rep = p / p* (the paper's equation 1) of each group, with Wilson's interval of p divided by p*."""
    cell = cells.get(name)
    clusters = clusters_of(cell)
    counts, totals = axis.counts(cell, clusters)
    numbers = totals.sum(axis=0)
    shares = [group.share(baseline) for group in axis.groups]
    rows, used = [], []
    for index, group in enumerate(axis.groups):
        number = float(numbers[index])
        row = new_row("R_rep", name, axis.name, group.name, number, len(clusters))
        share = shares[index]
        missing = not_estimated(group, share, table, number)
        if missing is not None or share is None:
            rows.append(row | (missing or {}))
            continue
        used.append(index)
        found = representation_ratio(counts[:, index].sum(), number, share)
        notes = [_LADEN_NOTE] if name.endswith(LADEN) else []
        notes += [_PRODUCT_NOTE] if len(group.parts) > 1 else []
        row |= {
            "status": OK, "estimate": float(found.ratio), "ci_low": float(found.low), "ci_high": float(found.high),
            "ci_method": "Wilson / p*", "share": float(found.share), "baseline": share,
            "count": float(counts[:, index].sum()), "cohen_d": finite(found.cohen_d),
            "p_value": reported_p(found.p_value), "note": "; ".join(notes) or None,
        }  # fmt: skip
        rows.append(row)
    expected = np.array([shares[index] for index in used], dtype=np.float64)

    def ratios(drawn: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(drawn[:, 0, used] / drawn[:, 1, used] / expected)

    return comparison(rows, np.stack([counts, totals], axis=1), ratios)


def subordination(name: str, cells: Mapping[str, Cell], axis: Axis, table: NameTable) -> Comparison:
    """Return R_sub = p(group | subordinate) / p(group | dominant) (equation 3) of each group, with Katz's interval."""
    subordinate, dominant = roles_of(name, cells)
    prompts = clusters_of(subordinate, dominant)
    under, under_total = axis.counts(subordinate, prompts)
    over, over_total = axis.counts(dominant, prompts)
    rows, used = [], []
    for index, group in enumerate(axis.groups):
        under_n, over_n = float(under_total[:, index].sum()), float(over_total[:, index].sum())
        row = new_row("R_sub", name, axis.name, group.name, under_n + over_n, len(prompts))
        missing = not_estimated(group, 1.0, table, min(under_n, over_n))
        if missing is not None:
            rows.append(row | missing)
            continue
        used.append(index)
        x, y = under[:, index].sum(), over[:, index].sum()
        found = subordination_ratio(x, under_n, y, over_n)
        row |= {
            "status": OK, "estimate": float(found.ratio), "ci_low": float(found.low), "ci_high": float(found.high),
            "ci_method": "Katz", "share": float(x / under_n), "baseline": float(y / over_n), "count": float(x),
            "p_value": reported_p(found.p_value), "note": _ROLES_NOTE,
        }  # fmt: skip
        rows.append(row)

    def ratios(drawn: Floats) -> Floats:
        return smoothed_ratio(*(drawn[:, place, used] for place in range(4)))

    return comparison(rows, np.stack([under, under_total, over, over_total], axis=1), ratios)


def roles_of(name: str, cells: Mapping[str, Cell]) -> tuple[Cell | None, Cell | None]:
    """Return the subordinate and the dominant cell of a power-laden cell; None where it has no story."""
    return cells.get(f"{name}/{SUBORDINATE}"), cells.get(f"{name}/{DOMINANT}")


def clusters_of(*cells: Cell | None) -> list[str]:
    """Return the clusters of all cells together, sorted."""
    return sorted({cluster for cell in cells if cell is not None for cluster in cell.clusters})


def not_estimated(group: Group, share: float | None, table: NameTable, number: float) -> Row | None:
    """Return the status and the note of a group that has no number, or None if it has one."""
    if not group.modelled(table):
        return {"status": NOT_MODELLED, "note": f"the name source ({table.provenance['source']}) has no such column"}
    if share is None:
        return {"status": NOT_MODELLED, "note": "the comparison preset has no share for this group"}
    return {"status": NO_DATA, "note": "nothing observed in this cell"} if number <= 0 else None


def reported_p(value: Floats) -> float | None:
    """Return a p-value; one that underflows to 0 as the smallest that is reported, which no p-value is below."""
    p_value = finite(value)
    return SMALLEST_REPORTED if p_value is not None and p_value < SMALLEST_REPORTED else p_value
