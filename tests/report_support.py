"""Estimates, stories and a page for tests of the report."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from raylib.report.page import RunHeader
from raylib.report.sections import (
    DataTable,
    Excerpt,
    Excerpts,
    Figure,
    Folded,
    Paragraph,
    Points,
    Section,
    Warning,
)
from raylib.schemas import ESTIMATES, SUMS, TALLIES
from raylib.studies.base import ReportInput

RACES = ("White", "Latine", "Black", "Asian", "AI/AN", "MENA", "NH/PI")
NOT_MODELLED = ("MENA", "NH/PI")
CELLS = ("Labor/power-neutral", "Learning/power-neutral", "Love/power-neutral")
COUNTS = {"planned": 205, "ok": 190, "refused": 2, "truncated": 10, "error": 1, "missing": 2}


def estimate(group: str, cell: str = CELLS[0], axis: str = "race", **changes: Any) -> dict[str, Any]:
    """Return one row with a number: 1.52 [1.31, 1.76], bootstrap [1.10, 2.04]."""
    return {
        "statistic": "R_rep", "cell": cell, "axis": axis, "group": group, "status": "ok", "estimate": 1.52,
        "ci_low": 1.31, "ci_high": 1.76, "ci_method": "Wilson / p*", "boot_low": 1.10, "boot_high": 2.04,
        "boot_method": "percentile, clustered by prompt", "share": 0.29032, "baseline": 0.191, "count": 18.4, "n": 1204,
        "clusters": 15, "replicates": 2000, "p_value": 0.012, "q_value": 0.024, "cohen_d": -0.2184, "note": None, **changes,
    }  # fmt: skip


def without_number(group: str, status: str, cell: str = CELLS[0], axis: str = "race", note: str = "") -> dict[str, Any]:
    """Return one row that has a status in the place of a number."""
    empty = dict.fromkeys(ESTIMATES.names)
    counts = {"n": 0, "clusters": 0, "replicates": 0}
    key = {"statistic": "R_rep", "cell": cell, "axis": axis, "group": group, "status": status, "note": note or None}
    return empty | counts | key


def table(rows: Sequence[dict[str, Any]]) -> pa.Table:
    """Return rows as a table of schema ESTIMATES."""
    return pa.Table.from_pylist(list(rows), schema=ESTIMATES)


def study_estimates() -> pa.Table:
    """Return R_rep of three domains: five races and three genders with numbers, two races not modelled."""
    rows = []
    for place, cell in enumerate(CELLS):
        for step, race in enumerate(RACES):
            if race in NOT_MODELLED:
                rows.append(without_number(race, "not modelled", cell, note="the name source has no such column"))
            else:
                rows.append(estimate(race, cell, estimate=0.25 * (step + 1) + 0.1 * place, p_value=10.0 ** -(step + 1)))
        rows += [estimate(gender, cell, "gender", p_value=0.5) for gender in ("F", "M", "NB")]
    return table(rows)


def stories(texts: Sequence[str | None], **columns: Any) -> pa.Table:
    """Return annotated samples with these texts."""
    rows = [
        {
            "sample_id": f"{place:024x}", "prompt_id": f"labor.actor.neutral-{place}", "status": "ok",
            "subject_name": "Sarah", "subject_first_name": "Sarah", "subject_references": ["she", "her"],
            "subject_gender": "F", "object_name": None, "object_first_name": None, "object_references": None,
            "object_gender": None, "notes": None, "text": text, **columns,
        }
        for place, text in enumerate(texts)
    ]  # fmt: skip
    return pa.Table.from_pylist(rows)


def report_input(estimates: pa.Table | None = None, texts: Sequence[str | None] = ("Sarah ran.",)) -> ReportInput:
    """Return what the report stage hands to the study; without estimates, no ratio at all (and nothing to draw)."""
    given = table([]) if estimates is None else estimates
    return ReportInput("tiny", given, SUMS.empty_table(), TALLIES.empty_table(), stories(texts), COUNTS)


def header(**changes: Any) -> RunHeader:
    """Return a run's header."""
    values: dict[str, Any] = {
        "run": "small", "study": "narratives", "model": "tiny", "when": "2026-02-03T10:11:12+00:00", "counts": COUNTS,
    } | changes  # fmt: skip
    return RunHeader(**values)


def page_parts(text: str, png: bytes) -> tuple[str, RunHeader, list[Section]]:
    """Return a title, a header and sections that hold `text` in every place that takes a text."""
    top = header(
        run=text, study=text, model=text, when=text, provenance=((text, text),), warnings=(text,), recompute=(text,)
    )
    grid = DataTable(text, (text, "n"), [(text, text)], text, frozenset({text}), ((text, 1),), (text,))
    blocks = [
        Paragraph(text),
        Warning(text),
        Points(((text, text),)),
        Figure(text, png, text, text, png),
        grid,
        Folded(text, text, [grid]),
        Excerpts(text, text, [Excerpt(text, text, ((text, text),))]),
    ]
    return text, top, [Section(text, blocks)]
