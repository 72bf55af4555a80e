"""The narratives study between two runs: R_rep and R_sub by the same prompts, paired."""

from itertools import cycle

import pyarrow as pa
import pytest

from raylib.studies.base import StudyOptions
from raylib.studies.differences import Draws, differences
from raylib.studies.matching import matched_sums
from raylib.studies.narratives import STUDY
from raylib.studies.narratives.annotate import ANNOTATIONS
from raylib.studies.resampling import Key

OPTIONS = StudyOptions("narratives", {}, 250, 3)
PROMPTS = STUDY.prompts(OPTIONS)


def summed(genders: str) -> pa.Table:
    """Four stories a prompt, their characters' genders in turn."""
    turn = cycle(genders)
    rows = [
        {field.name: None for field in ANNOTATIONS}
        | {
            "sample_id": f"{place}.{index}", "prompt_id": prompt["prompt_id"], "status": "ok", "subject_gender": next(turn),
            "object_gender": next(turn) if prompt["two_characters"] else None,
        }
        for place, prompt in enumerate(PROMPTS.to_pylist())
        for index in range(4)
    ]  # fmt: skip
    return STUDY.sums(OPTIONS, pa.Table.from_pylist(rows, schema=ANNOTATIONS), PROMPTS)


def test_ratios_of_two_runs_are_subtracted_over_the_same_prompts() -> None:
    matched = matched_sums(summed("FMMFMMM"), summed("FFMFM"))
    sides = [STUDY.side(OPTIONS, one) for one in (matched.a, matched.b)]
    rows = differences(*sides, Draws(3, 250)).to_pylist()
    (row,) = (
        row
        for row in rows
        if (row["statistic"], row["cell"], row["axis"], row["group"]) == ("R_rep", "all/power-neutral", "gender", "F")
    )
    # Women: about 2 of 7 characters in A, 3 of 5 in B; R_rep divides both shares by the same baseline.
    assert row["relative"] == pytest.approx(0.6 / (2 / 7) - 1, rel=0.05)
    assert 0 < row["low"] < row["difference"] < row["high"]
    assert row["clusters"] == 50
    assert {row["statistic"] for row in rows if row["status"] == "ok"} == {"R_rep", "R_sub"}
    for row in rows:
        if row["axis"] == "race":
            assert row["difference"] is None  # no name, so no race


def test_pooled_ratios_by_race_and_gender_are_headlines() -> None:
    place = STUDY.headline(Key("R_rep", "all/power-neutral", "gender", "F"))
    assert place == ("R_rep, power-neutral", "F")
    assert STUDY.headline(Key("R_rep", "Labor/power-neutral", "gender", "F")) is None
    assert STUDY.headline(Key("R_rep", "all/power-neutral", "pair", "F-NB")) is None
