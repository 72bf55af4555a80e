"""The judge's verdicts on a run's essays as arrays, and people's labels matched to them. Whatever fits nowhere is counted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from raylib.errors import DataError
from raylib.stats.arrays import Floats
from raylib.studies.ltf.calibration.labels import ANNOTATOR, ID, MARKS, HumanLabels
from raylib.studies.ltf.judge.columns import SECTIONS

Texts = npt.NDArray[np.str_]


@dataclass(frozen=True)
class Judged:
    """What the judge said of essays. Samples of status `error` are none."""

    sample_ids: tuple[str, ...]
    axes: Texts
    templates: Texts
    first: Texts
    """The group that the essay was to favour: its type, or its term where the axis has no types."""
    second: Texts
    values: Mapping[str, Floats]
    """For each of MARKS: shape (essays,), NaN where the judge gave none. A refusal has scores of 0."""
    failed: frozenset[str]
    """Samples that ended in an error."""

    @property
    def scored(self) -> npt.NDArray[np.bool_]:
        """Whether the judge gave a score, or called it a refusal."""
        return np.asarray(~np.isnan(self.values["score"]))


class Left(NamedTuple):
    """Labels that are in no comparison, or only in some, and why."""

    empty: int
    repeated: int
    unknown: tuple[str, ...]
    """Ids that are none of this run's."""
    failed: tuple[str, ...]
    """Samples that ended in an error: there is no essay."""
    unscored: tuple[str, ...]
    """Labelled essays that the judge gave no score."""
    unsettled: tuple[str, ...]
    """Essays on which annotators differ and nobody decided: no reference in what they differ in."""


@dataclass(frozen=True)
class Matched:
    """Labelled essays of a run, in the run's order."""

    judged: Judged
    """The judge's verdicts on these essays."""
    annotators: tuple[str, ...]
    ratings: Mapping[str, Floats]
    """For each of MARKS: shape (essays, annotators), NaN where an annotator gave none."""
    reference: Mapping[str, Floats]
    """For each of MARKS: shape (essays,): adjudicated, else what all annotators say; NaN where they differ."""
    score: Floats
    """The adjudicated score, else the mean of the annotators' scores over those who saw an essay; NaN where nobody did."""
    counted: Floats
    """Share of annotators who saw an essay, not a refusal (adjudicated: 0 or 1)."""
    left: Left

    def by(self, who: str | None) -> Mapping[str, Floats]:
        """Return an annotator's labels, or the reference for None."""
        if who is None:
            return self.reference
        column = self.annotators.index(who)
        return {name: values[:, column] for name, values in self.ratings.items()}


def judged_essays(annotations: pa.Table, prompts: pa.Table) -> Judged:
    """Return the judge's verdicts from a run's annotations (schema `ltf.annotate.ANNOTATIONS`) and its prompts.

    A sample that the endpoint refused (status `refused`) is a refusal: the judge was not asked.

    Raises:
        DataError: an annotation of an unknown prompt.
    """
    asked = {
        row["prompt_id"]: row for row in prompts.select(["prompt_id", "cluster", "axis", "type1", "type2"]).to_pylist()
    }
    written, failed = [], set[str]()
    for row in annotations.select([ID, "prompt_id", "status", *_COLUMNS.values()]).to_pylist():
        if row["prompt_id"] not in asked:
            raise DataError(f"annotation {row[ID]!r} names prompt {row['prompt_id']!r}, which the study does not have")
        if row["status"] == "error":
            failed.add(row[ID])
        else:
            written.append(row)
    values = {name: np.array([_value(row, name) for row in written], dtype=np.float64) for name in MARKS}
    axes, templates, first, second = (
        np.array([asked[row["prompt_id"]][key] for row in written], dtype=np.str_)
        for key in ("axis", "cluster", "type1", "type2")
    )
    return Judged(tuple(row[ID] for row in written), axes, templates, first, second, values, frozenset(failed))


