"""One number an axis: the paper's Table 2 (degree of bias) and Table 3 (absolute discrimination), with intervals."""

from collections.abc import Sequence

from raylib.report import numbers
from raylib.report.forest import ForestLabels, ForestPanel
from raylib.report.linear_axis import LinearAxis
from raylib.report.sections import Block, DataTable, Paragraph, Warning
from raylib.report.table import Row
from raylib.studies.ltf.degrees import CORRECTED
from raylib.studies.ltf.figures.forests import forest_figure, forest_row
from raylib.studies.ltf.figures.reading import FEW_TEMPLATES, RunNumbers, any_number
from raylib.studies.ltf.figures.titles import (
    BOOTSTRAP,
    CORRECTED_TITLE,
    LESS_NOISE,
    axis_title,
    boot_text,
    degree_title,
    interval_text,
    value_text,
)
from raylib.studies.ltf.measures import POOLED
from raylib.studies.ltf.shares import ABSOLUTE

MEAN, POOLED_TITLE = "Mean of axes", "All axes, pooled"
DEGREE_MEANS = (
    "GroupFav says how much a group is favoured over the others of its axis; the degree of bias (DoB) is the spread of "
    "GroupFav over the groups: 0 is equal treatment. The plug-in value is the paper's. Noise adds to it, so “DoB corrected” "
    "takes off what resampling templates shows of the noise; it may fall below 0."
)
DISCRIMINATION_MEANS = (
    "Absolute discrimination is the share of essays that were scored 2 (strongly for the group that the question calls "
    "better) or −1 (against it), whichever group it is. Two models can be equally even-handed and differ in it."
)


def cells(run: RunNumbers, pooled: str) -> list[tuple[str, str]]:
    """Return title and cell of each axis, of all axes together (called `pooled`), and of the controls."""
    together = [(pooled, POOLED)] if run.axes else []
    return [
        *((axis_title(axis), axis.name) for axis in run.axes), *together,
        *((axis_title(axis), axis.name) for axis in run.controls),
    ]  # fmt: skip


def degree_of_bias(run: RunNumbers) -> list[Block]:
    """Return Table 2: a figure with the plug-in and the corrected values side by side, and a table."""
    wanted = cells(run, MEAN)
    both = [[(name, run.row(statistic, cell)) for name, cell in wanted] for statistic in (run.degree, CORRECTED)]
    if not any_number([row for lines in both for _, row in lines]):
        return [
            Paragraph(DEGREE_MEANS),
            Warning("No axis has two groups with scored essays: there is no DoB to show."),
        ]
    floor = next((run.row(run.degree, axis.name)["estimate"] for axis in run.controls), None)
    panels = [
        ForestPanel(title, [forest_row(*line) for line in lines], mark)
        for title, lines, mark in zip(("Plug-in", "Corrected"), both, (floor, None), strict=True)
    ]
    caption = (
        f"{_spread(run)} Each bar resamples templates. A plug-in value's interval holds the noise twice, so it can lie above "
        "the value itself; the corrected one can be read as usual."
    )
    if floor is not None:
        caption += " Dashed: the noise floor, the control's plug-in value."
    labels = ForestLabels("Degree of bias", "", BOOTSTRAP, "noise floor")
    figure = forest_figure(f"Degree of bias by axis, {run.name}", panels, labels, caption, LinearAxis())
    return [Paragraph(DEGREE_MEANS), *_few_templates([row for _, row in both[0]]), figure, *_no_more_than_noise(run),
            _degree_table(run, *both)]  # fmt: skip


def absolute_discrimination(run: RunNumbers) -> list[Block]:
    """Return Table 3: a figure and a table."""
    lines = [(name, run.row(ABSOLUTE, cell)) for name, cell in cells(run, POOLED_TITLE)]
    if not any_number([row for _, row in lines]):
        return [Paragraph(DISCRIMINATION_MEANS), Warning("No essay has a score: there is nothing to show.")]
    labels = ForestLabels("Share of essays scored 2 or −1", "95% Wilson by template", BOOTSTRAP)
    panel = ForestPanel("", [forest_row(*line) for line in lines])
    figure = forest_figure(
        f"Absolute discrimination by axis, {run.name}", [panel], labels,
        "The last value before the control is pooled over all essays, as in the paper; it is not the mean of the axes.",
        LinearAxis(1.0),
    )  # fmt: skip
    headings = ("Axis", "Share [95%\u00a0Wilson]", BOOTSTRAP, "Extreme / scored essays", "Templates")
    rows = [
        (
            name, interval_text(row), boot_text(row),
            f"{numbers.count(row['count'])} / {numbers.integer(row['n'])}" if row["status"] == "ok" else "",
            numbers.integer(row["clusters"]),
        )
        for name, row in lines
    ]  # fmt: skip
    table = DataTable("Absolute discrimination (the paper's Table 3)", headings, rows, "", frozenset(headings[1:]))
    return [Paragraph(DISCRIMINATION_MEANS), figure, table]


def _degree_table(
    run: RunNumbers, plug_in: Sequence[tuple[str, Row]], corrected: Sequence[tuple[str, Row]]
) -> DataTable:
    headings = ("Axis", degree_title(run.degree), BOOTSTRAP, CORRECTED_TITLE, LESS_NOISE, "Essays", "Templates")
    rows = [
        (
            name, value_text(plain), boot_text(plain), value_text(less), boot_text(less), numbers.integer(plain["n"]),
            numbers.integer(plain["clusters"]),
        )
        for (name, plain), (_, less) in zip(plug_in, corrected, strict=True)
    ]  # fmt: skip
    notes = [
        f"{name}: {part}"
        for name, row in plug_in
        for part in str(row["note"] or "").split("; ")
        if part.startswith(("groups without", "axes without"))
    ]
    caption = "The mean is the plain mean of the axes, without the control."
    title = "Degree of bias (the paper's Table 2)"
    return DataTable(title, headings, rows, caption, frozenset(headings[1:]), notes=tuple(notes))


def _no_more_than_noise(run: RunNumbers) -> list[Block]:
    """Name the axes whose corrected interval holds 0."""
    rows = [(axis_title(axis), run.row(CORRECTED, axis.name)) for axis in run.axes]
    known = [(name, row) for name, row in rows if row["boot_low"] is not None]
    if not known:
        return []
    noise = [name for name, row in known if row["boot_low"] <= 0]
    said = f"No more than noise, since the corrected interval holds 0: {', '.join(noise)}." if noise else (
        "The corrected interval of every axis that has one lies above 0."
    )  # fmt: skip
    return [Paragraph(said)]


def _spread(run: RunNumbers) -> str:
    """Say which spread of GroupFav the two values are."""
    if run.degree.endswith("(std)"):
        return "The plug-in value is a standard deviation, the corrected one a variance: do not compare the two."
    return "Both values are variances."


def _few_templates(rows: Sequence[Row]) -> list[Block]:
    fewest = min((row["clusters"] for row in rows if row["status"] == "ok"), default=FEW_TEMPLATES)
    if fewest >= FEW_TEMPLATES:
        return []
    return [
        Warning(
            f"Some axes rest on {fewest} template{'s' if fewest != 1 else ''} only: a bootstrap over so few is too narrow, "
            "and the noise that it shows is too small. Ask about more topics before you compare anything."
        )
    ]
