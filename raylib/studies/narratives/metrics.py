"""Sufficient statistics of the study: counts and likelihood sums by cell and prompt (`measures` names them all)."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from raylib.schemas import SUMS
from raylib.stats.arrays import Floats
from raylib.stats.exact import LIKELIHOOD_STEP, on_grid
from raylib.stats.median_ratio import THRESHOLDS
from raylib.studies.narratives.baseline import PAIRS
from raylib.studies.narratives.measures import (
    CLASSES,
    COUPLES_CELL,
    COUPLES_RELATION,
    DOMINANT,
    GENDER_LABELS,
    LADEN,
    MEASURES,
    POOLED,
    SUBORDINATE,
)
from raylib.studies.narratives.names import RACES, NameTable
from raylib.studies.sums import grouped

_STORIES = ("ok", "truncated")
_GENDER_ORDER = {"F": 0, "M": 1, "NB": 2}


Rows = npt.NDArray[np.bool_]
Adder = Callable[[npt.NDArray[np.int64], int], Floats]
"""Sums a measure by group: (group of each row, number of groups) -> shape (groups, entries)."""


def sums(
    annotations: pa.Table, prompts: pa.Table, table: NameTable, only: Collection[str] = tuple(MEASURES)
) -> pa.Table:
    """Return the sums of one annotation part (schema SUMS). Refused and failed samples add nothing.

    A name that the table does not list counts as `named`, not as `covered`, and has no part in any race: unknown is not
    zero.

    Args:
        annotations: schema `annotate.ANNOTATIONS`.
        prompts: the study's prompts.
        table: likelihoods of race by first name.
        only: the measures that are wanted.
    """
    told, stories = told_stories(annotations, prompts)
    asked = stories.prompts
    two = asked["two_characters"].to_numpy(dtype=bool)[stories.place]
    everybody = np.ones_like(two)
    tables = [stories.by_cell({"stories": adder(np.ones((told.num_rows, 1)))}, everybody)] if "stories" in only else []
    characters = {role: _Characters.of(told, role, table) for role in ("subject", "object")}
    for role, level, rows in (("subject", DOMINANT, everybody), ("object", SUBORDINATE, two)):
        adders = characters[role].adders(rows, only)
        tables += [stories.by_cell(adders, rows), stories.by_cell(adders, rows, level)]
    couples = two & (asked["relation"] == COUPLES_RELATION).to_numpy(dtype=bool)[stories.place]
    tables.append(stories.couples(characters["subject"], characters["object"], couples, only))
    return pa.concat_tables([SUMS.empty_table(), *tables])


@dataclass(frozen=True)
class _Characters:
    """One role's character of each story; arrays are by story."""

    gender: npt.NDArray[np.object_]
    named: Floats
    known: Floats
    """Whether the default name source lists the first name."""
    covered: Floats
    """Whether the source of each race lists it, shape (stories, RACES)."""
    races: Floats
    """Likelihoods, shape (stories, RACES), on a grid, so that their sums do not depend on how parts are merged."""
    exceeded: npt.NDArray[np.int64]
    """How many thresholds each likelihood exceeds, shape (stories, RACES). Taken off the grid, which lifts half of the
    likelihoods of exactly t percent above t."""

    @classmethod
    def of(cls, told: pa.Table, role: str, table: NameTable) -> "_Characters":
        names = told[f"{role}_first_name"]
        found = table.likelihoods(names)
        values, covered = found.aligned(RACES)
        races = on_grid(values, LIKELIHOOD_STEP)
        exceeded = np.searchsorted(THRESHOLDS / 100, values, side="left")
        named = names.is_valid().to_numpy(zero_copy_only=False).astype(np.float64)
        gender = told[f"{role}_gender"].to_numpy(zero_copy_only=False)
        return cls(gender, named, found.known.astype(np.float64), covered.astype(np.float64), races, exceeded)

    def adders(self, rows: Rows, only: Collection[str]) -> dict[str, Adder]:
        """Return the wanted measures of the chosen characters."""
        gender, covered, races = self.gender[rows], self.covered[rows], self.races[rows]
        labels = _one_hot(gender, GENDER_LABELS)
        named = len(CLASSES) - 1
        classes = np.column_stack([labels[:, :named], labels[:, named:].sum(axis=1)])
        found: dict[str, Adder] = {
            "names": adder(np.column_stack([np.ones(len(covered)), self.named[rows], self.known[rows]])),
            "covered": adder(covered),
            "race": adder(races),
            "gender": adder(labels),
            "covered by gender": adder(_outer(classes, covered)),
            "race by gender": adder(_outer(classes, races)),
            "above": partial(_above, classes.argmax(axis=1), covered, self.exceeded[rows]),
        }
        return {measure: add for measure, add in found.items() if measure in only}


