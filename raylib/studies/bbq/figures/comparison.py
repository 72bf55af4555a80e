"""The study's sections of a report over several runs: models side by side."""

from collections.abc import Sequence

from raylib.report.sections import Block, DataTable, Paragraph, Section
from raylib.studies.base import ReportInput, StudyOptions
from raylib.studies.bbq.estimates import ALL_STYLES, BBQ_ACCURACY, BIAS, BOTH
from raylib.studies.bbq.figures.reading import (
    BOOTSTRAP,
    CONDITION_TITLES,
    STYLE_TITLES,
    RunNumbers,
    category_title,
    read,
    with_bootstrap,
)
from raylib.studies.bbq.figures.tables import ACCURACY_MEANS, BIAS_MEANS

_DIFFERENCES = (
    "Differences have no interval here, and all runs share the items' templates: jobs/compare.py compares pairs of runs item by "
    "item, with intervals. Every estimate of every run is in the CSV file beside this report."
)


def comparison_sections(options: StudyOptions, data: Sequence[ReportInput]) -> list[Section]:
    """Return the report of several runs: at least one, names unique."""
    runs = [read(one) for one in data]
    styles = tuple(dict.fromkeys(style for run in runs for style in run.styles))
    conditions = tuple(dict.fromkeys(condition for run in runs for condition in run.conditions))
    group = ALL_STYLES if len(styles) > 1 else styles[0] if styles else ALL_STYLES
    accuracy = _table(f"BBQ accuracy, {STYLE_TITLES.get(group, group)}", runs, BBQ_ACCURACY, BOTH, group, 1, 3)
    biases = [
        _table(f"{CONDITION_TITLES[condition]}, {STYLE_TITLES[style]}", runs, BIAS, condition, style, 100, 1)
        for condition in conditions
        for style in styles
    ]
    return [
        Section("Which runs are compared", [Paragraph(f"Runs: {', '.join(run.name for run in runs)}. {_DIFFERENCES}")]),
        Section("How often right: BBQ accuracy", [Paragraph(ACCURACY_MEANS), accuracy]),
        Section("Which way the answers lean: bias score, times 100", [Paragraph(BIAS_MEANS), *biases]),
    ]


def _table(
    title: str, runs: Sequence[RunNumbers], statistic: str, condition: str, style: str, times: float, decimals: int
) -> Block:
    categories = dict.fromkeys(category for run in runs for category in run.categories)
    columns = ("Category", *(run.name for run in runs))
    rows = [
        (
            category_title(name),
            *(with_bootstrap(run.row(statistic, name, condition, style), times, decimals) for run in runs),
        )
        for name in categories
    ]
    return DataTable(title, columns, rows, f"In brackets: {BOOTSTRAP}.", frozenset(columns[1:]))
