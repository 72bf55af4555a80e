"""How far the judge and people agree, and people with each other: beyond chance, with what chance would give beside it.

Essays of one template are alike, so every interval takes templates as the unit: Wilson's at the effective sample size for
the share of equal labels, the percentile bootstrap over templates for kappa and alpha.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from raylib.stats.agreement import KappaWeights, cohen_kappa, confusion_matrix, kappa_of_tables
from raylib.stats.arrays import Floats
from raylib.stats.bootstrap import bootstrap
from raylib.stats.bootstrap_intervals import percentile_interval
from raylib.stats.clustered_shares import wilson_clustered
from raylib.stats.krippendorff import krippendorff_alpha
from raylib.studies.ltf.calibration.essays import Matched, Texts
from raylib.studies.ltf.calibration.labels import MARKS
from raylib.studies.ltf.judge.columns import SCORES

JUDGE, REFERENCE = "judge", "people"
ALL_AXES = "all axes"
EQUAL, KAPPA, WEIGHTED_KAPPA, ALPHA = "equal labels", "kappa", "weighted kappa", "Krippendorff's alpha"
_FEW = 10

AGREEMENT = pa.schema(
    [
        pa.field("first", pa.string(), nullable=False),  # judge, or an annotator
        pa.field("second", pa.string(), nullable=False),  # people (the reference), or an annotator
        pa.field("axis", pa.string(), nullable=False),
        pa.field("label", pa.string(), nullable=False),  # a section, score, refusal
        pa.field("statistic", pa.string(), nullable=False),
        pa.field("essays", pa.int64(), nullable=False),  # that both labelled
        pa.field("templates", pa.int64(), nullable=False),
        pa.field("value", pa.float64()),
        pa.field("ci_low", pa.float64()),  # 95 percent
        pa.field("ci_high", pa.float64()),
        pa.field("chance", pa.float64()),  # agreement that the base rates alone give, weighted as the statistic
        pa.field("note", pa.string()),
    ]
)
"""What does not exist (no essays in common, all labels alike) is null, and the note says why."""

CONFUSION = pa.schema(
    [
        pa.field("first", pa.string(), nullable=False),
        pa.field("second", pa.string(), nullable=False),
        pa.field("axis", pa.string(), nullable=False),
        pa.field("label", pa.string(), nullable=False),
        pa.field("first_says", pa.int64(), nullable=False),
        pa.field("second_says", pa.int64(), nullable=False),
        pa.field("essays", pa.int64(), nullable=False),
        pa.field("of", pa.int64(), nullable=False),  # essays that both labelled
        pa.field("first_rate", pa.float64()),  # base rate: how often the first says this at all
        pa.field("second_rate", pa.float64()),
    ]
)
"""One row a pair of labels, zeros included."""


class Tables(NamedTuple):
    """The two tables of agreement."""

    agreement: pa.Table
    confusion: pa.Table


class _Pair(NamedTuple):
    """Labels of one kind by two, on the same essays."""

    first: str
    second: str
    axis: str
    label: str
    values: Floats
    """Shape (essays, 2); both known."""
    templates: Texts

    @property
    def categories(self) -> tuple[int, ...]:
        return categories_of(self.label)


def categories_of(label: str) -> tuple[int, ...]:
    """Return the values that a label can have, in their order."""
    return (0, 1) if label == "refusal" else SCORES


def agreement_tables(matched: Matched, *, seed: int, replicates: int) -> Tables:
    """Return the agreement of the judge with people, with each annotator where there are several, and of annotators.

    For each axis and all of them, each section, the score and the refusal: the share of equal labels, Cohen's kappa
    (quadratic weights for scores), Krippendorff's alpha (ordinal for scores, nominal for refusals), and the confusion
    matrix with base rates. An essay counts where both gave the label.

    Args:
        matched: labelled essays.
        seed: keys the bootstrap.
        replicates: of the bootstrap.
    """
    rows: list[dict[str, object]] = []
    counts: list[dict[str, object]] = []
    for pair in _pairs(matched):
        rows += _statistics(pair, seed, replicates)
        counts += _confusion(pair)
    return Tables(pa.Table.from_pylist(rows, schema=AGREEMENT), pa.Table.from_pylist(counts, schema=CONFUSION))


def _pairs(matched: Matched) -> Iterator[_Pair]:
    judge = matched.judged.values
    sides = [(JUDGE, judge, REFERENCE, matched.by(None))]
    if len(matched.annotators) > 1:
        sides += [(JUDGE, judge, who, matched.by(who)) for who in matched.annotators]
        sides += [(a, matched.by(a), b, matched.by(b)) for a, b in combinations(matched.annotators, 2)]
    axes = sorted(set(matched.judged.axes.tolist()))
    for first, left, second, right in sides:
        for axis in (ALL_AXES, *axes):
            for label in MARKS:
                both = np.column_stack([left[label], right[label]])
                some = ~np.isnan(both).any(axis=1)
                if axis != ALL_AXES:
                    some &= matched.judged.axes == axis
                yield _Pair(first, second, axis, label, both[some], matched.judged.templates[some])


def _statistics(pair: _Pair, seed: int, replicates: int) -> list[dict[str, object]]:
    """Return the three rows of a pair."""
    weights: KappaWeights = "unweighted" if pair.label == "refusal" else "quadratic"
    kappa_name = KAPPA if pair.label == "refusal" else WEIGHTED_KAPPA
    tables = _tables(pair)
    if not len(pair.values):
        return [
            _row(pair, name, (math.nan,) * 3, math.nan, "no essay has both labels")
            for name in (EQUAL, kappa_name, ALPHA)
        ]
    n, equal = tables.sum(axis=(1, 2)), np.trace(tables, axis1=1, axis2=2)
    low, high = wilson_clustered(equal, n)
    plain = cohen_kappa(tables.sum(axis=0))
    rows = [_row(pair, EQUAL, (float(equal.sum() / n.sum()), float(low), float(high)), plain.expected)]
    kappa = cohen_kappa(tables.sum(axis=0), weights)
    drawn = bootstrap(tables, lambda some: kappa_of_tables(some, weights), seed=seed, replicates=replicates)
    ends = percentile_interval(drawn.replicates)
    rows.append(_row(pair, kappa_name, (kappa.kappa, float(ends.low), float(ends.high)), kappa.expected))
    alpha = krippendorff_alpha(
        pair.values, "nominal" if pair.label == "refusal" else "ordinal", seed=seed, replicates=replicates,
        clusters=pair.templates,
    )  # fmt: skip
    return [*rows, _row(pair, ALPHA, (alpha.alpha, alpha.low, alpha.high), math.nan)]


def _confusion(pair: _Pair) -> Iterator[dict[str, object]]:
    table = _tables(pair).sum(axis=0)
    total = table.sum()
    for i, said in enumerate(pair.categories):
        for j, other in enumerate(pair.categories):
            yield {
                "first": pair.first, "second": pair.second, "axis": pair.axis, "label": pair.label, "first_says": said,
                "second_says": other, "essays": int(table[i, j]), "of": int(total),
                "first_rate": float(table[i].sum() / total) if total else None,
                "second_rate": float(table[:, j].sum() / total) if total else None,
            }  # fmt: skip


def _tables(pair: _Pair) -> Floats:
    """Return the confusion matrix of each template, (templates, categories, categories); one of zeros without essays."""
    size = len(pair.categories)
    if not len(pair.values):
        return np.zeros((1, size, size))
    names, member = np.unique(pair.templates, return_inverse=True)
    return np.stack([_matrix(pair, member == place) for place in range(len(names))])


def _matrix(pair: _Pair, which: npt.NDArray[np.bool_]) -> Floats:
    return confusion_matrix(pair.values[which, 0], pair.values[which, 1], pair.categories)


def _row(
    pair: _Pair, statistic: str, value: Sequence[float], chance: float, note: str | None = None
) -> dict[str, object]:
    known, low, high = value
    if note is None and math.isnan(known):
        note = "all labels are alike: no disagreement to correct for chance"
    elif note is None:
        few = f"{len(pair.values)} essays only" if len(pair.values) < _FEW else ""
        note = ("; ".join(part for part in ("" if math.isfinite(low) else "no interval", few) if part)) or None
    return {
        "first": pair.first, "second": pair.second, "axis": pair.axis, "label": pair.label, "statistic": statistic,
        "essays": len(pair.values), "templates": len(set(pair.templates.tolist())), "value": _known(known),
        "ci_low": _known(low), "ci_high": _known(high), "chance": _known(chance), "note": note,
    }  # fmt: skip


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None
