"""The one place that knows how a pilot's sums lie: from its cells to counts per prompt of a planned share."""

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from raylib.pipeline.planning.pilot import Pilot
from raylib.stats.arrays import Floats
from raylib.studies.base import MeasureEntry, PlannedShare, Study, StudyOptions
from raylib.studies.sums import Cell


class Counts(NamedTuple):
    """Successes and observations of each prompt of a cell; both empty where the pilot saw nothing."""

    x: list[float]
    n: list[float]


def asked_of(study: Study, pilot: Pilot) -> Mapping[str, tuple[int, float]]:
    """Return how many prompts of each cell a pilot asked (by its own options, its own first prompts), and how many
    samples of each of these there are, on average.

    A study says how many prompts a cell has, not which: so the prompts with at least so many samples are counted, for
    each number of samples that there is.
    """
    theirs = StudyOptions(study.name, pilot.identity["study"].get("options", {}))
    prompts = study.prompts(theirs).slice(0, pilot.prompts)
    samples = np.array([pilot.samples_of(prompt) for prompt in prompts["prompt_id"].to_pylist()])
    number: dict[str, int] = {}
    total: dict[str, float] = defaultdict(float)
    below = 0.0
    for least in np.unique(samples).tolist():
        kept = prompts.filter(pa.array(samples >= least))
        counted = {share.cell: share.prompts for share in study.planned_shares(theirs, kept)}
        number = counted | number
        for cell, count in counted.items():
            total[cell] += count * (least - below)
        below = least
    return {cell: (count, total[cell] / count) for cell, count in number.items()}


def counts_of(cells: Mapping[str, Cell], share: PlannedShare) -> Counts:
    """Return the counts of a share by cluster (in sorted order), for the clusters that have observations."""
    cell = cells.get(share.cell)
    if cell is None:
        return Counts([], [])
    counted = _column(cell, share.counted)
    total = sum((_column(cell, entry) for entry in share.total[1:]), _column(cell, share.total[0]))
    filled = total > 0
    return Counts(counted[filled].tolist(), total[filled].tolist())


def _column(cell: Cell, entry: MeasureEntry) -> Floats:
    return cell.vector(entry.measure)[:, cell.measures[entry.measure].index(entry.label)]
