"""What a terminal shows of a calibration: at most 80 columns."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from raylib.report import numbers
from raylib.studies.ltf.calibration.agreement import (
    ALL_AXES,
    ALPHA,
    EQUAL,
    JUDGE,
    KAPPA,
    REFERENCE,
    WEIGHTED_KAPPA,
    Tables,
)
from raylib.studies.ltf.calibration.essays import Matched
from raylib.studies.ltf.calibration.labels import MARKS
from raylib.studies.ltf.calibration.report import left_lines
from raylib.studies.ltf.degrees import CORRECTED
from raylib.studies.ltf.measures import POOLED

WIDTH = 80
Row = Mapping[str, Any]


def summary_lines(matched: Matched, tables: Tables, estimates: pa.Table, notes: Sequence[str] = ()) -> list[str]:
    """Return the agreement of all axes together, the degree of bias by axis, and what was left out."""
    essays, who = len(matched.judged.sample_ids), len(matched.annotators)
    lines = [f"{essays:,} labelled essays, {who} annotator{'s' * (who != 1)}"]
    for line in (*left_lines(matched.left), *notes):
        lines += textwrap.wrap(line, WIDTH, initial_indent="  ", subsequent_indent="    ")
    lines += _agreement(tables.agreement.to_pylist(), JUDGE, REFERENCE)
    for number, first in enumerate(matched.annotators):
        for second in matched.annotators[number + 1 :]:
            lines += _agreement(tables.agreement.to_pylist(), first, second)
    rows = [row for row in estimates.to_pylist() if row["statistic"] == CORRECTED]
    lines += ["", f"{'degree of bias, noise off':<26}{'judge alone':<25}corrected by people"]
    for row in rows:
        own = _with_interval(row["judge"], row["judge_low"], row["judge_high"])
        found = _with_interval(row["estimate"], row["ci_low"], row["ci_high"])
        axis = "mean of the axes" if row["axis"] == POOLED else _cut(row["axis"], 25)
        lines.append(f"{axis:<26}{own:<25}{found}")
    lacking = [row for row in rows if row["status"] != "ok"]
    for note in dict.fromkeys(str(row["note"]) for row in lacking):
        axes = ", ".join(row["axis"] for row in lacking if row["note"] == note)
        lines += textwrap.wrap(f"{axes}: {note}", WIDTH, initial_indent="  ", subsequent_indent="    ")
    return lines


def _agreement(rows: Sequence[Row], first: str, second: str) -> list[str]:
    own = [row for row in rows if (row["first"], row["second"], row["axis"]) == (first, second, ALL_AXES)]
    head = _cut(f"{first} and {second}", 18)
    lines = ["", f"{head:<18} {'n':>6} {'equal':>6} {'kappa [95%]':<23} alpha [95%]"]
    for label in MARKS:
        found = {row["statistic"]: row for row in own if row["label"] == label}
        kappa = found.get(WEIGHTED_KAPPA) or found[KAPPA]
        cells = [_with_interval(row["value"], row["ci_low"], row["ci_high"]) for row in (kappa, found[ALPHA])]
        count, equal = numbers.integer(found[EQUAL]["essays"]), numbers.percent(found[EQUAL]["value"])
        lines.append(f"{label.replace('_', ' '):<18} {count:>6} {equal:>6} {cells[0]:<23} {cells[1]}")
    return lines


def _with_interval(value: float | None, low: float | None, high: float | None) -> str:
    """Return a number at three decimals, so that columns keep their width: the tables have every digit."""
    if value is None:
        return numbers.UNKNOWN
    ends = numbers.NO_INTERVAL if low is None or high is None else f"{low:.3f}, {high:.3f}"
    text = f"{value:.3f} " + (f"({ends})" if ends == numbers.NO_INTERVAL else f"[{ends}]")
    return text.replace("-", "\N{MINUS SIGN}")


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"
