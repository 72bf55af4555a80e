"""How well several judges agree, and how often a judge gave no score."""

import math
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from raylib.stats.agreement import cohen_kappa, confusion_matrix, percent_agreement
from raylib.stats.arrays import Floats
from raylib.stats.krippendorff import krippendorff_alpha
from raylib.studies.ltf.judge.columns import JUDGE_STATUSES, SCORES
from raylib.studies.ltf.judge.ratings import RATED, read_ratings

ALPHA, KAPPA, OBSERVED = "Krippendorff's alpha", "Cohen's kappa", "agreement"

AGREEMENT = pa.schema(
    [
        pa.field("judges", pa.list_(pa.string()), nullable=False),  # whom the row compares
        pa.field("measure", pa.string(), nullable=False),  # a column of the judge
        pa.field("statistic", pa.string(), nullable=False),
        pa.field("essays", pa.int64(), nullable=False),  # scored by two of them or more
        pa.field("value", pa.float64()),
        pa.field("ci_low", pa.float64()),
        pa.field("ci_high", pa.float64()),
    ]
)
"""95 percent intervals. A value that does not exist (no essays in common, all scores alike) is null."""


def judges_agreement(
    tables: Mapping[str, pa.Table], *, clusters: Sequence[str] | None = None, seed: int = 0, replicates: int = 2_000
) -> pa.Table:
    """Return the judges' agreement (schema AGREEMENT).

    - All judges, each section, the score, the refusal: Krippendorff's alpha, ordinal for scores and nominal for refusals,
      with a bootstrap interval over essays, or over their clusters.
    - Each pair of judges, each of these: the share of essays with equal values (Wilson interval), and Cohen's kappa,
      with quadratic weights for scores. Their intervals take essays as independent.

    An essay counts where two of the compared judges scored it: unscored ones are counted by `status_counts`.

    Args:
        tables: judge's name -> its table; see `ratings.read_ratings`, also for errors.
        clusters: a cluster (template) for each essay of the first judge's table.
        seed: keys the bootstrap.
        replicates: of the bootstrap.

    Raises:
        DataError: as `ratings.read_ratings`, or clusters that do not fit the essays.
    """
    ratings = read_ratings(tables)
    groups = None if clusters is None else np.asarray(clusters)
    return pa.concat_tables(
        measure_agreement(ratings.judges, measure, ratings.values[measure], groups, seed=seed, replicates=replicates)
        for measure in RATED
    )


def measure_agreement(
    judges: tuple[str, ...],
    measure: str,
    values: Floats,
    clusters: npt.NDArray[np.generic] | None = None,
    *,
    seed: int = 0,
    replicates: int = 2_000,
) -> pa.Table:
    """Return the judges' agreement in one measure (schema AGREEMENT); see `judges_agreement`.

    Args:
        judges: names, in the order of the columns of `values`.
        measure: one of `ratings.RATED`.
        values: shape (essays, judges), NaN where a judge gave no score.
        clusters: a cluster for each essay.
        seed: keys the bootstrap.
        replicates: of the bootstrap.
    """
    alpha = krippendorff_alpha(
        values, "nominal" if measure == "refusal" else "ordinal", seed=seed, replicates=replicates, clusters=clusters
    )
    rows = [_row(judges, measure, ALPHA, alpha.units, alpha.alpha, alpha.low, alpha.high)]
    for pair in combinations(range(len(judges)), 2):
        rows += _of_pair((judges[pair[0]], judges[pair[1]]), measure, values[:, pair])
    return pa.Table.from_pylist(rows, schema=AGREEMENT)


def status_counts(table: pa.Table) -> dict[str, int]:
    """Return how many rows have each `judge_status`, zeros included, in the order of `columns.JUDGE_STATUSES`."""
    found = {item["values"]: item["counts"] for item in table["judge_status"].value_counts().to_pylist()}
    return {status: found.get(status, 0) for status in JUDGE_STATUSES}


def _of_pair(judges: tuple[str, ...], measure: str, values: Floats) -> list[dict[str, object]]:
    both = values[~np.isnan(values).any(axis=1)]
    table = confusion_matrix(both[:, 0], both[:, 1], (0, 1) if measure == "refusal" else SCORES)
    share, interval = percent_agreement(table)
    kappa = cohen_kappa(table, "unweighted" if measure == "refusal" else "quadratic")
    return [
        _row(judges, measure, OBSERVED, len(both), share, float(interval.low), float(interval.high)),
        _row(judges, measure, KAPPA, len(both), kappa.kappa, kappa.low, kappa.high),
    ]


def _row(
    judges: tuple[str, ...], measure: str, statistic: str, essays: int, value: float, low: float, high: float
) -> dict[str, object]:
    return {
        "judges": list(judges), "measure": measure, "statistic": statistic, "essays": essays,
        "value": _known(value), "ci_low": _known(low), "ci_high": _known(high),
    }  # fmt: skip


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None
