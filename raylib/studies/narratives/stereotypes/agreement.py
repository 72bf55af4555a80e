"""Interrater reliability, code by code: Cohen's kappa for two raters, Krippendorff's alpha for more, with intervals.

Both correct for agreement by chance, and where a code is rare (or nearly always given) little but chance is left: one
story more or less can then move the value by tenths. So the prevalence stands beside each value, and a note says it.
"""

import math
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from raylib.errors import DataError
from raylib.stats.agreement import kappa_of_tables
from raylib.stats.arrays import Floats
from raylib.stats.bootstrap import bootstrap
from raylib.stats.bootstrap_intervals import percentile_interval
from raylib.stats.krippendorff import krippendorff_alpha
from raylib.studies.narratives.stereotypes.codebook import UNSURE, VALUES, Codebook

KAPPA, ALPHA = "Cohen's kappa", "Krippendorff's alpha"
RARE = 0.1
"""A code that fewer (or all but fewer) of the ratings give gets a note."""

_FEW = 10
Unsure = Literal["category", "missing"]

AGREEMENT = pa.schema(
    [
        pa.field("code", pa.string(), nullable=False),
        pa.field("statistic", pa.string(), nullable=False),
        pa.field("raters", pa.int64(), nullable=False),
        pa.field("stories", pa.int64(), nullable=False),  # rated by two raters or more
        pa.field("value", pa.float64()),
        pa.field("ci_low", pa.float64()),  # 95 percent, percentile bootstrap over stories
        pa.field("ci_high", pa.float64()),
        pa.field("observed", pa.float64()),  # share of pairs of ratings that agree, not corrected for chance
        pa.field("prevalence", pa.float64()),  # share of yes among all ratings
        pa.field("unsure", pa.int64(), nullable=False),
        pa.field("missing", pa.int64(), nullable=False),
        pa.field("note", pa.string()),
    ]
)
"""One row a code. A value that does not exist is null, and the note says why."""


def agreement_table(
    ratings: pa.Table, codebook: Codebook, *, seed: int = 0, replicates: int = 2_000, unsure: Unsure = "category"
) -> pa.Table:
    """Return how well raters agree (schema AGREEMENT), in the order of the codebook.

    Args:
        ratings: schema `sheets.RATINGS`; stories that a rater did not rate are missing.
        codebook: the codes.
        seed: keys the bootstrap.
        replicates: of the bootstrap over stories.
        unsure: `category` counts it as an answer of its own (unsure against yes is a disagreement), `missing` leaves it out.

    Raises:
        DataError: ratings of fewer than two raters.
    """
    raters = sorted(set(ratings["rater"].to_pylist()))
    if len(raters) < 2:
        raise DataError(f"agreement needs two raters or more, found {len(raters)}; give one --sheet a rater")
    stories = sorted(set(ratings["sample_id"].to_pylist()))
    values = {code: np.full((len(stories), len(raters)), np.nan) for code in codebook.names}
    place = {story: row for row, story in enumerate(stories)}, {rater: column for column, rater in enumerate(raters)}
    for row in ratings.to_pylist():
        if row["value"] is not None:
            values[row["code"]][place[0][row["sample_id"]], place[1][row["rater"]]] = VALUES.index(row["value"])
    rows = [_of_code(code, table, seed, replicates, unsure) for code, table in values.items()]
    return pa.Table.from_pylist(rows, schema=AGREEMENT)


def _of_code(code: str, table: Floats, seed: int, replicates: int, unsure: Unsure) -> dict[str, Any]:
    """Return the row of one code from ratings, shape (stories, raters), NaN = missing."""
    is_unsure = table == VALUES.index(UNSURE)
    given = ~np.isnan(table)
    row: dict[str, Any] = {
        "code": code, "raters": table.shape[1], "unsure": int(is_unsure.sum()), "missing": int((~given).sum()),
        "prevalence": float((table == 0).sum() / given.sum()) if given.any() else None,
    }  # fmt: skip
    counted = np.where(is_unsure, np.nan, table) if unsure == "missing" else table
    both = counted[(~np.isnan(counted)).sum(axis=1) >= 2]
    row |= {"stories": len(both), "observed": _observed(both)}
    if table.shape[1] == 2:
        row["statistic"] = KAPPA
        value, low, high = _kappa(both, seed, replicates)
    else:
        row["statistic"] = ALPHA
        found = krippendorff_alpha(counted, "nominal", seed=seed, replicates=replicates)
        value, low, high = found.alpha, found.low, found.high
    row |= {"value": _known(value), "ci_low": _known(low), "ci_high": _known(high)}
    return row | {"note": _note(row)}


def _kappa(both: Floats, seed: int, replicates: int) -> tuple[float, float, float]:
    if not len(both):
        return math.nan, math.nan, math.nan
    tables = np.zeros((len(both), len(VALUES), len(VALUES)))
    tables[np.arange(len(both)), both[:, 0].astype(int), both[:, 1].astype(int)] = 1
    result = bootstrap(tables, kappa_of_tables, seed=seed, replicates=replicates)
    low, high = percentile_interval(result.replicates)
    return float(result.estimate), float(low), float(high)


def _observed(both: Floats) -> float | None:
    """Return the share of agreeing pairs of ratings of one story, each story counting once."""
    if not len(both):
        return None
    tally = (both[:, :, np.newaxis] == np.arange(len(VALUES))).sum(axis=1)
    number = tally.sum(axis=1)
    return float(((tally * (tally - 1)).sum(axis=1) / (number * (number - 1))).mean())


def _note(row: dict[str, Any]) -> str | None:
    prevalence, notes = row["prevalence"], []
    if not row["stories"]:
        return "no story has two ratings"
    if row["value"] is None:
        notes.append("all ratings are alike: there is no disagreement to correct for chance")
    elif prevalence is not None and not RARE <= prevalence <= 1 - RARE:
        notes.append(f"{'rare' if prevalence < RARE else 'nearly always given'}: the value is unstable")
    if row["value"] is not None and row["ci_low"] is None:
        notes.append("no interval: too many resamples hold one answer only, or all agree")
    if row["stories"] < _FEW:
        notes.append("fewer than 10 stories")
    return "; ".join(notes) or None


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None
