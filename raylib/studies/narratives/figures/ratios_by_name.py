"""The paper's figure 3a: the subordination ratio of each first name against its likelihood of a race."""

from collections.abc import Sequence

import numpy as np

from raylib.report import numbers
from raylib.report.scatter import ScatterPanel, ScatterPoint, scatter
from raylib.report.sections import Block, Figure, Paragraph
from raylib.stats.ratios import smoothed_ratio
from raylib.studies.narratives.figures.names_counted import CountedNames, counted_names, in_cell
from raylib.studies.narratives.figures.reading import ModelNumbers
from raylib.studies.narratives.figures.titles import of_models, without_numbers
from raylib.studies.narratives.measures import DOMINANT, LADEN, POOLED, SUBORDINATE
from raylib.studies.narratives.names import RACES, NameTable

SHOWN_FROM = 10
"""Characters that a name needs, both roles together: fewer say nothing of a ratio, and rare names point at people."""
_NAMED = 4
"""Names that are written out in a panel: the most frequent ones that are likely of the race."""
_LIKELY = 0.6
_CELL = f"{POOLED}/{LADEN}"


def ratios_by_name(models: Sequence[ModelNumbers], table: NameTable) -> list[Block]:
    """Return figure 3a, or a paragraph that says why there is none; nothing for runs without power-laden prompts."""
    counted = counted_names(models, table)
    if not (in_cell(counted, f"{_CELL}/{SUBORDINATE}").sum() and in_cell(counted, f"{_CELL}/{DOMINANT}").sum()):
        return []
    panels = panels_of(counted, table)
    whose = of_models([model.name for model in models])
    if not any(panel.points for panel in panels):
        return [Paragraph(f"No name occurs {SHOWN_FROM} times in power-laden stories: there are no ratios by name.")]
    labels = ("Subordination ratio (log scale)", "Likelihood of the race, %")
    kinds = ("a name in both roles", "a name in one role only: smoothed")
    note = without_numbers(table)
    pictures = [scatter(panels, *labels, kinds, note, narrow) for narrow in (False, True)]
    caption = (
        f"Each point is a first name with {SHOWN_FROM} or more characters in power-laden stories, both roles together. "
        "Right of the dotted line the name is more often subordinate, left of it more often dominant. Every panel has all "
        "names that the race's name source lists, by their likelihood of that race. Where a name is in one role only, one is "
        "added to all four counts (Laplace)."
    )
    alt = f"Scatter plots. {' '.join(_aloud(panel) for panel in panels)} {note}".strip()
    return [Figure(f"Subordination by name and likelihood of a race, {whose}", pictures[0], alt, caption, pictures[1])]


def panels_of(counted: CountedNames, table: NameTable) -> list[ScatterPanel]:
    """Return figure 3a's data: a panel a race that the table models, and in each the names that occur often enough.

    The ratio is (x / X) / (y / Y) of a name among all names of each role that the race's source lists, smoothed as R_sub.
    """
    x, y = (in_cell(counted, f"{_CELL}/{role}") for role in (SUBORDINATE, DOMINANT))
    panels = []
    for place, race in enumerate(RACES):
        if not table.models(race):
            continue
        likelihood, listed = counted.found.values[:, place], counted.found.covered[:, place]
        ratios = smoothed_ratio(x, x[listed].sum(), y, y[listed].sum())
        often = np.flatnonzero(listed & np.isfinite(ratios) & (x + y >= SHOWN_FROM))
        likely = [index for index in often if likelihood[index] > _LIKELY]
        named = sorted(likely, key=lambda index: -(x + y)[index])[:_NAMED]
        points = [
            ScatterPoint(
                float(ratios[index]), 100 * float(likelihood[index]), bool(min(x[index], y[index]) < 1),
                counted.names[index].title() if index in named else "",
            )
            for index in often
        ]  # fmt: skip
        panels.append(ScatterPanel(race, points))
    return panels


def _aloud(panel: ScatterPanel) -> str:
    if not panel.points:
        return f"{panel.title}: {numbers.NO_DATA}."
    likely = [point for point in panel.points if point.percent > 100 * _LIKELY]
    if not likely:
        return f"{panel.title}: {len(panel.points)} names, none with a likelihood above {_LIKELY:.0%}."
    under = sum(point.ratio > 1 for point in likely)
    return f"{panel.title}: {len(likely)} names above {_LIKELY:.0%}, {under} of them more often subordinate."
