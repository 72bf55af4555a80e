"""The report's input of a run, read once for all figures, and the order in which axes and groups are shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from raylib.report import numbers
from raylib.report.table import Row
from raylib.studies.base import ReportInput, StudyOptions
from raylib.studies.ltf.axes import Axis, load_axes
from raylib.studies.ltf.degrees import ALL_GROUPS
from raylib.studies.ltf.measures import POOLED, TERMS
from raylib.studies.ltf.options import parse_options

_PAPER = (
    "gender", "religion", "race_ethnicity", "sexual_orientation", "ability", "ses", "body_type", "politics", "age",
    "nationality",
)  # fmt: skip
"""Order of the columns of the paper's Tables 2 and 3."""
_DEGREES = ("DoB", "DoB (std)")
FEW_TEMPLATES = 10


@dataclass(frozen=True)
class RunNumbers:
    """One run's estimates and tallies."""

    name: str
    rows: Mapping[tuple[str, str, str], Row]
    """Estimates by statistic, cell and group, in the table's order."""
    tallies: pa.Table
    axes: tuple[Axis, ...]
    """Those that the run asked about, in the paper's order, further ones behind; without the controls."""
    controls: tuple[Axis, ...]

    @property
    def shown(self) -> tuple[Axis, ...]:
        """All axes, the controls last."""
        return self.axes + self.controls

    @property
    def degree(self) -> str:
        """Name of the plug-in degree of bias, which says which spread it is."""
        return next((name for name, _, _ in self.rows if name in _DEGREES), _DEGREES[0])

    def row(self, statistic: str, cell: str, group: str = ALL_GROUPS) -> Row:
        """Return an estimate; where the table has none, one without data."""
        missing = {"status": numbers.NO_DATA, "group": group, "cell": cell, "statistic": statistic}
        return self.rows.get((statistic, cell, group), {**dict.fromkeys(_COLUMNS), **missing})

    def rows_of(self, statistic: str, cell: str) -> list[Row]:
        """Return all estimates of a statistic in a cell, in the table's order."""
        return [row for (name, of, _), row in self.rows.items() if (name, of) == (statistic, cell)]

    def has(self, statistic: str, cell: str) -> bool:
        """Say whether the run asked about a cell: whether there is a row, with a number or without one."""
        return (statistic, cell, ALL_GROUPS) in self.rows


_COLUMNS = ("estimate", "ci_low", "ci_high", "boot_low", "boot_high", "count", "n", "clusters", "note")


def read(options: StudyOptions, data: ReportInput) -> RunNumbers:
    """Return a run's numbers from what the report stage hands to the study."""
    rows = {(row["statistic"], row["cell"], row["group"]): row for row in data.estimates.to_pylist()}
    known = load_axes(parse_options(options).axes_file)
    asked = {row["axis"] for row in rows.values()} - {POOLED}
    places = {axis.name: place for place, axis in enumerate(known)}
    order = sorted((axis for axis in known if axis.name in asked), key=lambda axis: _place(axis.name, places))
    pooled, controls = ([axis for axis in order if axis.control == control] for control in (False, True))
    return RunNumbers(data.model, rows, data.tallies, tuple(pooled), tuple(controls))


def groups_of(axis: Axis, present: Sequence[str], *, terms: bool = False) -> tuple[str, ...]:
    """Return those of an axis's groups (or `terms`) that are present, in the axis's order."""
    names = [member.term if terms else member.type for member in axis.members]
    return tuple(name for name in dict.fromkeys(names) if name in present)


def terms_cell(axis: Axis) -> str:
    """Return the cell of an axis's estimates by term."""
    return f"{axis.name}/{TERMS}"


def any_number(rows: Sequence[Row]) -> bool:
    """Say whether one of the estimates is a number."""
    return any(row["status"] == "ok" for row in rows)


def _place(name: str, places: Mapping[str, int]) -> tuple[int, int]:
    return (_PAPER.index(name) if name in _PAPER else len(_PAPER), places[name])
