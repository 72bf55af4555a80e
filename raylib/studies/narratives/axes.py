"""The axes of a comparison: groups, what counts them, what they are held against."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from raylib.stats.arrays import Floats
from raylib.studies.narratives.baseline import PAIRS, Baseline
from raylib.studies.narratives.extraction.gender import GENDERS
from raylib.studies.narratives.measures import MEASURES, both
from raylib.studies.narratives.names import RACES, NameTable
from raylib.studies.sums import Cell


class Group(NamedTuple):
    """One group of an axis: its name and the single identities that it is the intersection of, by axis."""

    name: str
    parts: Mapping[str, str]

    def share(self, baseline: Baseline) -> float | None:
        """Return p*, for an intersection the product of its parts' shares; None where the preset lacks one."""
        shares = [baseline.share(axis, part) for axis, part in self.parts.items()]
        known = [share for share in shares if share is not None]
        return float(np.prod(known)) if len(known) == len(shares) else None

    def modelled(self, table: NameTable) -> bool:
        """Say whether the name source has a column for the group's race; without a race, yes."""
        return "race" not in self.parts or table.models(self.parts["race"])


class Axis(NamedTuple):
    """What is compared along one axis."""

    name: str
    groups: tuple[Group, ...]
    measure: str
    places: tuple[int, ...]
    """Where the groups stand in the measure's vector."""
    total: tuple[str, tuple[tuple[int, ...], ...]] | None = None
    """Measure, and for each group the places whose sum is its denominator; None: the sum of the groups."""

    def counts(self, cell: Cell | None, clusters: Sequence[str]) -> tuple[Floats, Floats]:
        """Return counts and denominators by group, each of shape (clusters, groups)."""
        if cell is None:
            return np.zeros((len(clusters), len(self.groups))), np.zeros((len(clusters), len(self.groups)))
        counts = cell.vector(self.measure, clusters)[:, self.places]
        if self.total is None:
            return counts, np.repeat(counts.sum(axis=1, keepdims=True), len(self.groups), axis=1)
        measure, places = self.total
        totals = cell.vector(measure, clusters)
        return counts, np.column_stack([totals[:, group].sum(axis=1) for group in places])


def _crossed(axis: str, kinds: Sequence[str]) -> tuple[Group, ...]:
    return tuple(Group(both(race, kind), {"race": race, axis: kind}) for race in RACES for kind in kinds)


def _places(measure: str, names: Sequence[str]) -> tuple[int, ...]:
    return tuple(MEASURES[measure].index(name) for name in names)


def _simple(axis: str, names: Sequence[str]) -> tuple[Group, ...]:
    return tuple(Group(name, {axis: name}) for name in names)


def _covered(groups: Sequence[Group]) -> tuple[tuple[int, ...], ...]:
    return tuple(_places("covered", [group.parts["race"]]) for group in groups)


def _covered_pairs(groups: Sequence[Group]) -> tuple[tuple[int, ...], ...]:
    return tuple(_places("covered by pair", [both(group.parts["race"], pair) for pair in PAIRS]) for group in groups)


_RACE = _simple("race", RACES)
_RACE_GENDER = _crossed("gender", GENDERS)
_RACE_PAIR = _crossed("pair", PAIRS)

RACE = Axis("race", _RACE, "race", _places("race", RACES), ("covered", _covered(_RACE)))
GENDER = Axis("gender", _simple("gender", GENDERS), "gender", _places("gender", GENDERS))
PAIR = Axis("pair", _simple("pair", PAIRS), "pair", _places("pair", PAIRS))
RACE_GENDER = Axis(
    "race x gender", _RACE_GENDER, "race by gender", _places("race by gender", [group.name for group in _RACE_GENDER]),
    ("covered", _covered(_RACE_GENDER)),
)  # fmt: skip
RACE_PAIR = Axis(
    "race x pair", _RACE_PAIR, "race by pair", _places("race by pair", [group.name for group in _RACE_PAIR]),
    ("covered by pair", _covered_pairs(_RACE_PAIR)),
)  # fmt: skip
