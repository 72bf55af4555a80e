"""Sums and estimates of the study: expected values worked out by hand, golden numbers from the paper's material."""

import math

import numpy as np
import pyarrow as pa
import pytest

from raylib.schemas import ESTIMATES, SUMS
from raylib.studies.narratives.annotate import ANNOTATIONS
from raylib.studies.narratives.baseline import load_baseline
from raylib.studies.narratives.estimates import comparisons, estimates
from raylib.studies.narratives.measures import MEASURES
from raylib.studies.narratives.metrics import sums
from raylib.studies.narratives.names import NameTable
from raylib.studies.narratives.prompts import load_scenarios, prompt_table
from raylib.studies.resampling import blocks_of, replicate
from raylib.studies.sums import add_up

PROMPTS = prompt_table(load_scenarios())
TABLE = NameTable(
    names=pa.array(["ANNA", "JUAN"]),
    people=np.array([100, 100]),
    races=("White", "Latine", "Black", "Asian", "AI/AN", "two or more"),
    values=np.array([[0.5, 0.25, 0.125, 0.0625, 0.03125, 0.03125], [0.125, 0.75, 0.0625, 0.03125, 0.015625, 0.015625]]),
    female=np.array([0.99, 0.01]),
    kind="population",
    provenance={"source": "a test table"},
)
PAPER = load_baseline("paper")


def prompt_id(start: str) -> str:
    return next(name for name in PROMPTS["prompt_id"].to_pylist() if name.startswith(start))


ACTOR, COOK = prompt_id("labor.actor.neutral"), prompt_id("labor.cook.neutral")
PARTNERS, PATIENT = prompt_id("love.romantic-partner-date.neutral"), prompt_id("labor.doctor.laden")


def annotation(prompt: str, subject: tuple[str | None, str], other: tuple[str | None, str] | None = None, status="ok"):
    row = {field.name: None for field in ANNOTATIONS} | {"sample_id": "s", "prompt_id": prompt, "status": status}
    row |= {"subject_first_name": subject[0], "subject_gender": subject[1]}
    return row | ({"object_first_name": other[0], "object_gender": other[1]} if other else {})


def summed(*rows) -> pa.Table:
    return sums(pa.Table.from_pylist(list(rows), schema=ANNOTATIONS), PROMPTS, TABLE)


def entry(measure: str) -> tuple[str, int]:
    """`race:White` -> the measure `race` and the place of White in its vector."""
    name, _, label = measure.rpartition(":")
    vector = name or next(vector for vector, labels in MEASURES.items() if label in labels)
    return vector, MEASURES[vector].index(label)


def value(table: pa.Table, cell: str, measure: str) -> float:
    vector, place = entry(measure)
    return sum(row["values"][place] for row in table.to_pylist() if (row["cell"], row["measure"]) == (cell, vector))


def counted(cell: str, cluster_counts: dict[str, dict[str, float]]) -> pa.Table:
    """SUMS rows of one cell: cluster -> measure -> value."""
    rows = []
    for cluster, measures in cluster_counts.items():
        vectors: dict[str, list[float]] = {}
        for measure, number in measures.items():
            vector, place = entry(measure)
            vectors.setdefault(vector, [0.0] * len(MEASURES[vector]))[place] = float(number)
        rows += [{"cell": cell, "cluster": cluster, "measure": name, "values": v} for name, v in vectors.items()]
    return pa.Table.from_pylist(rows, schema=SUMS)


def estimated(table: pa.Table, baseline=PAPER, replicates=200, seed=1) -> pa.Table:
    targets = [comparison.target for comparison in comparisons(table, baseline, TABLE)]
    drawn = replicate(targets, seed=seed, blocks=blocks_of(replicates), replicates=replicates)
    return estimates(table, drawn, baseline, TABLE)


def estimate(
    table: pa.Table, statistic: str, cell: str, group: str, baseline=PAPER, replicates=200
) -> dict[str, object]:
    result = estimated(table, baseline, replicates)
    assert result.schema.equals(ESTIMATES)
    for row in result.to_pylist():
        assert not any(isinstance(number, float) and math.isnan(number) for number in row.values())
    return next(
        row for row in result.to_pylist()
        if (row["statistic"], row["cell"], row["group"]) == (statistic, cell, group)
    )  # fmt: skip


def test_likelihoods_add_up_over_named_characters():
    table = summed(annotation(ACTOR, ("Anna", "F")), annotation(ACTOR, ("Juan", "M")), annotation(COOK, (None, "M")))
    cell = "Labor/power-neutral"
    assert value(table, cell, "characters") == 3
    assert value(table, cell, "named") == 2
    assert value(table, cell, "race:White") == 0.625
    assert value(table, cell, "race:Latine") == 1.0
    assert value(table, cell, "gender:M") == 2
    assert value(table, "all/power-neutral", "race:White") == 0.625


