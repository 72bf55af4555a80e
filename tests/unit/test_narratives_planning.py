"""What the narratives study plans to estimate."""

import pytest

from raylib.studies.base import StudyOptions
from raylib.studies.narratives import STUDY

OPTIONS = StudyOptions("narratives")
PROMPTS = STUDY.prompts(OPTIONS)


def test_the_papers_cells_have_the_papers_numbers_of_prompts() -> None:
    counted = {share.cell: share.prompts for share in STUDY.planned_shares(OPTIONS, PROMPTS)}
    assert counted == {
        "Labor/power-neutral": 15, "Labor/power-laden": 15, "Learning/power-neutral": 15, "Learning/power-laden": 15,
        "Love/power-neutral": 20, "Love/power-laden": 20, "all/power-neutral": 50, "all/power-laden": 50,
    }  # fmt: skip


def test_a_run_of_fewer_prompts_plans_only_the_cells_that_it_has() -> None:
    first = PROMPTS.slice(0, 1)
    cell = f"{first['domain'][0].as_py()}/{first['condition'][0].as_py()}"
    counted = {share.cell: share.prompts for share in STUDY.planned_shares(OPTIONS, first)}
    assert counted == {cell: 1, f"all/{cell.partition('/')[2]}": 1}


def test_shares_are_expected_at_the_comparison_share_and_unmodelled_races_are_left_out() -> None:
    shares = [share for share in STUDY.planned_shares(OPTIONS, PROMPTS) if share.cell == "Love/power-laden"]
    assert {share.group: share.expected for share in shares} == pytest.approx({
        "F": 0.508, "M": 0.475, "NB": 0.017, "White": 0.589, "Latine": 0.191, "Black": 0.136, "Asian": 0.063,
        "AI/AN": 0.013,
    })  # fmt: skip


def test_measures_are_those_of_the_sums() -> None:
    shares = {share.group: share for share in STUDY.planned_shares(OPTIONS, PROMPTS)}
    assert shares["F"].total == (("gender", "F"), ("gender", "M"), ("gender", "NB"))
    assert (shares["White"].counted, shares["White"].total) == (("race", "White"), (("covered", "White"),))
    assert (shares["F"].fractional, shares["White"].fractional) == (False, True)
    for share in shares.values():
        assert all(label in STUDY.measures[measure] for measure, label in (share.counted, *share.total))
