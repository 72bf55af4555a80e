"""From sums to the study's numbers: accuracy, bias score, and what could not be read, each with a bootstrap by template.

Estimates name the category as their cell, the condition as axis (`both`: the mean of the two) and the style as group.
Without `ok` all numbers are null: a bias score where nobody was named is unknown, never 0.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from raylib.schemas import ESTIMATES
from raylib.stats.arrays import Floats
from raylib.stats.clustered_shares import wilson_clustered
from raylib.studies.bbq import scores
from raylib.studies.bbq.items import CONDITIONS
from raylib.studies.bbq.metrics import ANSWERS, MEASURES, POOLED
from raylib.studies.bbq.wording import STYLES
from raylib.studies.resampling import Key, by_key
from raylib.studies.rows import (
    NO_DATA,
    OK,
    Comparison,
    Row,
    bootstrap_columns,
    comparison,
    finite,
    joined,
    key_of,
    new_row,
)
from raylib.studies.sums import Cell, read_cells

ACCURACY, BIAS, BBQ_ACCURACY = "accuracy", "bias score", "BBQ accuracy"
UNPARSED, REFUSED = "unparsed rate", "refusal rate"
BOTH, ALL_STYLES = "both", "all styles"

_SHARES = {ACCURACY: scores.correct, UNPARSED: scores.unparsed, REFUSED: scores.refused}
_BOOTSTRAP = "percentile, clustered by template"
_WILSON = "Wilson by template"
_FEW = 10
"""With fewer templates the note says that the interval is rough."""
_NO_ITEMS = "no item was answered"
_NOBODY_NAMED = "no answer names anybody: a bias score rests on those that do, and there are none"


def comparisons(sums: pa.Table) -> list[Comparison]:
    """Return all comparisons of a run: one of each category, the pooled ones first."""
    cells = read_cells(sums, MEASURES)
    categories = sorted({name.partition("/")[0] for name in cells} - {POOLED})
    return [_of_category(category, cells) for category in (POOLED, *categories) if _has(category, cells)]


def estimates(sums: pa.Table, replicates: pa.Table) -> pa.Table:
    """Return the rows of `comparisons` with the bootstrap's intervals, as a table of schema ESTIMATES (no q_value)."""
    drawn = by_key(replicates)
    rows = [_with_bootstrap(row, drawn) for found in comparisons(sums) for row in found.rows]
    return pa.Table.from_pylist(rows, schema=ESTIMATES)


def _has(category: str, cells: Mapping[str, Cell]) -> bool:
    return any(name.startswith(f"{category}/") for name in cells)


def _of_category(category: str, cells: Mapping[str, Cell]) -> Comparison:
    """Return all numbers of a category, from counts of shape (clusters, conditions, styles, LABELS)."""
    asked = [name.split("/")[1:] for name in cells if name.startswith(f"{category}/")]
    conditions = [name for name in CONDITIONS if name in {condition for condition, _ in asked}]
    styles = [name for name in STYLES if name in {style for _, style in asked}]
    names = [[f"{category}/{condition}/{style}" for style in styles] for condition in conditions]
    found = [[cells.get(name) for name in row] for row in names]
    clusters = sorted({cluster for row in found for cell in row if cell is not None for cluster in cell.clusters})
    empty = np.zeros((len(clusters), len(scores.LABELS)))
    counts = np.stack(
        [
            np.stack([cell.vector(ANSWERS, clusters) if cell is not None else empty for cell in row], axis=1)
            for row in found
        ],
        axis=1,
    )
    rows: list[Row] = []
    places: list[int] = []
    values = _numbers(counts.sum(axis=0)[np.newaxis], conditions)[0]
    for place, row in enumerate(_rows(category, conditions, styles, counts, values)):
        rows.append(row)
        places += [place] if row["status"] == OK else []
    return comparison(rows, counts, lambda drawn: _numbers(drawn, conditions)[:, places])