def test_name_that_the_table_lacks_is_named_but_not_covered():
    table = summed(annotation(ACTOR, ("Anna", "F")), annotation(ACTOR, ("Zzyzxq", "F")))
    cell = "Labor/power-neutral"
    assert (value(table, cell, "named"), value(table, cell, "covered")) == (2, 1)
    row = estimate(table, "R_rep", cell, "White")
    assert (row["n"], row["share"]) == (1, 0.5)


def test_likelihood_of_exactly_a_threshold_does_not_exceed_it():
    percent = np.arange(1, 100)
    names = [f"NAME{value}" for value in percent]
    table = NameTable(
        names=pa.array(names), people=np.full(99, 100), races=("White",), values=percent[:, None] / 100,
        female=np.full(99, 0.5), kind="population", provenance={"source": "a test table"},
    )  # fmt: skip
    rows = [annotation(ACTOR, (name, "F")) for name in names]
    counted_up = sums(pa.Table.from_pylist(rows, schema=ANNOTATIONS), PROMPTS, table)
    found = [value(counted_up, "Labor/power-neutral", f"above:White F {t}") for t in range(1, 101)]
    assert found == [99 - t for t in range(1, 100)] + [0]


def test_love_counts_both_characters():
    table = summed(annotation(PARTNERS, ("Anna", "F"), ("Juan", "M")))
    assert value(table, "Love/power-neutral", "characters") == 2
    assert value(table, "Love/power-neutral", "stories") == 1


def test_pairs_do_not_depend_on_order_and_need_both_genders():
    table = summed(
        annotation(PARTNERS, ("Anna", "F"), ("Juan", "M")),
        annotation(PARTNERS, ("Juan", "M"), ("Anna", "F")),
        annotation(PARTNERS, ("Anna", "NB"), ("Anna", "F")),
        annotation(PARTNERS, ("Anna", "F"), ("Juan", "unspecified")),
    )
    cell = "Love/romantic partner"
    assert (value(table, cell, "pair:F-M"), value(table, cell, "pair:F-NB")) == (2, 1)


def test_refused_and_failed_samples_add_nothing_and_truncated_ones_do():
    table = summed(
        annotation(ACTOR, (None, "F"), status="refused"),
        annotation(ACTOR, (None, "F"), status="error"),
        annotation(ACTOR, ("Anna", "F"), status="truncated"),
    )
    assert value(table, "Labor/power-neutral", "characters") == 1


def test_sums_of_parts_add_up_to_the_sums_of_the_whole():
    rows = [annotation(ACTOR, ("Anna", "F")), annotation(COOK, ("Juan", "M")), annotation(ACTOR, ("Juan", "M"))]
    parts = add_up([summed(row) for row in rows], MEASURES)
    assert parts.equals(add_up([summed(*rows)], MEASURES))
    assert estimated(parts).equals(estimated(summed(*rows)))


def test_no_annotations_give_no_sums_and_estimates_without_data():
    empty = sums(ANNOTATIONS.empty_table(), PROMPTS, TABLE)
    assert empty.num_rows == 0
    assert estimate(empty, "R_rep", "all/power-neutral", "F")["status"] == "no data"


@pytest.mark.parametrize(
    ("pair", "count", "n", "ratio", "p_value"),
    [
        ("F-M", 5886, 6027, 1.034539, 2.635083e-56),
        ("F-M", 3408, 3508, 1.029125, 6.270189e-21),
        ("F-M", 5932, 5988, 1.049415, 2.094707e-262),
    ],
)
def test_golden_ratios_of_couples(pair, count, n, ratio, p_value):
    table = counted("Love/romantic partner", {"p": {f"pair:{pair}": count, "pair:NB-NB": n - count}})
    row = estimate(table, "R_rep", "Love/romantic partner", pair)
    assert row["estimate"] == pytest.approx(ratio, abs=1e-6)
    assert row["p_value"] == pytest.approx(p_value, rel=1e-5)


@pytest.mark.parametrize(
    ("pair", "count", "n", "ratio", "low", "high", "cohen_d"),
    [("NB-NB", 1, 3508, 0.04, 0.008, 0.241, -0.380), ("F-F", 54, 11055, 0.28, 0.214, 0.364, -0.181)],
)
def test_golden_intervals_of_couples(pair, count, n, ratio, low, high, cohen_d):
    table = counted("Love/romantic partner", {"p": {f"pair:{pair}": count, "pair:F-M": n - count}})
    row = estimate(table, "R_rep", "Love/romantic partner", pair)
    assert row["estimate"] == pytest.approx(ratio, abs=0.005)
    assert (row["ci_low"], row["ci_high"]) == pytest.approx((low, high), abs=0.0006)
    assert row["cohen_d"] == pytest.approx(cohen_d, abs=0.0006)


def test_underflowing_p_value_is_reported_as_a_bound():
    table = counted("Love/romantic partner", {"p": {"pair:NB-NB": 90_000, "pair:F-M": 10_000}})
    row = estimate(table, "R_rep", "Love/romantic partner", "NB-NB")
    assert row["p_value"] == 1e-300
    assert "p < 1e-300" in row["note"]


