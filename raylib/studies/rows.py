"""Rows of estimates: how a study names them, what is resampled for them, and the bootstrap's columns."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from raylib.stats.arrays import Floats
from raylib.stats.bootstrap_intervals import percentile_interval
from raylib.studies.resampling import Key, Target

OK, NO_DATA = "ok", "no data"

Row = dict[str, object]


class Comparison(NamedTuple):
    """Rows of the estimates, and what is resampled for those that are `ok`, in their order."""

    rows: tuple[Row, ...]
    target: Target


def comparison(rows: Sequence[Row], sums: Floats, value: Callable[[Floats], Floats]) -> Comparison:
    """Join rows with their target; `value` gives one column for each row that is `ok`."""
    keys = tuple(key_of(row) for row in rows if row["status"] == OK)
    return Comparison(tuple(rows), Target(keys, sums, value))


def key_of(row: Mapping[str, object]) -> Key:
    """Return what names a row."""
    return Key(*(str(row[name]) for name in Key._fields))


def new_row(statistic: str, cell: str, axis: str, group: str, number: float, clusters: int) -> Row:
    """Return a row without numbers."""
    return {
        "statistic": statistic, "cell": cell, "axis": axis, "group": group, "n": round(number), "clusters": clusters,
        "replicates": 0,
    }  # fmt: skip


def finite(value: Floats | float) -> float | None:
    """Return a number, or None for NaN and infinity."""
    number = float(value)
    return number if np.isfinite(number) else None


def bootstrap_columns(values: Floats, method: str) -> Row:
    """Percentile interval; none where replicates have no observations, or all agree (a count of zero stays zero)."""
    interval = percentile_interval(values)
    low, high = finite(interval.low), finite(interval.high)
    if low is None or high is None:
        return {}
    return {"boot_low": low, "boot_high": high, "boot_method": method, "replicates": len(values)}


def joined(*notes: object) -> str | None:
    """Return a row's notes as one text, or None where there are none."""
    return "; ".join(str(note) for note in notes if note) or None