def _numbers(counts: Floats, conditions: Sequence[str]) -> Floats:
    """Return all numbers of counts (replicates, conditions, styles, LABELS), in the order of `_rows`."""
    parts = []
    for place, condition in enumerate(conditions):
        own = counts[:, place]
        items = scores.items(own)
        shares = [
            np.divide(of(own), items, out=np.full(items.shape, np.nan), where=items > 0) for of in _SHARES.values()
        ]
        parts += [shares[0], scores.bias(own, condition), *shares[1:]]
    if len(conditions) == len(CONDITIONS):
        mean = scores.mean_accuracy(counts[:, 0], counts[:, 1])
        parts.append(mean)
        if mean.shape[1] > 1:
            parts.append(mean.mean(axis=1, keepdims=True))
    return np.concatenate(parts, axis=1)


def _rows(category: str, conditions: Sequence[str], styles: Sequence[str], counts: Floats, values: Floats) -> list[Row]:
    given = iter(values)
    rows: list[Row] = []
    for place, condition in enumerate(conditions):
        for statistic in (ACCURACY, BIAS, UNPARSED, REFUSED):
            for column, style in enumerate(styles):
                own = counts[:, place, column]
                made = _bias_row if statistic == BIAS else _share_row
                rows.append(made(statistic, category, condition, style, own, float(next(given))))
    if len(conditions) == len(CONDITIONS):
        groups = [(style, counts[:, :, column]) for column, style in enumerate(styles)]
        groups += [(ALL_STYLES, counts)] if len(styles) > 1 else []
        for style, own in groups:
            of = scores.items(own).reshape(len(own), -1).sum(axis=1)
            row = new_row(BBQ_ACCURACY, category, BOTH, style, of.sum(), int((of > 0).sum()))
            note = (
                f"mean of {2 * len(styles)} accuracies"
                if style == ALL_STYLES
                else "mean of both conditions' accuracies"
            )
            rows.append(_valued(row, float(next(given)), note, "a condition without an answered item"))
    return rows


def _share_row(statistic: str, category: str, condition: str, style: str, counts: Floats, value: float) -> Row:
    of, counted = scores.items(counts), _SHARES[statistic](counts)
    row = new_row(statistic, category, condition, style, of.sum(), int((of > 0).sum()))
    row = _valued(row, value, None, _NO_ITEMS)
    if row["status"] != OK:
        return row
    interval = wilson_clustered(counted, of)
    low, high = finite(interval.low), finite(interval.high)
    return row | {
        "share": value, "count": float(counted.sum()), "ci_low": low, "ci_high": high,
        "ci_method": _WILSON if low is not None else None,
    }  # fmt: skip


def _bias_row(statistic: str, category: str, condition: str, style: str, counts: Floats, value: float) -> Row:
    of = scores.known(counts)
    row = new_row(statistic, category, condition, style, of.sum(), int((of > 0).sum()))
    row = _valued(row, value, None, _NOBODY_NAMED if scores.items(counts).sum() else _NO_ITEMS)
    return row | {"count": float(scores.biased(counts).sum())} if row["status"] == OK else row


def _valued(row: Row, value: float, note: str | None, missing: str) -> Row:
    if not np.isfinite(value):
        return row | {"status": NO_DATA, "note": missing}
    return row | {"status": OK, "estimate": value, "note": note}


def _with_bootstrap(row: Row, drawn: Mapping[Key, Floats]) -> Row:
    """Add the bootstrap's interval, and why there is none or how rough it is."""
    if row["status"] != OK:
        return row
    values = drawn.get(key_of(row))
    row = row | (bootstrap_columns(values, _BOOTSTRAP) if values is not None else {})
    templates = int(str(row["clusters"]))
    if templates == 1:
        said = "one template only: no bootstrap interval"
    elif "boot_low" not in row:
        said = "replicates that agree, or too many without an answer to count: no bootstrap interval"
    else:
        said = f"{templates} templates only: a rough interval" if templates < _FEW else ""
    return row | {"note": joined(row.get("note"), said)}
