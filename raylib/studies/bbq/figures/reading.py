"""The report's input of a run, read once for all tables, and what its parts are called for a reader."""

from collections.abc import Mapping
from dataclasses import dataclass

from raylib.report import numbers
from raylib.report.table import Row
from raylib.studies.base import ReportInput
from raylib.studies.bbq.items import CONDITIONS
from raylib.studies.bbq.metrics import POOLED
from raylib.studies.bbq.wording import STYLES

CONDITION_TITLES = {"ambig": "Ambiguous", "disambig": "Disambiguated"}
STYLE_TITLES = {"race": "RACE", "arc": "ARC"}
BOOTSTRAP = "95% bootstrap by template"
_COLUMNS = ("estimate", "ci_low", "ci_high", "boot_low", "boot_high", "count", "n", "clusters", "note")


@dataclass(frozen=True)
class RunNumbers:
    """One run's estimates."""

    name: str
    rows: Mapping[tuple[str, str, str, str], Row]
    """By statistic, category, condition and style, in the table's order."""

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories, and behind them all of them together where they are several."""
        found = tuple(dict.fromkeys(category for _, category, _, _ in self.rows if category != POOLED))
        return (*found, POOLED) if len(found) > 1 else found

    @property
    def conditions(self) -> tuple[str, ...]:
        """The conditions that were asked about."""
        return tuple(name for name in CONDITIONS if name in {condition for _, _, condition, _ in self.rows})

    @property
    def styles(self) -> tuple[str, ...]:
        """The styles in which it was asked."""
        return tuple(name for name in STYLES if name in {style for _, _, _, style in self.rows})

    def row(self, statistic: str, category: str, condition: str, style: str) -> Row:
        """Return an estimate; where the table has none, one without data."""
        missing = {"status": numbers.NO_DATA, "statistic": statistic}
        key = (statistic, category, condition, style)
        return self.rows.get(key, {**dict.fromkeys(_COLUMNS), **missing, "n": 0, "clusters": 0})


def read(data: ReportInput) -> RunNumbers:
    """Return a run's numbers from what the report stage hands to the study."""
    names = ("statistic", "cell", "axis", "group")
    found = {tuple(row[name] for name in names): row for row in data.estimates.to_pylist()}
    return RunNumbers(data.model, {(one, two, three, four): row for (one, two, three, four), row in found.items()})


def category_title(category: str) -> str:
    """Return a category's name for a reader: "Sexual orientation"."""
    return "All categories" if category == POOLED else category.replace("_", " ")


def value_text(row: Row, times: float = 1, decimals: int = 3) -> str:
    """Return an estimate, times 100 where the benchmark's paper prints it so, or its status."""
    return numbers.fixed(row["estimate"] * times, decimals) if row["status"] == "ok" else str(row["status"])


def with_bootstrap(row: Row, times: float = 1, decimals: int = 3) -> str:
    """Return an estimate with its bootstrap interval below it, where it has one."""
    text = value_text(row, times, decimals)
    if row["status"] != "ok" or row["boot_low"] is None or row["boot_low"] == row["boot_high"]:
        return text
    low, high = (numbers.fixed(row[name] * times, decimals) for name in ("boot_low", "boot_high"))
    return f"{text} [{low}, {high}]"
