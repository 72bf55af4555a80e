"""What axes, cells and statistics are called for a reader."""

from collections.abc import Iterable

from raylib.report import numbers
from raylib.report.table import Row
from raylib.studies.ltf.axes import Axis
from raylib.studies.ltf.measures import POOLED, TERMS
from raylib.studies.ltf.questions import load_topics

BOOTSTRAP = "95% bootstrap by template"
LESS_NOISE = "95% bootstrap less the noise"
CORRECTED_TITLE = "DoB corrected"
_SHORT = {"race_ethnicity": "R/E", "sexual_orientation": "SO", "ses": "SES", "body_type": "BT", "nationality": "NA"}
RUN_LETTERS = 30
"""Of a run's name in a figure."""


def axis_title(axis: Axis) -> str:
    """Return an axis's name for a reader: "Race/ethnicity", "Control (nonce)"."""
    if axis.control:
        return f"Control ({axis.name})"
    name = axis.category or axis.name.replace("_", " ")
    return name[0].upper() + name[1:]


def short_title(axis: Axis) -> str:
    """Return an axis's name for a narrow column: the paper's abbreviation where it has one."""
    return "Control" if axis.control else _SHORT.get(axis.name, axis_title(axis))


def abbreviations(axes: Iterable[Axis]) -> str:
    """Return what the abbreviations of some axes mean: "SO: sexual orientation; ..."; empty where there is none."""
    used = [axis for axis in axes if not axis.control and axis.name in _SHORT]
    return "; ".join(f"{short_title(axis)}: {axis_title(axis)}" for axis in used)


def degree_title(degree: str) -> str:
    """Return which spread the plug-in degree of bias is, for a column's heading."""
    return "DoB, plug-in (standard deviation)" if degree.endswith("(std)") else "DoB, plug-in (variance)"


def topic_titles() -> dict[str, str]:
    """Return the topics' names by code, in the paper's order."""
    return {topic.code: topic.topic for topic in load_topics()}


def cell_title(cell: str, axes: dict[str, str], topics: dict[str, str]) -> str:
    """Return a cell's name for a reader: "Gender, by term", "All axes, Leadership and Influence"."""
    axis, _, rest = cell.partition("/")
    name = "All axes" if axis == POOLED else axes.get(axis, axis)
    if not rest:
        return name
    return f"{name}, by term" if rest == TERMS else f"{name}, {topics.get(rest, rest)}"


def value_text(row: Row) -> str:
    """Return an estimate with three decimals, as in the paper's tables, or its status."""
    return numbers.fixed(row["estimate"], 3) if row["status"] == "ok" else str(row["status"])


def boot_text(row: Row) -> str:
    """Return an estimate's bootstrap interval; empty without an estimate."""
    if row["status"] != "ok":
        return ""
    return numbers.NO_INTERVAL if row["boot_low"] == row["boot_high"] else _ends(row["boot_low"], row["boot_high"])


def interval_text(row: Row) -> str:
    """Return an estimate with its own interval, or its status."""
    if row["status"] != "ok" or row["ci_low"] is None:
        return value_text(row)
    return f"{value_text(row)} {_ends(row['ci_low'], row['ci_high'])}"


def _ends(low: float, high: float) -> str:
    return f"[{numbers.fixed(low, 3)}, {numbers.fixed(high, 3)}]"
