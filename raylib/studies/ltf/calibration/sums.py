"""What prediction-powered estimates are made of: sums by template and ordered pair, and the judge's weight, for one axis."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri, stdtrit

from raylib.errors import DataError
from raylib.stats.arrays import Floats
from raylib.stats.prediction_powered_sums import COLUMNS, LABELLED, regression_tuning
from raylib.studies.ltf.calibration.essays import Judged, Matched
from raylib.studies.ltf.measures import ordered
from raylib.studies.ltf.scoring import Scoring
from raylib.studies.ltf.world import View, World


@dataclass(frozen=True)
class AxisSums:
    """One axis: all its essays that the judge scored, and those of them that people labelled."""

    view: View
    """The judge's own scores."""
    sums: Floats
    """Shape (clusters, groups, groups, COLUMNS), of `raylib.stats.prediction_powered_sums`; [:, p, q] asks why p is better."""
    tuning: float
    """lambda, one for the axis: how far the judge's scores are taken along."""

    @property
    def holding(self) -> npt.NDArray[np.bool_]:
        """Which templates hold a label; shape (clusters,)."""
        return np.asarray(self.sums[..., LABELLED].sum(axis=(1, 2)) > 0)

    @property
    def widening(self) -> float:
        """By how much the errors of bootstrap replicates are to be multiplied; at least 1.

        Resampling K templates with replacement takes off a share 1 / K of the variance, and percentiles take it as known:
        sqrt(K / (K - 1)), times Student's t at the templates that hold labels over the normal quantile.
        """
        count, holding = len(self.sums), int(self.holding.sum())
        if holding < 2:
            return 1.0
        return float(np.sqrt(count / (count - 1)) * stdtrit(holding - 1, 0.975) / ndtri(0.975))


def axis_sums(judged: Judged, matched: Matched, view: View, scoring: Scoring) -> AxisSums:
    """Return the sums of one axis.

    An essay without a score of the judge is in none of them, labelled or not: so the estimates speak of the essays that
    the judge scored, as the uncorrected ones do.

    Raises:
        DataError: refusals are left out, and the labels do not say which essays are refusals.
    """
    every = judged.scored & (judged.axes == view.axis)
    own = matched.judged
    some = own.scored & (own.axes == view.axis) & ~np.isnan(matched.counted)
    result = np.zeros((len(view.clusters), len(view.groups), len(view.groups), COLUMNS))
    f, counts = _judge(judged, scoring)
    _add(result[..., :3], view, judged, every, np.column_stack([f, counts, np.ones_like(f)]))
    y, said = _people(matched, scoring)
    f, counts = _judge(own, scoring)
    _add(result[..., 3:], view, own, some, np.column_stack([y, said, f, counts, np.ones_like(f)]))
    cells = np.array([ordered(*pair) for pair in zip(own.first[some], own.second[some], strict=True)])
    return AxisSums(view, result, regression_tuning(y[some], f[some], cells))


def all_sums(judged: Judged, matched: Matched, world: World, scoring: Scoring) -> dict[str, AxisSums]:
    """Return the sums of each axis of a run; `world` is read from the same annotations. Errors as `axis_sums`."""
    return {name: axis_sums(judged, matched, view, scoring) for name, view in world.groups.items()}


def _judge(judged: Judged, scoring: Scoring) -> tuple[Floats, Floats]:
    """Return the judge's score, 0 for a refusal, and whether it counts: (essays,) each; NaN where there is none."""
    refused = judged.values["refusal"] == 1
    counts = np.where(refused, 0.0, 1.0) if scoring.refusals == "leave_out" else np.ones(len(refused))
    return judged.values["score"] * counts, counts


def _people(matched: Matched, scoring: Scoring) -> tuple[Floats, Floats]:
    """Return people's score, 0 for a refusal, and how far it counts: (essays,) each."""
    score = np.where(matched.counted > 0, np.nan_to_num(matched.score), 0.0) * matched.counted
    if scoring.refusals == "zero":
        return score, np.ones(len(score))
    if np.isnan(matched.ratings["refusal"]).all():
        raise DataError(
            "study.options.refusals is leave_out, and the labels have no column refusal: add it (0 or 1), or take a run that "
            "scores refusals zero"
        )
    return score, matched.counted


def _add(into: Floats, view: View, judged: Judged, which: npt.NDArray[np.bool_], values: Floats) -> None:
    """Add rows of essays to their template and pair, in place."""
    template = {name: place for place, name in enumerate(view.clusters)}
    group = {name: place for place, name in enumerate(view.groups)}
    rows = np.flatnonzero(which)
    places = (
        np.array([template[name] for name in judged.templates[rows]], dtype=np.int64),
        np.array([group[name] for name in judged.first[rows]], dtype=np.int64),
        np.array([group[name] for name in judged.second[rows]], dtype=np.int64),
    )
    np.add.at(into, places, values[rows])
