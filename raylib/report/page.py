"""The page: one self-contained HTML file, without scripts, requests or markup from anybody's text.

Every text goes through the same two steps, in the template engine and not at each place of use: hidden control
characters become visible (`visible.py`), then HTML is escaped.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from raylib.errors import DataError
from raylib.report import numbers
from raylib.report.images import image
from raylib.report.sections import DataTable, Folded, Section
from raylib.report.visible import make_visible
from raylib.schemas import STATUSES, UNPARSED

_PARTS = (*STATUSES, "missing", UNPARSED)
_ALWAYS = frozenset({*STATUSES, "missing"})


@dataclass(frozen=True)
class RunHeader:
    """What stands above a report: which run it is, what became of its samples, how it came about."""

    run: str
    study: str
    model: str
    when: str
    """When the estimates were made: ISO 8601, or any text, which is then printed as it is."""
    counts: Mapping[str, int]
    """Samples: `planned`, and what became of them (ok, refused, truncated, error, missing, unparsed); they must
    add up."""
    provenance: tuple[tuple[str, str], ...] = ()
    """Rows of name and value: model, revision, engine, sampling, seeds, fingerprints, versions."""
    warnings: tuple[str, ...] = ()
    recompute: tuple[str, ...] = ()
    """The commands that check and repeat the computation."""


@dataclass(frozen=True)
class _Part:
    name: str
    count: int
    percent: str
    width: str


def render(title: str, header: RunHeader, sections: Sequence[Section]) -> str:
    """Return the report as one HTML file: same input, same text.

    Raises:
        DataError: the counts of samples do not add up, a table's rows do not fit its columns, or a figure is no PNG.
    """
    for section in sections:
        for block in section.blocks:
            for table in block.tables if isinstance(block, Folded) else [block]:
                if isinstance(table, DataTable):
                    _check_table(table)
    anchors = [f"s{place}-{_slug(section.title)}" for place, section in enumerate(sections, start=1)]
    page: str = (
        _environment()
        .get_template("report.html")
        .render(
            title=title,
            header=header,
            planned=header.counts.get("planned", 0),
            parts=_parts(header.counts),
            sections=list(zip(anchors, sections, strict=True)),
        )
    )
    return page


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("raylib.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
    )
    environment.filters["kind"] = lambda block: type(block).__name__
    environment.filters["integer"] = numbers.integer
    environment.filters["bodies"] = _bodies
    environment.filters["moment"] = _moment
    environment.globals["image"] = image
    environment.globals["style"] = lambda: Markup(environment.get_template("report.css").render())  # noqa: S704 (ours)
    return environment


def _finalize(value: object) -> object:
    """Make a text's hidden characters visible; runs on the result of every expression in the template."""
    return make_visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _parts(counts: Mapping[str, int]) -> list[_Part]:
    """Return what became of the planned samples.

    Raises:
        DataError: planned is not the sum of the others.
    """
    known = {name: counts.get(name, 0) for name in _PARTS if name in counts or name in _ALWAYS}
    unknown = sorted(set(counts) - set(_PARTS) - {"planned"})
    planned = counts.get("planned", 0)
    if unknown or planned != sum(known.values()):
        raise DataError(
            f"the samples of this run do not add up: planned {planned}, but {known}"
            f"{f' and unknown statuses {unknown}' if unknown else ''}; run jobs/verify.py on it"
        )
    return [
        _Part(name, count, numbers.percent(count / planned) if planned else "", f"{count / max(planned, 1):.4%}")
        for name, count in known.items()
    ]


def _check_table(table: DataTable) -> None:
    for row in table.rows:
        if len(row) != len(table.columns):
            raise DataError(
                f"table {table.title!r}: a row of {len(row)} cells under {len(table.columns)} columns: {row}"
            )
    if strange := table.numeric - set(table.columns):
        raise DataError(f"table {table.title!r}: numeric names no column: {sorted(strange)}; valid: {table.columns}")
    if table.groups and sum(size for _, size in table.groups) != len(table.rows):
        raise DataError(f"table {table.title!r}: its groups {table.groups} do not cover its {len(table.rows)} rows")


def _bodies(table: DataTable) -> list[tuple[str, Sequence[tuple[str, ...]]]]:
    """Return the table's bodies: (heading, rows) for each group, or one body without a heading."""
    if not table.groups:
        return [("", table.rows)]
    bodies, start = [], 0
    for heading, size in table.groups:
        bodies.append((heading, table.rows[start : start + size]))
        start += size
    return bodies


def _moment(text: str) -> str:
    """Return an ISO 8601 time to the minute in UTC ("2026-02-03 10:11 UTC"); another text unchanged."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return text
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC" if moment.tzinfo else f"{moment:%Y-%m-%d %H:%M}"


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:40] or "section"
