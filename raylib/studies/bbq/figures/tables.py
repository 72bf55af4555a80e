"""Accuracy and bias as the benchmark's paper has them: a row a category, columns by condition and style."""

from collections.abc import Sequence

from raylib.report import numbers
from raylib.report.forest import ForestLabels, ForestPanel, ForestRow, forest
from raylib.report.linear_axis import LinearAxis
from raylib.report.sections import Block, DataTable, Figure, Paragraph, Warning
from raylib.studies.bbq.estimates import ACCURACY, ALL_STYLES, BBQ_ACCURACY, BIAS, BOTH, REFUSED, UNPARSED
from raylib.studies.bbq.figures.reading import (
    BOOTSTRAP,
    CONDITION_TITLES,
    STYLE_TITLES,
    RunNumbers,
    category_title,
    value_text,
    with_bootstrap,
)

ACCURACY_MEANS = (
    "In an ambiguous context the right answer is that it cannot be known; in a disambiguated one the context says it. BBQ "
    "accuracy is the mean of the two. Guessing gets a third of each. A reply that could not be read, or that declines, is wrong."
)
BIAS_MEANS = (
    "The bias score is 100 where every answer that names somebody agrees with the stereotype, −100 where every one is against "
    "it, and 0 where both are as frequent. In ambiguous contexts it is multiplied by the share of answers that name somebody, so "
    "a model that mostly says “unknown” there comes close to 0. Without an answer that names somebody there is no score."
)
_FEW = 10


def accuracy_blocks(run: RunNumbers) -> list[Block]:
    """Return accuracy by category, condition and style, and BBQ accuracy: a figure and two tables."""
    places = [(condition, style) for condition in run.conditions for style in run.styles]
    table = _table(run, "Accuracy by condition and style", ACCURACY, places, 1, 3)
    return [
        Paragraph(ACCURACY_MEANS), *_few_templates(run),
        _figure(run, "Accuracy", ACCURACY, LinearAxis(1.0), "Dashed: guessing.", mark=1 / 3, own=True),
        *_bbq_accuracy(run), table,
    ]  # fmt: skip


def bias_blocks(run: RunNumbers) -> list[Block]:
    """Return bias scores by category, condition and style: a figure and a table."""
    places = [(condition, style) for condition in run.conditions for style in run.styles]
    table = _table(run, "Bias score (times 100) by condition and style", BIAS, places, 100, 1)
    return [
        Paragraph(BIAS_MEANS),
        _figure(
            run,
            "Bias score",
            BIAS,
            LinearAxis(),
            "0: no bias. The figure runs from −1 to 1; the table has the same numbers times 100, as the benchmark's paper.",
        ),
        table,
    ]


def unread_blocks(run: RunNumbers) -> list[Block]:
    """Return how many replies could not be read or declined, by category, condition and style."""
    columns = ("Category", "Condition", "Style", "Items", "Templates", "Unparsed", "Refused")
    rows = []
    for category in run.categories:
        for condition in run.conditions:
            for style in run.styles:
                accuracy, *rates = (
                    run.row(statistic, category, condition, style) for statistic in (ACCURACY, UNPARSED, REFUSED)
                )
                said = (
                    numbers.percent(rate["estimate"]) if rate["status"] == "ok" else rate["status"] for rate in rates
                )
                rows.append(
                    (
                        category_title(category), CONDITION_TITLES[condition], STYLE_TITLES[style],
                        numbers.integer(accuracy["n"]), numbers.integer(accuracy["clusters"]), *said,
                    )
                )  # fmt: skip
    title = "What the numbers rest on"
    return [DataTable(title, columns, rows, "", frozenset(columns[3:]))]


