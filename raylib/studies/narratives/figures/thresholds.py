"""The paper's figure 3b: subordination of names whose likelihood of a race exceeds a threshold."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from raylib.report import numbers
from raylib.report.curves import Curve, curves
from raylib.report.sections import Block, Figure, Paragraph
from raylib.stats.arrays import Floats
from raylib.stats.bootstrap import BLOCK_SIZE, cluster_weights, prepare_sums, replicate_sums
from raylib.stats.bootstrap_intervals import percentile_interval
from raylib.stats.median_ratio import THRESHOLDS
from raylib.stats.ratios import smoothed_ratio
from raylib.studies.base import StudyOptions
from raylib.studies.narratives.figures.reading import ModelNumbers, pooled_clusters, pooled_vector
from raylib.studies.narratives.figures.titles import of_models, without_numbers
from raylib.studies.narratives.measures import CLASSES, DOMINANT, LADEN, POOLED, SUBORDINATE
from raylib.studies.narratives.names import RACES, NameTable

FEWEST = 10
"""Characters that a threshold needs, both roles together; a line ends where fewer are left."""
_MOST_REPLICATES = 2_000
_SPOKEN = (10, 50, 75)
_ROLES = tuple(f"{POOLED}/{LADEN}/{role}" for role in (SUBORDINATE, DOMINANT))


class AboveThresholds(NamedTuple):
    """Subordination above each threshold; arrays of shape (RACES, 100), NaN where too few characters are left."""

    ratio: Floats
    low: Floats
    high: Floats
    """Of the 95% bootstrap by prompt; all NaN where there is one prompt."""


def thresholds(options: StudyOptions, models: Sequence[ModelNumbers], table: NameTable) -> list[Block]:
    """Return figure 3b, all models added up; nothing for runs without power-laden prompts."""
    clusters = pooled_clusters(models, *_ROLES)
    if not clusters:
        return []
    found = above_thresholds(models, min(options.replicates, _MOST_REPLICATES), options.seed)
    modelled = [place for place, race in enumerate(RACES) if table.models(race)]
    shown = [place for place in modelled if np.isfinite(found.ratio[place]).any()]
    if not shown:
        return [
            Paragraph("Too few names of power-laden stories are in the name table: there are no thresholds to show.")
        ]
    lines = [_curve(place, found) for place in shown]
    note = without_numbers(table, [RACES[place] for place in modelled if place not in shown])
    labels = ("Names with a likelihood of the race above, %", "Subordination ratio (log scale)")
    pictures = [curves(lines, *labels, note, narrow) for narrow in (False, True)]
    caption = (
        "Share of characters whose name exceeds the threshold among subordinate characters, over that among dominant ones; "
        "characters of all genders and all domains, counted whole. A line ends where fewer than "
        f"{FEWEST} characters of both roles are left. The band resamples prompts "
        f"({min(options.replicates, _MOST_REPLICATES):,} replicates)."
    )
    alt = f"Lines on a log scale with a dotted line at 1. {' '.join(_aloud(place, found) for place in shown)} {note}"
    title = f"Subordination of names above a likelihood of a race, {of_models([model.name for model in models])}"
    return [Figure(title, pictures[0], alt.strip(), caption, pictures[1])]


def above_thresholds(models: Sequence[ModelNumbers], replicates: int, seed: int) -> AboveThresholds:
    """Return the ratio (x_t / X) / (y_t / Y) of whole counts above each threshold, with a bootstrap by prompt."""
    clusters = pooled_clusters(models, *_ROLES)
    sums = np.concatenate([_of_role(models, cell, clusters) for cell in _ROLES], axis=1)
    own = sums.sum(axis=0, keepdims=True)
    x, _, y, _ = _split(own)
    enough = x[0] + y[0] >= FEWEST
    ratio = np.where(enough, _ratios(own)[0], np.nan)
    low = high = np.full(ratio.shape, np.nan)
    if len(clusters) > 1 and replicates:
        prepared = prepare_sums(sums)
        drawn = np.concatenate(
            [
                _ratios(replicate_sums(cluster_weights(seed, block, len(clusters)), prepared))
                for block in range(-(-replicates // BLOCK_SIZE))
            ]
        )[:replicates]
        interval = percentile_interval(drawn)
        low, high = (np.where(enough, end, np.nan) for end in (interval.low, interval.high))
    return AboveThresholds(ratio, low, high)


def _of_role(models: Sequence[ModelNumbers], cell: str, clusters: Sequence[str]) -> Floats:
    """Return a role's characters by race and those above each threshold, by cluster: (clusters, RACES x (1 + 100))."""
    above = pooled_vector(models, cell, "above", clusters)
    covered = pooled_vector(models, cell, "covered by gender", clusters)
    whole = (measure.reshape(len(clusters), len(CLASSES), -1).sum(axis=1) for measure in (covered, above))
    return np.concatenate(list(whole), axis=1)


def _ratios(sums: Floats) -> Floats:
    """Map sums of both roles, shape (replicates, columns), to ratios of shape (replicates, RACES, 100)."""
    return smoothed_ratio(*_split(sums))


def _split(sums: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return x, X, y and Y of sums of both roles: x and y of shape (..., RACES, 100), X and Y of (..., RACES, 1)."""
    by_role = sums.reshape(len(sums), len(_ROLES), -1)
    totals, above = by_role[..., : len(RACES), np.newaxis], by_role[..., len(RACES) :]
    above = above.reshape(len(sums), len(_ROLES), len(RACES), len(THRESHOLDS))
    return above[:, 0], totals[:, 0], above[:, 1], totals[:, 1]


def _curve(place: int, found: AboveThresholds) -> Curve:
    low, high = (tuple(ends[place]) if np.isfinite(ends[place]).any() else () for ends in (found.low, found.high))
    return Curve(RACES[place], place, tuple(THRESHOLDS), tuple(found.ratio[place]), low, high)


def _aloud(place: int, found: AboveThresholds) -> str:
    known = [t for t in _SPOKEN if np.isfinite(found.ratio[place, t - 1])]
    said = [f"{numbers.number(found.ratio[place, t - 1])} above {t}%" for t in known]
    return f"{RACES[place]}: {', '.join(said) or 'only thresholds below ' + str(_SPOKEN[0]) + '%'}."