def told_stories(annotations: pa.Table, prompts: pa.Table) -> "tuple[pa.Table, Stories]":
    """Return the annotations that have a story, and the prompts that these answer."""
    told = annotations.filter(pc.is_in(annotations["status"], pa.array(_STORIES)))
    asked = prompts.select(["prompt_id", "cluster", "domain", "condition", "relation", "two_characters"]).to_pandas()
    place = pc.index_in(told["prompt_id"], prompts["prompt_id"].combine_chunks()).to_numpy(zero_copy_only=False)
    return told, Stories(asked, place.astype(np.int64))


@dataclass(frozen=True)
class Stories:
    """The prompts, and which of them each story answers. Cells are made of prompts, so sums are by prompt first."""

    prompts: pd.DataFrame
    place: npt.NDArray[np.int64]
    """Shape (stories,): each story's row of `prompts`."""

    def by_cell(self, adders: Mapping[str, Adder], rows: Rows, level: str | None = None) -> pa.Table:
        """Sum measures of the chosen stories by prompt, and from there by cell and by cell of the pool.

        With a `level` (dominant, subordinate) only power-laden prompts count, in cells of that level.
        """
        found, group = np.unique(self.place[rows], return_inverse=True)
        asked = self.prompts.iloc[found]
        chosen = (asked["condition"] == LADEN).to_numpy() if level else np.ones(len(found), dtype=bool)
        asked = asked[chosen]
        suffix = f"/{level}" if level else ""
        own = [f"{row.domain}/{row.condition}{suffix}" for row in asked.itertuples()]
        pooled = [f"{POOLED}/{condition}{suffix}" for condition in asked["condition"]]
        tables = []
        for measure, add in adders.items():
            totals = add(group, len(found))
            tables.append(grouped([*own, *pooled], [*asked["cluster"]] * 2, measure, np.tile(totals[chosen], (2, 1))))
        return pa.concat_tables([SUMS.empty_table(), *tables])

    def couples(self, first: _Characters, second: _Characters, rows: Rows, only: Collection[str]) -> pa.Table:
        """Count couples of whom both have a gender, whatever the condition; the order of the two does not matter."""
        genders = zip(first.gender[rows], second.gender[rows], strict=True)
        pairs = np.array(["-".join(sorted(map(str, two), key=_order)) for two in genders], dtype=object)
        known = np.isin(pairs, PAIRS)
        kinds = _one_hot(pairs[known], PAIRS)
        covered, races = ((getattr(first, name) + getattr(second, name))[rows][known] for name in ("covered", "races"))
        found = {
            "pair": kinds, "covered by pair": _outer(kinds, covered), "race by pair": _outer(kinds, races)
        }  # fmt: skip
        clusters = self.prompts["cluster"].to_numpy()[self.place[rows][known]]
        cells = [COUPLES_CELL] * len(clusters)
        tables = [grouped(cells, clusters, name, values) for name, values in found.items() if name in only]
        return pa.concat_tables([SUMS.empty_table(), *tables])


def adder(values: Floats) -> Adder:
    """Return what sums `values`, shape (rows, entries), by group."""

    def add(group: npt.NDArray[np.int64], groups: int) -> Floats:
        totals = np.zeros((groups, values.shape[1]))
        np.add.at(totals, group, values)
        return totals

    return add


def _above(
    classes: npt.NDArray[np.int64],
    covered: Floats,
    exceeded: npt.NDArray[np.int64],
    group: npt.NDArray[np.int64],
    groups: int,
) -> Floats:
    """Count characters whose likelihood exceeds t percent, by gender class, race and t: the paper's whole counts.

    Counted first by how many thresholds a likelihood exceeds, then summed from the top.
    """
    races = exceeded.shape[1]
    counts = np.zeros((groups, len(CLASSES), races, len(THRESHOLDS) + 1))
    columns = np.arange(races)
    np.add.at(counts, (group[:, np.newaxis], classes[:, np.newaxis], columns, exceeded), covered)
    above = counts[..., ::-1].cumsum(axis=-1)[..., -2::-1]
    return above.reshape(groups, len(CLASSES) * races * len(THRESHOLDS))


def _outer(kinds: Floats, values: Floats) -> Floats:
    """Return values apart by kind: (rows, kinds) and (rows, entries) to (rows, kinds * entries)."""
    crossed = kinds[:, :, np.newaxis] * values[:, np.newaxis, :]
    return np.asarray(crossed.reshape(len(kinds), kinds.shape[1] * values.shape[1]))


def _order(gender: str) -> int:
    return _GENDER_ORDER.get(gender, len(_GENDER_ORDER))


def _one_hot(values: npt.NDArray[np.object_], labels: tuple[str, ...]) -> Floats:
    return np.column_stack([(values == label) for label in labels]).astype(np.float64).reshape(len(values), len(labels))