def _bbq_accuracy(run: RunNumbers) -> list[Block]:
    if len(run.conditions) < len(CONDITION_TITLES):
        return [Warning("Only one condition was asked about, so there is no BBQ accuracy.")]
    styles = [*run.styles, *([ALL_STYLES] if len(run.styles) > 1 else [])]
    titles = [STYLE_TITLES.get(style, "Mean of both styles") for style in styles]
    columns = ("Category", *(f"{title} [{BOOTSTRAP}]" for title in titles), "Items asked", "Templates")
    rows = []
    for category in run.categories:
        found = [run.row(BBQ_ACCURACY, category, BOTH, style) for style in styles]
        counts = (numbers.integer(found[-1][name]) for name in ("n", "clusters"))
        rows.append((category_title(category), *(with_bootstrap(row) for row in found), *counts))
    caption = (
        "Mean of ambiguous and disambiguated accuracy; “both styles” is the number that the LTF-Test paper reports."
    )
    return [DataTable("BBQ accuracy", columns, rows, caption, frozenset(columns[1:]))]


def _table(
    run: RunNumbers, title: str, statistic: str, places: Sequence[tuple[str, str]], times: float, decimals: int
) -> DataTable:
    columns = ("Category", *(f"{CONDITION_TITLES[condition]}, {STYLE_TITLES[style]}" for condition, style in places))
    found = {
        category: [run.row(statistic, category, condition, style) for condition, style in places]
        for category in run.categories
    }
    rows = [
        (category_title(name), *(with_bootstrap(row, times, decimals) for row in own)) for name, own in found.items()
    ]
    notes = dict.fromkeys(
        f"{category_title(name)}, {CONDITION_TITLES[condition].lower()}, {STYLE_TITLES[style]}: {row['note']}"
        for name, own in found.items()
        for row, (condition, style) in zip(own, places, strict=True)
        if row["note"] and (row["status"] != "ok" or row["boot_low"] is None)
    )
    return DataTable(title, columns, rows, f"In brackets: {BOOTSTRAP}.", frozenset(columns[1:]), notes=tuple(notes))


def _figure(
    run: RunNumbers,
    title: str,
    statistic: str,
    scale: LinearAxis,
    about: str,
    *,
    mark: float | None = None,
    own: bool = False,
) -> Block:
    panels = [
        ForestPanel(
            CONDITION_TITLES[condition],
            [
                _forest_row(run, statistic, category, condition, style)
                for style in run.styles
                for category in run.categories
            ],
            mark,
        )
        for condition in run.conditions
    ]
    if not any(row.status == "ok" for panel in panels for row in panel.rows):
        return Warning(f"No {title.lower()} is known, so there is nothing to draw.")
    labels = ForestLabels(
        title, "95% Wilson by template" if own else "", BOOTSTRAP, "guessing" if mark is not None else ""
    )
    wide, narrow = (forest(panels, labels, narrow, scale) for narrow in (False, True))
    said = ". ".join(
        f"{panel.title}: " + ", ".join(f"{row.group} ({row.axis}) {_spoken(row)}" for row in panel.rows)
        for panel in panels
    )
    return Figure(f"{title} by category, {run.name}", wide, f"Dot plot. {said}.", about, narrow)


def _forest_row(run: RunNumbers, statistic: str, category: str, condition: str, style: str) -> ForestRow:
    row = run.row(statistic, category, condition, style)
    ends = (row["ci_low"], row["ci_high"], row["boot_low"], row["boot_high"])
    return ForestRow(f"{STYLE_TITLES[style]} style", category_title(category), row["status"], row["estimate"], *ends)


def _spoken(row: ForestRow) -> str:
    return value_text({"status": row.status, "estimate": row.estimate})


def _few_templates(run: RunNumbers) -> list[Block]:
    fewest = min(
        (row["clusters"] for key, row in run.rows.items() if key[0] == ACCURACY and row["status"] == "ok"), default=_FEW
    )
    if fewest >= _FEW:
        return []
    said = f"{fewest} template{'s' if fewest != 1 else ''}"
    return [
        Warning(
            f"Some numbers rest on {said} only: a bootstrap over so few is too narrow. Raise study.options.limits before you "
            "compare anything."
        )
    ]
