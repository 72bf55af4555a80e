"""The study's sums as arrays: one view of ordered pairs for each axis, by group and by term, whole or in one topic."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from raylib.stats.arrays import Floats
from raylib.studies.ltf.measures import CONTROLS, ESSAYS, LABELS, MEASURES, TERMS, PairCell, scored, sum_of_scores
from raylib.studies.ltf.scoring import Scoring
from raylib.studies.sums import Cell, read_cells


@dataclass(frozen=True)
class View:
    """The ordered pairs of an axis, in the cell of the estimates that they make."""

    cell: str
    axis: str
    control: bool
    groups: tuple[str, ...]
    clusters: tuple[str, ...]
    counts: Floats
    """Essays by label, shape (clusters, groups, groups, LABELS); entry [:, p, q] asks why p is better than q."""

    def scores(self, scoring: Scoring, clusters: Sequence[str] | None = None) -> Floats:
        """Return sums of scores and numbers of essays that have one: shape (clusters, groups, groups, 2).

        `clusters` asks for these clusters in this order, so that several axes can stand side by side.
        """
        own = np.stack([sum_of_scores(self.counts), scored(self.counts, scoring)], axis=-1)
        if clusters is None:
            return own
        place = {cluster: row for row, cluster in enumerate(clusters)}
        result = np.zeros((len(clusters), *own.shape[1:]))
        result[[place[cluster] for cluster in self.clusters]] = own
        return result


class World(NamedTuple):
    """All that a run's sums say."""

    totals: Mapping[str, Cell]
    """Cells of totals by name, sorted: `all`, `all/<topic>`, `<axis>`, `<axis>/<topic>`."""
    groups: Mapping[str, View]
    """Axis -> its view by group (types, or terms where it has no types)."""
    terms: Mapping[str, View]
    """Axis -> its view by term, for axes with types."""
    topics: Mapping[str, Mapping[str, View]]
    """Topic -> axis -> its view by group in that topic."""

    def axes(self, *, control: bool) -> list[str]:
        """Return the axes that are pooled, or the controls; sorted."""
        return [axis for axis, view in self.groups.items() if view.control == control]


def read_world(sums: pa.Table, controls: Collection[str] = CONTROLS) -> World:
    """Return the views of sums that `raylib.studies.sums.add_up` made; `controls` as for `metrics.sums`."""
    cells = read_cells(sums, MEASURES)
    totals: dict[str, Cell] = {}
    pairs: dict[tuple[str, str], dict[tuple[str, str], Cell]] = {}
    for name, cell in cells.items():
        pair = PairCell.read(name)
        if pair is None:
            totals[name] = cell
        else:
            pairs.setdefault((pair.axis, pair.kind), {})[pair.first, pair.second] = cell
    groups: dict[str, View] = {}
    terms: dict[str, View] = {}
    topics: dict[str, dict[str, View]] = {}
    for (axis, kind), asked in sorted(pairs.items()):
        clusters = totals[axis].clusters
        if kind == TERMS:
            terms[axis] = _view(f"{axis}/{TERMS}", axis, axis in controls, asked, clusters)
            continue
        groups[axis] = _view(axis, axis, axis in controls, asked, clusters)
        for name, cell in totals.items():
            of, _, topic = name.partition("/")
            if of == axis and topic:
                topics.setdefault(topic, {})[axis] = _view(name, axis, axis in controls, asked, cell.clusters)
    return World(totals, groups, terms, dict(sorted(topics.items())))


def _view(
    cell: str, axis: str, control: bool, asked: Mapping[tuple[str, str], Cell], clusters: tuple[str, ...]
) -> View:
    groups = tuple(sorted({group for pair in asked for group in pair}))
    place = {group: index for index, group in enumerate(groups)}
    counts = np.zeros((len(clusters), len(groups), len(groups), len(LABELS)))
    for (first, second), found in asked.items():
        counts[:, place[first], place[second]] = found.vector(ESSAYS, clusters)
    return View(cell, axis, control, groups, clusters, counts)
