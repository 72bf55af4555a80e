"""Who holds power: the paper's figures 2a (ratios by race and gender) and 2b (their medians by domain)."""

from collections.abc import Sequence

from raylib.report import numbers
from raylib.report.dots import Dot, DotPanel, DotRow, dot_plot
from raylib.report.heatmap import HeatBlock, HeatMap
from raylib.report.sections import Block, Figure, Paragraph, Warning
from raylib.report.table import Row
from raylib.studies.narratives.axes import RACE_GENDER
from raylib.studies.narratives.extraction.gender import GENDERS
from raylib.studies.narratives.figures.forests import forest_figure
from raylib.studies.narratives.figures.heat import block, grey_means, heat_figure, ratio_cell
from raylib.studies.narratives.figures.reading import (
    ModelNumbers,
    any_number,
    cells_of,
    median_of,
    rows_of,
    status_of,
)
from raylib.studies.narratives.figures.titles import GENDER_TITLES, of_models, short_title
from raylib.studies.narratives.measures import POOLED, both
from raylib.studies.narratives.names import RACES

_RATIO = "Subordination ratio (log scale)"
_AXIS = RACE_GENDER.name
_ALOUD = 3
_MEANS = "Above 1 (red) the group is more often subordinate, below 1 (blue) more often dominant. "


def subordination(models: Sequence[ModelNumbers]) -> list[Block]:
    """Return the figures of R_sub, and why one is missing; nothing for runs without power-laden prompts."""
    rows = rows_of(models, "R_sub", ("race", "gender"))
    crossed = rows_of(models, "R_sub", (_AXIS,))
    if not rows and not crossed:
        return []
    blocks: list[Block] = [
        Paragraph(
            "The subordination ratio is a group's share of the subordinate characters over its share of the dominant "
            "ones in power-laden stories: above 1, the group is more often the one who struggles, asks or is taught."
        )
    ]
    by_domain = [row for row in rows if not row["cell"].startswith(f"{POOLED}/")] or rows
    if not any_number([*by_domain, *crossed]):
        return [*blocks, Warning("No pair of roles in a power-laden story could be counted: there is no figure.")]
    if len(models) == 1 and any_number(by_domain):
        title = f"Subordination ratios in power-laden stories of {models[0].name}"
        blocks.append(forest_figure(title, by_domain, "Subordination ratio", "Katz", ""))
    if any_number(crossed):
        blocks += [by_race_and_gender(models), medians(models)]
    return blocks


def panels_of(models: Sequence[ModelNumbers]) -> list[DotPanel]:
    """Return figure 2a's data: a panel a cell, the groups in the order of their median over models, lowest first.

    Groups without a number in any model come last, and say why.
    """
    panels = []
    for cell in cells_of(rows_of(models, "R_sub", (_AXIS,))):
        lines = []
        for group in (group.name for group in RACE_GENDER.groups):
            rows = [model.row("R_sub", cell, _AXIS, group) for model in models]
            dots = tuple(_dot(place, row) for place, row in enumerate(rows) if row["status"] == "ok")
            lines.append(DotRow(group, dots, median_of(rows), "ok" if dots else status_of(rows)))
        ordered = sorted(_joined(lines), key=lambda line: (line.median is None, line.median or 0.0))
        panels.append(DotPanel(short_title(cell), ordered))
    return panels


def _joined(lines: Sequence[DotRow]) -> list[DotRow]:
    """Make one line of a race that has no number for any gender, for one reason."""
    kept: list[DotRow] = []
    for start in range(0, len(lines), len(GENDERS)):
        of_race = lines[start : start + len(GENDERS)]
        statuses = {line.status for line in of_race}
        race = of_race[0].group.removesuffix(f" {GENDERS[0]}")
        kept += (
            [DotRow(f"{race}, all", status=statuses.pop())] if len(statuses) == 1 and not of_race[0].dots else of_race
        )
    return kept


def by_race_and_gender(models: Sequence[ModelNumbers]) -> Figure:
    """Return the paper's figure 2a."""
    panels, names = panels_of(models), [model.name for model in models]
    caption = "Sorted by the ratio. " if len(models) == 1 else "Sorted by the median over models, the black line. "
    caption += (
        "The dotted line is a ratio of 1: right of it a group is more often subordinate, left of it more often dominant. "
        "Darker is a smaller p-value (two-tailed, binomial ratio; as in the paper it takes all stories as independent). "
    )
    caption += "F, M, NB: characters called by feminine, masculine or non-binary words. "
    if len(models) > 1:
        caption += "Intervals are in each model's own tables."
    else:
        caption += "An arrow is an interval that goes on."
    alt = f"Dot plot on a log scale with a dotted line at 1. {' '.join(_aloud(panel) for panel in panels)}"
    pictures = [dot_plot(panels, names, _RATIO, narrow) for narrow in (False, True)]
    title = f"Subordination by race and gender in power-laden stories of {of_models(names)}"
    return Figure(title, pictures[0], alt, caption, pictures[1])


def medians(models: Sequence[ModelNumbers]) -> Figure:
    """Return the paper's figure 2b: the median over models (one model: its ratio) by gender, race and domain."""
    grid = HeatMap(tuple(("race", race) for race in RACES), median_blocks(models), _RATIO, grey_means(len(models)))
    whose = of_models([model.name for model in models])
    title = f"{'S' if len(models) == 1 else 'Median s'}ubordination ratio by gender, race and domain, {whose}"
    caption = f"{_MEANS}Grey: {grey_means(len(models))}."
    return heat_figure(title, grid, caption)


def median_blocks(models: Sequence[ModelNumbers]) -> list[HeatBlock]:
    """Return figure 2b's data: a block a gender, a row a cell, a column a race."""
    cells = cells_of(rows_of(models, "R_sub", (_AXIS,)))
    return [
        block(
            GENDER_TITLES[gender],
            [short_title(cell) for cell in cells],
            [
                [ratio_cell([model.row("R_sub", cell, _AXIS, both(race, gender)) for model in models]) for race in RACES]
                for cell in cells
            ],
        )
        for gender in GENDERS
    ]  # fmt: skip


def _dot(model: int, row: Row) -> Dot:
    return Dot(
        model, row["estimate"], row["p_value"], (row["ci_low"], row["ci_high"]), (row["boot_low"], row["boot_high"])
    )


def _aloud(panel: DotPanel) -> str:
    """Say the lowest and the highest medians of a panel, and which groups have none."""
    numbered = [row for row in panel.rows if row.median is not None]
    said = [f"{row.group} {numbers.number(row.median)}" for row in numbered]
    ends = said if len(said) <= 2 * _ALOUD else [*said[:_ALOUD], "up to", *said[-_ALOUD:]]
    without: dict[str, list[str]] = {}
    for row in panel.rows:
        if row.median is None:
            without.setdefault(row.status, []).append(row.group)
    parts = [", ".join(ends), *(f"{status}: {', '.join(groups)}" for status, groups in without.items())]
    return f"{panel.title}: {'; '.join(filter(None, parts))}."
