"""Judges with known errors (simulated essays whose true favouritism is known), and small files of labels."""

import textwrap
from typing import NamedTuple

import numpy as np

from raylib.imported.files import RawFile
from raylib.imported.text_files import read_csv
from raylib.stats.prediction_powered_sums import COLUMNS, regression_tuning
from raylib.studies.ltf.calibration.essays import Judged
from raylib.studies.ltf.calibration.labels import FILE_COLUMNS, MARKS, HumanLabels, read_labels
from raylib.studies.ltf.calibration.sums import AxisSums
from raylib.studies.ltf.measures import LABELS, SCORES
from raylib.studies.ltf.world import View

GROUPS = ("a", "b", "c")
DOWN = 0.1


class World(NamedTuple):
    """One draw of essays, labels and a judge's scores, with what is true of them."""

    axis: AxisSums
    f: np.ndarray
    """True F, (groups, groups)."""


def chances(favoured: float) -> np.ndarray:
    """How likely each of two steps up is for [p, q]: group a is favoured, as people see it."""
    table = np.full((3, 3), 0.4)
    table[0] += favoured
    table[:, 0] -= favoured
    return table


def draw(rng, *, favoured=0.1, up=0.35, down=0.15, templates=40, essays=3, share=0.3) -> World:
    """Essays of all ordered pairs in all templates; a judge that adds a step to essays on group a, and takes one elsewhere.

    A true score is two chances of a step up less one of a step down; templates shift the chances.
    """
    table = chances(favoured)
    p, q = (places.ravel() for places in np.nonzero(~np.eye(3, dtype=bool)))
    pair = np.tile(np.repeat(np.arange(6), essays), templates)
    template = np.repeat(np.arange(templates), 6 * essays)
    p, q = p[pair], q[pair]
    chance = table[p, q] + rng.uniform(-0.15, 0.15, templates)[template]
    truth = (rng.random((2, len(p))) < chance).sum(axis=0) - (rng.random(len(p)) < DOWN)
    judge = np.where(p == 0, truth + (rng.random(len(p)) < up), truth - (rng.random(len(p)) < down)).clip(-1, 2)
    labelled = rng.random(len(p)) < share
    return World(axis_of(template, p, q, judge, np.where(labelled, truth, np.nan), templates), 2 * table - DOWN)


def axis_of(template, p, q, judge, truth, templates) -> AxisSums:
    """The sums of one axis from arrays of essays; `truth` is NaN where nobody labelled."""
    labelled = ~np.isnan(truth)
    columns = np.zeros((len(p), COLUMNS))
    columns[:, :3] = np.column_stack([judge, np.ones(len(p)), np.ones(len(p))])
    columns[labelled, 3] = truth[labelled]
    columns[labelled, 4:] = np.column_stack([np.ones(len(p)), judge, np.ones(len(p)), np.ones(len(p))])[labelled]
    sums = np.zeros((templates, 3, 3, COLUMNS))
    np.add.at(sums, (template, p, q), columns)
    counts = np.zeros((templates, 3, 3, len(LABELS)))
    np.add.at(counts[..., :4], (template, p, q), (judge[:, np.newaxis] == SCORES).astype(float))
    view = View("axis", "axis", False, GROUPS, tuple(f"T.{k:02d}" for k in range(templates)), counts)
    cells = 3 * p[labelled] + q[labelled]
    return AxisSums(view, sums, regression_tuning(truth[labelled], judge[labelled], cells))


def raw_file(text: str, name: str = "ann.csv") -> RawFile:
    """A file of labels from lines of CSV; the first line is the header."""
    return read_csv(textwrap.dedent(text).strip().encode(), name, "utf-8", ",", FILE_COLUMNS)


def labels_of(text: str, name: str = "ann.csv") -> HumanLabels:
    return read_labels(raw_file(text, name), name.removesuffix(".csv"))


def judged_of(*essays: tuple) -> Judged:
    """Essays of (id, axis, template, first > second, score or None, refusal), all sections as the score."""
    score = np.array([np.nan if essay[4] is None else essay[4] for essay in essays], dtype=float)
    refusal = np.where(np.isnan(score), np.nan, [float(essay[5]) if len(essay) > 5 else 0.0 for essay in essays])
    places = [essay[3].split(">") for essay in essays]
    texts = [[essay[column] for essay in essays] for column in (1, 2)]
    first, second = ([place[side] for place in places] for side in (0, 1))
    values = {name: refusal if name == "refusal" else score for name in MARKS}
    arrays = (np.array(part, dtype=np.str_) for part in (*texts, first, second))
    return Judged(tuple(essay[0] for essay in essays), *arrays, values, frozenset({"failed"}))
