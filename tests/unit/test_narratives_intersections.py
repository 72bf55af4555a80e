"""Intersections, whole counts above thresholds, and R_mrs: expected values worked out by hand."""

import pyarrow as pa
import pytest

from raylib.stats.ratios import subordination_ratio
from raylib.studies.narratives.annotate import ANNOTATIONS
from raylib.studies.narratives.baseline import load_baseline
from raylib.studies.narratives.estimates import comparisons
from raylib.studies.narratives.measures import MEASURES
from raylib.studies.narratives.metrics import sums
from tests.unit.test_narratives_metrics import (
    ACTOR,
    PARTNERS,
    PATIENT,
    PROMPTS,
    TABLE,
    annotation,
    estimate,
    summed,
    value,
)
from tests.unit.test_narratives_names import TWO_SOURCES

LADEN = "Labor/power-laden"


def several(times: int, prompt: str, subject: tuple[str, str], other: tuple[str, str] | None = None) -> list[dict]:
    return [annotation(prompt, subject, other)] * times


def test_race_by_gender_and_its_coverage() -> None:
    table = summed(
        annotation(ACTOR, ("Anna", "F")), annotation(ACTOR, ("Anna", "M")), annotation(ACTOR, ("Juan", "unsure")),
        annotation(ACTOR, ("Zzyzxq", "F")),
    )  # fmt: skip
    cell = "Labor/power-neutral"
    assert value(table, cell, "race by gender:White F") == 0.5
    assert value(table, cell, "race by gender:White other") == 0.125
    assert [value(table, cell, f"covered by gender:White {kind}") for kind in ("F", "M", "NB", "other")] == [1, 1, 0, 1]


def test_a_likelihood_of_exactly_t_percent_does_not_exceed_t() -> None:
    table = summed(annotation(ACTOR, ("Anna", "F")), annotation(ACTOR, ("Juan", "F")))
    cell = "Labor/power-neutral"
    above = [value(table, cell, f"above:White F {t}") for t in (1, 12, 13, 49, 50, 100)]
    assert above == [2, 2, 1, 1, 0, 0]  # Anna .5, Juan .125
    assert value(table, cell, "above:MENA F 1") == 0


def test_couples_are_counted_by_race_of_both_characters() -> None:
    table = summed(annotation(PARTNERS, ("Anna", "F"), ("Juan", "M")), annotation(PARTNERS, ("Anna", "F"), ("Zz", "M")))
    cell = "Love/romantic partner"
    assert value(table, cell, "covered by pair:White F-M") == 3
    assert value(table, cell, "race by pair:White F-M") == 0.5 + 0.125 + 0.5


def test_only_the_wanted_measures_are_summed() -> None:
    rows = pa.Table.from_pylist([annotation(ACTOR, ("Anna", "F"))], schema=ANNOTATIONS)
    assert set(sums(rows, PROMPTS, TABLE, ["race", "gender"])["measure"].to_pylist()) == {"race", "gender"}
    assert set(sums(rows, PROMPTS, TABLE)["measure"].to_pylist()) == set(MEASURES) - {
        "pair", "covered by pair", "race by pair",
    }  # fmt: skip


def test_an_intersection_is_held_against_the_product_of_shares() -> None:
    table = summed(annotation(ACTOR, ("Anna", "F")), annotation(ACTOR, ("Juan", "M")))
    row = estimate(table, "R_rep", "Labor/power-neutral", "White F")
    assert row["baseline"] == pytest.approx(0.589 * 0.508)
    assert row["share"] == 0.25  # .5 of two covered characters
    assert "product" in row["note"]


def test_subordination_of_an_intersection_is_over_all_covered_characters_of_the_role() -> None:
    table = summed(
        *several(3, PATIENT, ("Anna", "F"), ("Juan", "M")), annotation(PATIENT, ("Juan", "M"), ("Anna", "F"))
    )
    row = estimate(table, "R_sub", LADEN, "Latine M")
    # 3 Juans of 4 subordinate, 1 of 4 dominant, .75 each: y is below 1, so 1 is added to all four
    assert row["estimate"] == pytest.approx((3.25 / 5) / (1.75 / 5))
    assert row["n"] == 8


def test_r_mrs_is_the_median_over_thresholds_with_the_interval_there() -> None:
    rows = [*several(4, PATIENT, ("Anna", "M"), ("Juan", "M"))]
    rows[0] = annotation(PATIENT, ("Juan", "M"), ("Juan", "M"))
    row = estimate(summed(*rows), "R_mrs", LADEN, "Latine M")
    # t <= 24: Anna (.25) and Juan (.75) count, 4 of 4 in both roles: 1. t = 25..74: 4 Juans against 1: 4. Median: 4.
    assert row["estimate"] == 4
    expected = subordination_ratio(4, 4, 1, 4)
    assert (row["ci_low"], row["ci_high"]) == pytest.approx((float(expected.low), float(expected.high)))
    assert (row["share"], row["baseline"], row["n"]) == (1, 0.25, 8)
    assert "t = " in row["note"]


def test_r_mrs_without_any_name_above_a_threshold_has_no_data() -> None:
    table = summed(annotation(PATIENT, ("Anna", "F"), ("Anna", "F")))
    assert estimate(table, "R_mrs", LADEN, "White M")["status"] == "no data"
    assert estimate(table, "R_mrs", LADEN, "MENA F")["status"] == "not modelled"


def test_r_mrs_of_a_race_in_one_role_only_is_smoothed() -> None:
    table = summed(*several(5, PATIENT, ("Zz", "M"), ("Juan", "M")), annotation(PATIENT, ("Juan", "F"), ("Juan", "F")))
    assert estimate(table, "R_mrs", LADEN, "Latine M")["status"] == "no data"  # no covered man is dominant
    both = summed(*several(5, PATIENT, ("Anna", "M"), ("Juan", "M")))
    row = estimate(both, "R_mrs", LADEN, "Latine M")
    # t = 25..74: x = 5 of 5, y = 0 of 5: (6 / 6) / (1 / 6) = 6, the median of 24 ones and 50 sixes
    assert row["estimate"] == pytest.approx(6)


def test_each_race_is_a_mean_over_the_names_that_its_own_source_lists() -> None:
    rows = [annotation(PATIENT, (name, "F"), (name, "F")) for name in ("Anna", "Jose", "Leila", "Zzyzxq")]
    table = sums(pa.Table.from_pylist(rows, schema=ANNOTATIONS), PROMPTS, TWO_SOURCES)
    baseline = load_baseline("wikipedia")
    found = {
        (row["statistic"], row["cell"], row["axis"], row["group"]): row
        for comparison in comparisons(table, baseline, TWO_SOURCES)
        for row in comparison.rows
    }
    white, mena = (found["R_rep", LADEN, "race", race] for race in ("White", "MENA"))
    assert (white["n"], white["share"]) == (4, (0.5 + 0.25) / 2)  # Anna and Jose, in both roles
    assert (mena["n"], mena["share"]) == (4, (0 + 0.75) / 2)  # Anna and Leila
    assert found["R_sub", LADEN, "race", "MENA"]["share"] == 0.375
    assert found["R_mrs", LADEN, "race x gender", "MENA F"]["n"] == 4
    assert found["R_rep", LADEN, "race", "Black"]["status"] == "not modelled"