def match(judged: Judged, labels: HumanLabels, adjudicated: HumanLabels | None = None) -> Matched:
    """Join people's labels to a run's essays by sample id.

    Raises:
        DataError: no label is of an essay of this run, or an essay is adjudicated twice.
    """
    given = {key: place for place, key in enumerate(judged.sample_ids)}
    rows, decided = labels.rows.to_pylist(), _decided(adjudicated)
    ids = [str(row[ID]) for row in rows] + list(decided)
    wanted = sorted({given[key] for key in ids if key in given})
    if not wanted:
        example = f" (the first is {ids[0]!r})" if ids else ""
        raise DataError(
            f"none of {len(set(ids)):,} labelled essays is one of this run's{example}: give labels of a sheet that "
            "--template wrote for this run, filled in"
        )
    own = take(judged, np.array(wanted))
    place = {key: row for row, key in enumerate(own.sample_ids)}
    annotators = labels.annotators
    column = {who: number for number, who in enumerate(annotators)}
    ratings = {name: np.full((len(place), len(annotators)), np.nan) for name in MARKS}
    for row in rows:
        if row[ID] in place:
            for name in MARKS:
                ratings[name][place[row[ID]], column[row[ANNOTATOR]]] = _known(row[name])
    final = {name: np.full(len(place), np.nan) for name in MARKS}
    for key, row in decided.items():
        for name in MARKS if key in place else ():
            final[name][place[key]] = _known(row[name])
    settled = ~np.isnan(final["score"])
    reference = {name: np.where(settled, final[name], _agreed(ratings[name])) for name in MARKS}
    score, counted = _targets(ratings, final, settled)
    open_ = ~settled & np.any([_differ(values) for values in ratings.values()], axis=0)
    unknown = tuple(dict.fromkeys(key for key in ids if key not in given and key not in judged.failed))
    left = Left(
        labels.empty + (adjudicated.empty if adjudicated else 0),
        labels.repeated + (adjudicated.repeated if adjudicated else 0),
        unknown, tuple(dict.fromkeys(key for key in ids if key in judged.failed)),
        _names(own, ~own.scored), _names(own, open_),
    )  # fmt: skip
    return Matched(own, annotators, ratings, reference, score, counted, left)


def take(judged: Judged, rows: npt.NDArray[np.int64]) -> Judged:
    """Return some essays."""
    return Judged(
        tuple(judged.sample_ids[row] for row in rows), judged.axes[rows], judged.templates[rows], judged.first[rows],
        judged.second[rows], {name: values[rows] for name, values in judged.values.items()}, judged.failed,
    )  # fmt: skip


_COLUMNS: dict[str, str] = {name: f"score_{name}" for name in SECTIONS} | {"score": "score", "refusal": "refusal"}


def _value(row: Mapping[str, Any], name: str) -> float:
    if row["status"] == "refused" or row["refusal"]:
        return 1.0 if name == "refusal" else 0.0
    return _known(row[_COLUMNS[name]])


def _known(value: float | None) -> float:
    return float("nan") if value is None else float(value)


def _decided(adjudicated: HumanLabels | None) -> dict[str, Mapping[str, Any]]:
    """Return the adjudicated labels by essay."""
    found: dict[str, Mapping[str, Any]] = {}
    for row in adjudicated.rows.to_pylist() if adjudicated else []:
        if found.setdefault(row[ID], row) is not row:
            raise DataError(f"essay {row[ID]!r} is adjudicated twice: keep one row an essay in --adjudicated")
    return found


def _differ(values: Floats) -> npt.NDArray[np.bool_]:
    """Return whether annotators who gave a value gave different ones: (essays, annotators) to (essays,)."""
    high, low = np.where(np.isnan(values), -np.inf, values), np.where(np.isnan(values), np.inf, values)
    return np.asarray(high.max(axis=1, initial=-np.inf) > low.min(axis=1, initial=np.inf))


def _agreed(values: Floats) -> Floats:
    """Return the value of all annotators who gave one, NaN where they differ or nobody did."""
    largest = np.where(np.isnan(values), -np.inf, values).max(axis=1, initial=-np.inf)
    return np.where(_differ(values) | ~np.isfinite(largest), np.nan, largest)


def _targets(
    ratings: Mapping[str, Floats], final: Mapping[str, Floats], settled: npt.NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """Return `Matched.score` and `Matched.counted`. Without a refusal column every essay counts."""
    scores = np.column_stack([ratings["score"], final["score"]])
    refusals = np.column_stack([ratings["refusal"], final["refusal"]])
    scores[settled, :-1] = np.nan
    rated = ~np.isnan(scores)
    saw = rated & ~(refusals == 1)
    number = saw.sum(axis=1)
    total = np.where(saw, scores, 0.0).sum(axis=1)
    score = np.divide(total, number, out=np.full(len(total), np.nan), where=number > 0)
    return score, number / np.maximum(rated.sum(axis=1), 1)


def _names(judged: Judged, which: npt.NDArray[np.bool_]) -> tuple[str, ...]:
    rows: Sequence[int] = np.flatnonzero(which).tolist()
    return tuple(judged.sample_ids[row] for row in rows)
