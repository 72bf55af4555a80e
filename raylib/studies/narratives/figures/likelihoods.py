"""The paper's figures 1c and 1d: how many characters bear names of which likelihood of a race, on a log scale."""

from collections.abc import Sequence

import numpy as np

from raylib.report import numbers
from raylib.report.histogram import HistogramPanel, histogram
from raylib.report.sections import Block, Figure, Paragraph
from raylib.stats.arrays import Floats
from raylib.stats.median_ratio import THRESHOLDS
from raylib.studies.narratives.figures.reading import ModelNumbers, pooled_clusters, pooled_vector
from raylib.studies.narratives.figures.titles import of_models, without_numbers
from raylib.studies.narratives.measures import CLASSES, NEUTRAL, POOLED
from raylib.studies.narratives.names import RACES, NameTable

CELL = f"{POOLED}/{NEUTRAL}"
_X, _Y = "Likelihood of the race, %", "Characters"


def histograms(models: Sequence[ModelNumbers], table: NameTable) -> list[Block]:
    """Return the histograms of all characters and of non-binary ones in power-neutral stories, models added up."""
    whose = of_models([model.name for model in models])
    if not by_likelihood(models, CLASSES).any():
        return [Paragraph("No name of a power-neutral story is in the name table: there are no likelihoods to count.")]
    caption = (
        "Each bar counts the characters whose first name has a likelihood above t - 1 and up to t percent; the first bar "
        "holds names that nobody of the race bears too. The scale of counts is logarithmic. "
    )
    figures: list[Block] = [
        _figure(f"Characters by the likelihood of a race in power-neutral stories of {whose}", caption, models, CLASSES, table)
    ]  # fmt: skip
    title = f"Non-binary characters by the likelihood of a race in power-neutral stories of {whose}"
    if by_likelihood(models, ("NB",)).any():
        figures.append(_figure(title, caption, models, ("NB",), table))
    else:
        figures.append(Paragraph(f"{title}: no data, no such character has a name of the name table."))
    return figures


def by_likelihood(models: Sequence[ModelNumbers], classes: Sequence[str]) -> Floats:
    """Count characters of some classes of gender by likelihood of each race; shape (RACES, 100).

    Entry t - 1 counts likelihoods in (t - 1, t] percent; entry 0 also those of exactly 0. A character counts for a race
    if the source of the race's column lists the name.
    """
    clusters = pooled_clusters(models, CELL)
    chosen = [CLASSES.index(name) for name in classes]
    above = pooled_vector(models, CELL, "above", clusters).sum(axis=0)
    above = above.reshape(len(CLASSES), len(RACES), len(THRESHOLDS))[chosen].sum(axis=0)
    covered = pooled_vector(models, CELL, "covered by gender", clusters).sum(axis=0)
    covered = covered.reshape(len(CLASSES), len(RACES))[chosen].sum(axis=0)
    at_least = np.column_stack([covered, above])
    return np.asarray(at_least[:, :-1] - at_least[:, 1:])


def _figure(
    title: str, caption: str, models: Sequence[ModelNumbers], classes: Sequence[str], table: NameTable
) -> Figure:
    counts = by_likelihood(models, classes)
    panels = [HistogramPanel(race, tuple(counts[place])) for place, race in enumerate(RACES) if table.models(race)]
    note = without_numbers(table)
    said = [
        f"{panel.title}: {numbers.count(sum(panel.counts))} characters, the highest likelihood in bar {panel.highest}%, "
        f"{numbers.count(sum(panel.counts[50:]))} above 50%"
        for panel in panels
    ]
    pictures = [histogram(panels, _X, _Y, note, narrow) for narrow in (False, True)]
    alt = f"Histograms on a log scale. {'. '.join(said)}. {note}".strip()
    return Figure(title, pictures[0], alt, caption, pictures[1])
