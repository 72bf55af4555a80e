"""Differences of one study's statistics between two runs, paired: B minus A, both resampled by the same clusters.

A replicate's weights follow from (seed, block, number of clusters) alone (`resampling`). So with the same clusters in
the same order on both sides, replicate r of A and replicate r of B are the same draw, and their difference carries what
the two runs have in common. `matching` gives both sides the same clusters first.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from raylib.errors import DataError
from raylib.stats.arrays import Floats
from raylib.stats.bootstrap_intervals import percentile_interval
from raylib.stats.multiplicity import benjamini_hochberg
from raylib.stats.paired import detectable_difference, paired_p_value, paired_standard_error, relative_change
from raylib.studies.resampling import Key, blocks_of, by_key, replicate
from raylib.studies.rows import NO_DATA, OK, Comparison, Row, finite, joined, key_of, new_row

DIFFERENCES = pa.schema(
    [
        *(pa.field(name, pa.string(), nullable=False) for name in Key._fields),
        pa.field("status", pa.string(), nullable=False),  # ok | no data | what else the study says
        pa.field("estimate_a", pa.float64()),
        pa.field("estimate_b", pa.float64()),
        pa.field("difference", pa.float64()),  # B - A
        pa.field("low", pa.float64()),  # of the difference, 95 percent
        pa.field("high", pa.float64()),
        pa.field("standard_error", pa.float64()),  # of the difference, paired
        pa.field("p_value", pa.float64()),  # two-sided, of difference = 0
        pa.field("q_value", pa.float64()),  # p_value, adjusted for all differences of the table
        pa.field("detectable", pa.float64()),  # smallest difference found with 80 percent power at 5 percent
        pa.field("relative", pa.float64()),  # B / A - 1, where A is clearly not 0
        pa.field("relative_low", pa.float64()),
        pa.field("relative_high", pa.float64()),
        pa.field("n_a", pa.int64(), nullable=False),  # observations
        pa.field("n_b", pa.int64(), nullable=False),
        pa.field("clusters", pa.int64(), nullable=False),  # that both runs have, and that are resampled
        pa.field("replicates", pa.int64(), nullable=False),
        pa.field("note", pa.string()),
    ]
)
"""One row a statistic that both runs have. What is not known is null."""

_FEW = 10
"""With fewer clusters the note says that the interval is rough."""


class Correction(NamedTuple):
    """What noise adds to a statistic."""

    estimate: float
    """Taken off the estimate."""
    replicate: float
    """Taken off each replicate, which has the noise twice."""


class Corrections(NamedTuple):
    """What a study must set right in its comparisons before two runs are subtracted."""

    taken_off: Mapping[Key, Correction | None]
    """None: the noise cannot be seen, so there is no number."""
    judged_by: Mapping[Key, Key]
    """Statistics that noise alone lifts above 0 -> the one that says whether they are above it, in the same comparison."""


class Side(NamedTuple):
    """One run's comparisons, made from matched sums."""

    found: Sequence[Comparison]
    corrections: Corrections


class Draws(NamedTuple):
    """The bootstrap that both sides share."""

    seed: int
    replicates: int


class _Measured(NamedTuple):
    """One statistic of one run, noise taken off."""

    row: Row
    estimate: float | None
    drawn: Floats | None
    """Replicates; None where there are none."""

    @property
    def clearly_not_zero(self) -> bool:
        """Whether the run's own interval leaves 0 out."""
        if self.estimate is None or self.drawn is None:
            return False
        interval = percentile_interval(self.drawn)
        return bool(interval.low > 0 or interval.high < 0)


def differences(a: Side, b: Side, draws: Draws, *, same_samples: bool = False) -> pa.Table:
    """Return B - A of every statistic that both runs have, in A's order (schema DIFFERENCES).

    One comparison is resampled at a time: memory holds the replicates of its statistics, never of all.

    Args:
        a: the base.
        b: what is compared with it.
        draws: of the bootstrap.
        same_samples: both runs hold the very same samples. The difference is then 0 whatever is drawn, so that an interval
            without width claims nothing; of different samples it would, and there is none.

    Raises:
        DataError: the two sides do not hold the same clusters (a defect).
    """
    rows = [row for one, other in _pairs(a, b) for row in _compare(one, other, a, b, draws, same_samples)]
    p_values = np.array([row.get("p_value") for row in rows], dtype=np.float64)
    adjusted = benjamini_hochberg(p_values).p_values
    return pa.Table.from_pylist(
        [row | {"q_value": finite(value)} for row, value in zip(rows, adjusted, strict=True)], schema=DIFFERENCES
    )


