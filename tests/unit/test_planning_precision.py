"""A cell's expected width, from assumptions and from a pilot's counts."""

import math
from dataclasses import replace

import pyarrow as pa
import pytest

from raylib.config.loading import validate
from raylib.pipeline.planning.assumptions import Correlation
from raylib.pipeline.planning.pilot_sums import Counts, counts_of
from raylib.pipeline.planning.precision import PilotCell, Plan, assumed, measured, widest
from raylib.schemas import SUMS
from raylib.studies.base import MeasureEntry, PlannedShare
from raylib.studies.sums import read_cells

FEMALE, MALE = MeasureEntry("gender", "F"), MeasureEntry("gender", "M")
CORRELATION = validate({"low": 0.0, "high": 0.1, "note": "test"}, Correlation, "test")
PLAN = Plan(samples=10, target=0.05, correlation=CORRELATION)
SHARE = PlannedShare("cell", "gender", "F", 100, FEMALE, (FEMALE, MALE), expected=0.5)
T_99 = 1.984217


def test_from_assumptions_by_hand() -> None:
    # sqrt(0.25 / 1000) without correlation; with 0.1 the design effect 1.9, the floor sqrt(0.25 * 0.1 / 100).
    found = assumed(SHARE, PLAN)
    assert found.half_width == pytest.approx((T_99 * math.sqrt(0.00025), T_99 * math.sqrt(0.000475)), rel=1e-6)
    assert found.floor == pytest.approx((0, T_99 * math.sqrt(0.00025)), rel=1e-6)
    # 0.25 / 100 / (0.05 / t)^2 = 3.94; with the floor 0.0025 * 0.9 / ((0.05 / t)^2 - 0.00025) = 5.84.
    assert found.samples_needed == (4, 6)
    assert found.rests_on == "assumed"


def test_a_share_that_nobody_expects_is_planned_at_one_half() -> None:
    assert assumed(replace(SHARE, expected=0.1), PLAN).share == 0.1
    assert assumed(replace(SHARE, expected=None), PLAN) == assumed(SHARE, PLAN)


def test_a_target_below_the_floor_is_not_reachable() -> None:
    found = assumed(SHARE, PLAN._replace(target=0.03))
    assert found.samples_needed == (11, math.inf)
    assert found.floor[1] > 0.03


def test_from_a_pilot_the_share_and_the_observations_a_sample_are_measured() -> None:
    # Two of four prompts saw observations: 20 of 4 x 10 samples.
    found = measured(SHARE, PLAN, PilotCell("p", Counts([8.0, 2.0], [10.0, 10.0]), 4, 10))
    assert (found.share, found.observations_per_sample) == (0.5, 0.5)
    assert found.rests_on == "pilot p: n=20, 2 prompts"
    # ICC 0.477124 of 0.25; sizes 10, 10, 0, 0 have cv 1; 0.5 x 10 observations a prompt.
    between, within = 0.25 * 0.477124, 0.25 * 0.522876
    assert found.half_width[0] == pytest.approx(T_99 * math.sqrt((2 * between + within / 5) / 100), rel=1e-5)
    assert found.half_width[1] > found.half_width[0]


def test_a_pilot_with_one_observation_a_prompt_keeps_the_assumed_correlation() -> None:
    found = measured(SHARE, PLAN, PilotCell("p", Counts([1.0, 0.0, 1.0, 0.0], [1.0] * 4), 4, 1))
    assert found.half_width == pytest.approx(assumed(SHARE, PLAN).half_width)
    assert found.rests_on == "pilot p: n=4, 4 prompts; correlation assumed"


def test_a_group_that_the_pilot_never_saw_is_not_certain_to_be_absent() -> None:
    found = measured(SHARE, PLAN, PilotCell("p", Counts([0.0] * 4, [5.0] * 4), 4, 5))
    assert found.share == 0
    assert found.half_width[0] > 0


def test_a_cell_that_the_pilot_did_not_ask_is_assumed_and_says_so() -> None:
    found = measured(SHARE, PLAN, PilotCell("p", Counts([], []), 0, 5))
    assert found.half_width == assumed(SHARE, PLAN).half_width
    assert found.rests_on == "assumed: nothing seen in pilot p"


def test_likelihoods_have_a_best_and_a_worst_case() -> None:
    share = PlannedShare(
        "cell",
        "race",
        "White",
        100,
        MeasureEntry("race", "White"),
        (MeasureEntry("names", "covered"),),
        fractional=True,
    )
    x, n = [3.2, 1.0, 2.1, 0.4], [4.0] * 4
    found = measured(share, PLAN._replace(samples=4), PilotCell("p", Counts(x, n), 4, 4))
    # At the pilot's own size both are the spread of the means, 0.0955729.
    expected = T_99 * math.sqrt(0.0955729 / 100)
    assert found.half_width == pytest.approx((expected, expected), rel=1e-5)
    more = measured(share, PLAN, PilotCell("p", Counts(x, n), 4, 4))
    assert more.half_width[0] < more.half_width[1] == pytest.approx(expected, rel=1e-5)


def test_the_widest_share_stands_for_its_axis() -> None:
    narrow = assumed(PlannedShare("cell", "gender", "NB", 100, FEMALE, (MALE,), expected=0.02), PLAN)
    wide = assumed(SHARE, PLAN)
    other = assumed(PlannedShare("cell", "race", "AI/AN", 100, FEMALE, (MALE,), expected=0.01), PLAN)
    assert widest([narrow, wide, other]) == [wide, other]


def test_counts_are_read_off_the_sums() -> None:
    measures = {"gender": ("F", "M", "NB")}
    rows = [("cell", "b", [2.0, 1.0, 5.0]), ("cell", "a", [0.0, 4.0, 0.0]), ("cell", "c", [0.0, 0.0, 1.0])]
    rows += [("other", "a", [9.0, 0.0, 0.0])]
    table = pa.Table.from_pylist(
        [{"cell": cell, "cluster": cluster, "measure": "gender", "values": values} for cell, cluster, values in rows],
        schema=SUMS,
    )
    assert counts_of(read_cells(table, measures), SHARE) == ([0.0, 2.0], [4.0, 3.0])
    assert counts_of(read_cells(table, measures), replace(SHARE, cell="nowhere")) == ([], [])
