"""Several judges as one: the mean of their scores, or what most of them say."""

from collections.abc import Mapping
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from raylib.studies.ltf.judge.columns import JUDGE_COLUMNS, SCORED, SCORES, SECTION_COLUMNS
from raylib.studies.ltf.judge.ratings import Ratings, read_ratings

Combination = Literal["majority", "mean"]

VERSION = "1"
"""Raised whenever another score would follow from the same verdicts."""

COMBINED = pa.schema(
    [
        pa.field("sample_id", pa.string(), nullable=False),
        *JUDGE_COLUMNS,
        pa.field("score_mean", pa.float64()),  # mean of the judges' scores, not rounded
        pa.field("judges_scored", pa.int16(), nullable=False),
    ]
)
"""As one judge's columns, and what rounding or voting leaves out. `judge_reason` says what each judge said.

With `majority` a section that has no majority is null, also where the essay is scored.
"""

_Floats = npt.NDArray[np.float64]


def combine(tables: Mapping[str, pa.Table], how: Combination) -> pa.Table:
    """Return one row an essay (schema COMBINED), in the order of the first judge's table.

    More than half of the judges must have scored an essay, else it is unscored: `too_few_judges`, or the judges' own
    reason where all have the same. Of those that scored it:

    - `majority`: the score that more than half of them gave; none: unscored, `judges_disagree`. Sections likewise.
    - `mean`: the mean of their scores, rounded; halves go towards 0, so that rounding never adds bias that only one
      side saw (1.5 is 1, 0.5 and -0.5 are 0). Sections likewise. `score_mean` keeps the mean itself.

    An essay is a refusal if more than half say so; then all its scores are 0. The score is made from the judges' scores,
    not from the combined sections, which together may be what no judge said.

    Raises:
        DataError: see `ratings.read_ratings`.
    """
    ratings = read_ratings(tables)
    score = ratings.values["score"]
    judges = (~np.isnan(score)).sum(axis=1)
    enough = judges * 2 > len(ratings.judges)
    one = _most if how == "majority" else _mean
    refusal = enough & (_votes(ratings.values["refusal"], (1,))[:, 0] * 2 > judges)
    combined = {
        key: np.where(refusal, 0.0, np.where(enough, one(ratings.values[key]), np.nan))
        for key in (*SECTION_COLUMNS, "score")
    }
    scored = ~np.isnan(combined["score"])
    columns = {
        "sample_id": ratings.sample_ids,
        **{key: _whole(np.where(scored, values, np.nan)) for key, values in combined.items()},
        "refusal": [bool(found) if known else None for found, known in zip(refusal, scored, strict=True)],
        "judge_status": [_status(*row) for row in zip(scored, enough, ratings.statuses, strict=True)],
        "judge_reason": _reasons(ratings),
        "score_mean": [float(mean) if known else None for mean, known in zip(_plain_mean(score), enough, strict=True)],
        "judges_scored": judges,
    }
    return pa.table(columns, schema=COMBINED)


def _votes(values: _Floats, options: tuple[int, ...]) -> npt.NDArray[np.int64]:
    """Return how many judges gave each option: shape (essays, options)."""
    return np.asarray((values[:, :, np.newaxis] == np.array(options)).sum(axis=1))


def _most(values: _Floats) -> _Floats:
    votes = _votes(values, SCORES)
    found = np.array(SCORES, dtype=np.float64)[votes.argmax(axis=1)]
    return np.where(votes.max(axis=1) * 2 > votes.sum(axis=1), found, np.nan)


def _mean(values: _Floats) -> _Floats:
    mean = _plain_mean(values)
    return np.asarray(np.sign(mean) * np.ceil(np.abs(mean) - 0.5))


def _plain_mean(values: _Floats) -> _Floats:
    given = ~np.isnan(values)
    number = given.sum(axis=1)
    total = np.where(given, values, 0).sum(axis=1)
    return np.asarray(np.divide(total, number, out=np.full(len(values), np.nan), where=number > 0))


def _whole(values: _Floats) -> list[int | None]:
    return [None if np.isnan(value) else int(value) for value in values]


def _status(scored: bool, enough: bool, statuses: npt.NDArray[np.str_]) -> str:
    if scored:
        return SCORED
    if enough:
        return "judges_disagree"
    same = set(statuses.tolist())
    return str(statuses[0]) if len(same) == 1 else "too_few_judges"


def _reasons(ratings: Ratings) -> list[str]:
    rows = zip(ratings.statuses.tolist(), ratings.values["score"].tolist(), strict=True)
    return [
        "; ".join(
            f"{judge}: {f'{score:g}' if status == SCORED else status}"
            for judge, status, score in zip(ratings.judges, statuses, scores, strict=True)
        )
        for statuses, scores in rows
    ]
