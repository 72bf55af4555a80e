"""Estimates that a study makes for whole axes as one table, a row an axis: LTF-Test's Tables 2 and 3 with intervals."""

import pyarrow as pa

from raylib.report import numbers

WHOLE = "all groups"
"""Group of an estimate that is of all groups of its axis together; its cell is then the axis, or `all`."""
_DECIMALS = 3


def by_axis(estimates: pa.Table) -> pa.Table | None:
    """Return a column a statistic, each number with its interval, the study's own or else the bootstrap's, as text.

    None where the estimates (schema `raylib.schemas.ESTIMATES`) hold no number of a whole axis.
    """
    rows = [row for row in estimates.to_pylist() if row["group"] == WHOLE and row["cell"] == row["axis"]]
    if not rows:
        return None
    found = {(row["axis"], row["statistic"]): row for row in rows}
    axes, statistics = (list(dict.fromkeys(row[name] for row in rows)) for name in ("axis", "statistic"))
    columns = {name: [_text(found.get((axis, name))) for axis in axes] for name in statistics}
    return pa.table({"axis": axes, **columns})


def _text(row: dict[str, object] | None) -> str:
    if row is None:
        return ""
    if row["status"] != "ok":
        return str(row["status"])
    own = row["ci_low"] is not None
    low, high = (row[name] for name in (("ci_low", "ci_high") if own else ("boot_low", "boot_high")))
    ends = f" [{_fixed(low)}, {_fixed(high)}]" if low is not None and low != high else ""
    return _fixed(row["estimate"]) + ends


def _fixed(value: object) -> str:
    return numbers.fixed(float(str(value)), _DECIMALS)
