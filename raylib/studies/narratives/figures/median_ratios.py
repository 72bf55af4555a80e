"""The paper's figure 3c: the median racialised subordination ratio R_mrs by domain, race and gender."""

from collections.abc import Sequence

from raylib.report.colour_scale import HUNDREDFOLD
from raylib.report.heatmap import HeatMap
from raylib.report.sections import Block
from raylib.studies.narratives.axes import RACE_GENDER
from raylib.studies.narratives.extraction.gender import GENDERS
from raylib.studies.narratives.figures.heat import block, heat_figure, ratio_cell
from raylib.studies.narratives.figures.reading import ModelNumbers, any_number, cells_of, rows_of
from raylib.studies.narratives.figures.titles import GENDER_TITLES, short_title
from raylib.studies.narratives.measures import both
from raylib.studies.narratives.names import RACES

_CAPTION = (
    "R_mrs is the median, over thresholds t of 1 to 100%, of the subordination ratio of names whose likelihood of the race "
    "exceeds t, among characters of one gender. Above 1 (red) such names are more often subordinate, below 1 (blue) more "
    "often dominant; grey p ≥ .001 or unknown. A name that occurs in one role only makes very large or small ratios: "
    "their intervals are in the tables."
)


def median_ratios(models: Sequence[ModelNumbers]) -> list[Block]:
    """Return R_mrs as heat maps: one model in one figure, several in one figure a gender, a block a model."""
    rows = rows_of(models, "R_mrs", (RACE_GENDER.name,))
    if not any_number(rows):
        return []
    cells, columns = cells_of(rows), tuple(("race", race) for race in RACES)
    figures: list[Block] = []
    groups = [[(gender, models[0]) for gender in GENDERS]] if len(models) == 1 else []
    groups = groups or [[(gender, model) for model in models] for gender in GENDERS]
    for group in groups:
        blocks = [
            block(
                GENDER_TITLES[gender] if len(models) == 1 else model.name,
                [short_title(cell) for cell in cells],
                [
                    [ratio_cell([model.row("R_mrs", cell, RACE_GENDER.name, both(race, gender))]) for race in RACES]
                    for cell in cells
                ],
            )
            for gender, model in group
        ]
        whose = models[0].name if len(models) == 1 else f"{len(models)} models: {GENDER_TITLES[group[0][0]]}"
        grid = HeatMap(columns, blocks, "R_mrs (log scale)", "p ≥ .001 or unknown", HUNDREDFOLD)
        figures.append(heat_figure(f"Median racialised subordination ratio, {whose}", grid, _CAPTION))
    return figures