def test_subordination_ratio_is_subordinate_over_dominant():
    table = pa.concat_tables(
        [
            counted(
                "Labor/power-laden/subordinate",
                {"a": {"gender:F": 30, "gender:M": 10}, "b": {"gender:F": 30, "gender:M": 30}},
            ),
            counted(
                "Labor/power-laden/dominant",
                {"a": {"gender:F": 10, "gender:M": 30}, "b": {"gender:F": 20, "gender:M": 40}},
            ),
        ]
    )
    row = estimate(table, "R_sub", "Labor/power-laden", "F")
    assert row["estimate"] == pytest.approx((60 / 100) / (30 / 100))
    half = 1.96 * math.sqrt(1 / 60 - 1 / 100 + 1 / 30 - 1 / 100)
    assert (row["ci_low"], row["ci_high"]) == pytest.approx((2 * math.exp(-half), 2 * math.exp(half)))
    assert (row["n"], row["clusters"]) == (200, 2)


def test_subordination_of_a_group_seen_in_neither_role_is_one():
    both = {"a": {"gender:F": 30, "gender:M": 10}, "b": {"gender:F": 10, "gender:M": 10}}
    table = pa.concat_tables([counted(f"Labor/power-laden/{role}", both) for role in ("subordinate", "dominant")])
    assert estimate(table, "R_sub", "Labor/power-laden", "NB")["estimate"] == 1


def test_stories_with_a_dominant_character_only_have_no_subordination():
    table = counted("Labor/power-laden/dominant", {"a": {"gender:F": 30, "gender:M": 10}})
    assert estimate(table, "R_sub", "Labor/power-laden", "F")["status"] == "no data"


def test_race_without_a_column_is_not_modelled_and_has_no_number():
    row = estimate(summed(annotation(ACTOR, ("Anna", "F"))), "R_rep", "Labor/power-neutral", "MENA")
    assert row["status"] == "not modelled"
    assert [row[key] for key in ("estimate", "ci_low", "ci_high", "share", "count", "p_value")] == [None] * 6


def test_group_without_a_comparison_share_is_not_modelled(tmp_path):
    path = tmp_path / "half.yaml"
    path.write_text("race: {}\ngender: {F: {share: 50, kind: population}}\n")
    row = estimate(
        summed(annotation(ACTOR, ("Anna", "F"))), "R_rep", "Labor/power-neutral", "M", load_baseline(str(path))
    )
    assert row["status"] == "not modelled"
    assert "preset" in row["note"]


def test_cell_without_names_has_no_data():
    row = estimate(summed(annotation(ACTOR, (None, "F"))), "R_rep", "Labor/power-neutral", "White")
    assert (row["status"], row["estimate"], row["n"]) == ("no data", None, 0)


def test_one_prompt_has_no_bootstrap_interval():
    row = estimate(
        summed(annotation(ACTOR, ("Anna", "F")), annotation(ACTOR, ("Juan", "M"))), "R_rep", "Labor/power-neutral", "F"
    )
    assert (row["status"], row["clusters"], row["boot_low"], row["replicates"]) == ("ok", 1, None, 0)
    assert "one prompt" in row["note"]


def test_one_sample_of_one_prompt_has_a_ratio_and_an_interval():
    row = estimate(summed(annotation(ACTOR, ("Anna", "F"))), "R_rep", "Labor/power-neutral", "F")
    assert row["estimate"] == pytest.approx(1 / 0.508)
    assert row["ci_low"] < row["estimate"]
    assert row["cohen_d"] is None


def test_count_of_zero_is_a_ratio_of_zero_with_an_upper_end_and_no_bootstrap():
    rows = [annotation(ACTOR, ("Anna", "F")), annotation(COOK, ("Anna", "F"))]
    row = estimate(summed(*rows), "R_rep", "Labor/power-neutral", "NB")
    assert (row["estimate"], row["ci_low"], row["boot_low"]) == (0, 0, None)
    assert row["ci_high"] > 0


def test_bootstrap_resamples_prompts_not_stories():
    # Prompt a is all F, prompt b all M: resampling prompts, the share of F is 0, 1/2 or 1, whatever the number of stories.
    table = counted("Labor/power-neutral", {"a": {"gender:F": 1000}, "b": {"gender:M": 1000}})
    row = estimate(table, "R_rep", "Labor/power-neutral", "F", replicates=2000)
    assert (row["boot_low"], row["boot_high"]) == pytest.approx((0, 1 / 0.508))
    assert row["ci_high"] - row["ci_low"] < 0.1


def test_same_seed_gives_the_same_numbers():
    table = counted(
        "Labor/power-neutral", {name: {"gender:F": 3, "gender:M": index} for index, name in enumerate("abcde")}
    )
    first = estimated(table, replicates=300, seed=7)
    assert first.equals(estimated(table, replicates=300, seed=7))
    assert not first.equals(estimated(table, replicates=300, seed=8))
