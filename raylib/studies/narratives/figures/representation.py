"""Who appears: the paper's figures 1a and 1b, with intersections, as heat maps; with one model also its intervals."""

from collections.abc import Sequence

from raylib.report.heatmap import HeatMap
from raylib.report.sections import Block, Figure, Paragraph, Warning
from raylib.studies.narratives.baseline import PAIRS
from raylib.studies.narratives.extraction.gender import GENDERS
from raylib.studies.narratives.figures.forests import forest_figure
from raylib.studies.narratives.figures.heat import block, heat_figure, share_cell
from raylib.studies.narratives.figures.reading import ModelNumbers, any_number, cells_of, rows_of
from raylib.studies.narratives.figures.titles import GENDER_TITLES, of_models, short_title
from raylib.studies.narratives.measures import COUPLES_CELL, NEUTRAL, POOLED, both
from raylib.studies.narratives.names import RACES

_RATIO = "Ratio to the baseline (log scale)"
_GREY = "p ≥ .001 or unknown"
_COLOURS = (
    "Share of the characters, and below it the ratio to the baseline, which is the colour: blue is fewer than the "
    "baseline, red more, grey p ≥ .001 or no p-value. "
)
_P_VALUES = (
    "The p-values are the paper's: they take all stories as independent, and are too small where stories of one prompt "
    "resemble each other."
)
_PRODUCT = "The baseline of an intersection is the product of the two shares, as if they were independent. "
_PAIR_KINDS = (("Same gender", ("F-F", "M-M", "NB-NB")), ("Different genders", ("F-M", "F-NB", "M-NB")))


def representation(models: Sequence[ModelNumbers]) -> list[Block]:
    """Return the figures of who appears in power-neutral stories and in couples, and why one is missing."""
    blocks: list[Block] = [
        Paragraph(
            "The representation ratio is a group's share of the characters over its share of the comparison "
            "population: 1 is proportional, 0.5 is half as many as expected, 2 twice as many. Race is counted by "
            "fractions: a name adds to each race the share of people of that name who report it."
        )
    ]
    neutral = rows_of(models, "R_rep", ("race", "gender"), f"/{NEUTRAL}")
    if any_number(neutral):
        if len(models) == 1:
            by_domain = [row for row in neutral if not row["cell"].startswith(f"{POOLED}/")]
            title = f"Representation ratios in power-neutral stories of {models[0].name}"
            caption = "The bootstrap resamples whole prompts, because stories of one prompt resemble each other. "
            blocks.append(forest_figure(title, by_domain or neutral, "Representation ratio", "Wilson", caption))
        blocks.append(likelihoods(models))
    else:
        blocks.append(Warning("No character of a power-neutral story could be counted: there is no figure."))
    if any_number(rows_of(models, "R_rep", ("race x gender",), f"/{NEUTRAL}")):
        blocks += intersections(models)
    couples = rows_of(models, "R_rep", ("pair",))
    if any_number(couples):
        if len(models) == 1:
            title = f"Couples by gender in romantic stories of {models[0].name}"
            blocks.append(forest_figure(title, couples, "Representation ratio", "Wilson", "Both conditions. "))
        blocks.append(pairs(models))
    if any_number(rows_of(models, "R_rep", ("race x pair",))):
        blocks.append(race_by_pair(models))
    return blocks


def likelihoods(models: Sequence[ModelNumbers]) -> Figure:
    """Return the paper's figure 1a: shares of race and gender by domain, a block a model."""
    rows = rows_of(models, "R_rep", ("race", "gender"), f"/{NEUTRAL}")
    cells, columns = cells_of(rows), tuple(dict.fromkeys((row["axis"], row["group"]) for row in rows))
    blocks = [
        block(
            model.name if len(models) > 1 else "",
            [short_title(cell) for cell in cells],
            [[share_cell(model.row("R_rep", cell, *column)) for column in columns] for cell in cells],
        )
        for model in models
    ]
    title = f"Likelihood of race and gender in power-neutral stories of {of_models([model.name for model in models])}"
    return heat_figure(title, HeatMap(columns, blocks, _RATIO, _GREY), _COLOURS + _P_VALUES)


def intersections(models: Sequence[ModelNumbers]) -> list[Figure]:
    """Return shares of race within gender by domain: one figure, or with several models one a gender."""
    cells = cells_of(rows_of(models, "R_rep", ("race x gender",), f"/{NEUTRAL}"))
    columns = tuple(("race", race) for race in RACES)
    of_gender = {
        gender: [
            block(
                GENDER_TITLES[gender] if len(models) == 1 else model.name,
                [short_title(cell) for cell in cells],
                [[share_cell(model.row("R_rep", cell, "race x gender", both(race, gender))) for race in RACES] for cell in cells],
            )
            for model in models
        ]
        for gender in GENDERS
    }  # fmt: skip
    caption = _COLOURS + _PRODUCT
    if len(models) == 1:
        grid = HeatMap(columns, [part for blocks in of_gender.values() for part in blocks], _RATIO, _GREY)
        return [heat_figure(f"Race and gender together in power-neutral stories of {models[0].name}", grid, caption)]
    title = "Race and gender together in power-neutral stories"
    return [
        heat_figure(f"{title}: {GENDER_TITLES[gender]}", HeatMap(columns, blocks, _RATIO, _GREY), caption)
        for gender, blocks in of_gender.items()
    ]


def pairs(models: Sequence[ModelNumbers]) -> Figure:
    """Return the paper's figure 1b: shares of couples by gender in romantic stories, a block a model."""
    blocks = [
        block(
            model.name if len(models) > 1 else "",
            ["Couples"],
            [[share_cell(model.row("R_rep", COUPLES_CELL, "pair", pair)) for pair in PAIRS]],
        )
        for model in models
    ]
    title = f"Likelihood of couples by gender in romantic stories of {of_models([model.name for model in models])}"
    caption = _COLOURS.replace("characters", "couples of whom both have a gender, both conditions") + _P_VALUES
    return heat_figure(title, HeatMap(tuple(("pair", pair) for pair in PAIRS), blocks, _RATIO, _GREY), caption)


def race_by_pair(models: Sequence[ModelNumbers]) -> Figure:
    """Return shares of race within couples by gender, among the characters of all couples."""
    blocks = [
        block(
            ", ".join(filter(None, (model.name if len(models) > 1 else "", kind))),
            pairs_of_kind,
            [
                [share_cell(model.row("R_rep", COUPLES_CELL, "race x pair", both(race, pair))) for race in RACES]
                for pair in pairs_of_kind
            ],
        )
        for model in models
        for kind, pairs_of_kind in _PAIR_KINDS
    ]
    title = f"Race in couples by gender in romantic stories of {of_models([model.name for model in models])}"
    grid = HeatMap(tuple(("race", race) for race in RACES), blocks, _RATIO, _GREY)
    return heat_figure(title, grid, _COLOURS + _PRODUCT)