def _pairs(a: Side, b: Side) -> Iterator[tuple[Comparison, Comparison]]:
    """Yield the comparisons of both sides that are about the same; those of one side alone are left out."""
    others = {key_of(other.rows[0]): other for other in b.found if other.rows}
    for one in a.found:
        other = others.get(key_of(one.rows[0])) if one.rows else None
        if other is None:
            continue
        if len(one.target.sums) != len(other.target.sums):
            raise DataError(
                f"cell {one.rows[0]['cell']!r}: the runs are resampled over {len(one.target.sums)} and "
                f"{len(other.target.sums)} clusters, so they are not paired; please report this as a defect"
            )
        yield one, other


def _compare(one: Comparison, other: Comparison, a: Side, b: Side, draws: Draws, same: bool) -> Iterator[Row]:
    """Yield the differences of one comparison."""
    base, compared = _measured(one, a.corrections, draws), _measured(other, b.corrections, draws)
    for key, first in base.items():
        if key in compared:
            judge = a.corrections.judged_by.get(key, key)
            row = _difference(key, first, compared[key], same)
            if base[judge].clearly_not_zero:
                row |= _relative(first, compared[key], same)
            biased = f"noise adds to it: see {judge.statistic}" if judge != key else None
            yield row | {"note": joined(row["note"], biased)}


def _measured(comparison: Comparison, corrections: Corrections, draws: Draws) -> dict[Key, _Measured]:
    drawn = by_key(
        replicate([comparison.target], seed=draws.seed, blocks=blocks_of(draws.replicates), replicates=draws.replicates)
    )
    result = {}
    for row in comparison.rows:
        key = key_of(row)
        values, estimate = drawn.get(key), row.get("estimate")
        correction = corrections.taken_off.get(key, Correction(0.0, 0.0))
        if row["status"] != OK or correction is None:
            estimate, values = None, None
        else:
            estimate = float(str(estimate)) - correction.estimate
            values = values - correction.replicate if values is not None else None
        result[key] = _Measured(row, estimate, values)
    return result


def _difference(key: Key, a: _Measured, b: _Measured, same: bool) -> Row:
    clusters = min(int(str(one.row["clusters"])) for one in (a, b))
    row = new_row(*key, 0, clusters) | {
        "status": OK, "estimate_a": a.estimate, "estimate_b": b.estimate, "note": None,
        "n_a": a.row["n"], "n_b": b.row["n"],
    }  # fmt: skip
    del row["n"]
    if a.estimate is None or b.estimate is None:
        return row | _missing(a, b)
    row |= {"difference": b.estimate - a.estimate}
    if same:
        return row | {"low": 0.0, "high": 0.0, "standard_error": 0.0, "p_value": 1.0, "note": "the same samples"}
    if a.drawn is None or b.drawn is None:
        return row | {"note": "one cluster only: no interval"}
    drawn = b.drawn - a.drawn
    interval = percentile_interval(drawn)
    if not np.isfinite(interval.low):
        return row | {"note": "replicates without spread or observations: no interval"}
    error = paired_standard_error(drawn, clusters)
    return row | {
        "low": finite(interval.low), "high": finite(interval.high), "standard_error": finite(error),
        "p_value": finite(paired_p_value(b.estimate - a.estimate, error, clusters)),
        "detectable": finite(detectable_difference(error, clusters)), "replicates": len(drawn),
        "note": f"{clusters} clusters only: the interval is too narrow, p is not" if clusters < _FEW else None,
    }  # fmt: skip


def _missing(a: _Measured, b: _Measured) -> Row:
    """Return the status and the note of a difference that one of the runs has no number for."""
    notes = []
    status = NO_DATA
    for name, one in (("A", a), ("B", b)):
        if one.estimate is None:
            status = str(one.row["status"]) if one.row["status"] != OK else NO_DATA
            unseen = "noise unknown, so it cannot be taken off" if one.row["status"] == OK else one.row.get("note")
            notes.append(f"{name}: {unseen or status}")
    return {"status": status, "note": joined(*notes)}


def _relative(a: _Measured, b: _Measured, same: bool) -> Row:
    """Return the change relative to A, with its interval."""
    if a.estimate is None or b.estimate is None:
        return {}
    change = finite(relative_change(a.estimate, b.estimate))
    if same:
        return {"relative": change, "relative_low": 0.0, "relative_high": 0.0}
    if a.drawn is None or b.drawn is None:
        return {"relative": change}
    interval = percentile_interval(relative_change(a.drawn, b.drawn))
    return {"relative": change, "relative_low": finite(interval.low), "relative_high": finite(interval.high)}
