"""Prompts with different numbers of samples count alike in a pooled cell: worked by hand."""

import pyarrow as pa
import pytest

from raylib.pipeline.weights import marked, mixed_cells, samples_by_cluster, weighted
from raylib.schemas import ESTIMATES, SUMS
from raylib.studies.narratives.metrics import MEASURES
from raylib.studies.sums import add_up, read_cells
from tests.unit.test_narratives_metrics import ACTOR, PARTNERS, annotation, counted, estimated, summed


def sums(rows: list[tuple[str, str, str, list[float]]]) -> pa.Table:
    return pa.Table.from_pylist([dict(zip(SUMS.names, row, strict=True)) for row in rows], schema=SUMS)


POOLED = sums(
    [
        ("all", "a", "counts", [50, 100]), ("all", "b", "counts", [40, 400]), ("all", "b", "stories", [390]),
        ("own", "a", "counts", [50, 100]),
    ]
)  # fmt: skip
ROLES = ("dominant", "subordinate")
DRAWN = {"a": 100, "b": 400}


def test_a_pooled_share_is_what_equal_samples_give():
    table = weighted(POOLED, mixed_cells(POOLED, DRAWN))
    vectors = [row["values"] for row in table.to_pylist() if (row["cell"], row["measure"]) == ("all", "counts")]
    x, n = (sum(vector[place] for vector in vectors) for place in (0, 1))
    assert x / n == pytest.approx((0.5 + 0.1) / 2)  # not 90 / 500
    # Harmonic mean of 100 and 400: 160 samples of each prompt. Kish: (sum w m)^2 / sum w^2 m with w = 1 / m.
    assert n == pytest.approx(320)
    assert n == pytest.approx((1 + 1) ** 2 / (1 / 100 + 1 / 400))
    assert table.to_pylist()[2]["values"] == [pytest.approx(390 * 160 / 400)]


def test_weighted_sums_still_add_exactly():
    thirds = weighted(POOLED, mixed_cells(POOLED, {"a": 100, "b": 700}))
    measures = {"counts": ("x", "n"), "stories": ("stories",)}
    assert read_cells(thirds, measures)["all"].vector("counts")[0] == pytest.approx([87.5, 175])


def test_a_cell_of_equal_samples_keeps_every_bit():
    table = weighted(POOLED, mixed_cells(POOLED, DRAWN))
    assert table.schema == SUMS
    assert table.to_pylist()[3:] == POOLED.to_pylist()[3:]
    assert mixed_cells(POOLED, {"a": 100, "b": 100}) == {}
    assert mixed_cells(POOLED, {}) == {}
    assert weighted(POOLED, {}) is POOLED


def test_samples_are_counted_by_cluster():
    prompts = pa.table({"prompt_id": ["p", "q", "r"], "cluster": ["k", "k", "l"]})
    assert samples_by_cluster(prompts, {"p": 5, "q": 5, "r": 9}) == {"k": 5, "l": 9}
    assert samples_by_cluster(prompts, None) == {}


def test_a_mixed_cell_is_marked_and_another_is_not():
    row = {field.name: None for field in ESTIMATES} | {
        "statistic": "R_rep", "axis": "gender", "group": "F", "status": "ok", "n": 1, "clusters": 2, "replicates": 0,
    }  # fmt: skip
    table = pa.Table.from_pylist(
        [row | {"cell": "all"}, row | {"cell": "all", "note": "few"}, row | {"cell": "own"}], schema=ESTIMATES
    )
    found = marked(table, mixed_cells(POOLED, DRAWN), DRAWN)
    said = "prompts with 100 to 400 samples, weighed alike; counts are effective ones"
    assert found["note"].to_pylist() == [said, f"few; {said}", None]
    assert found.schema == ESTIMATES
    assert marked(table, {}, {}) is table


def test_a_pooled_ratio_of_the_narratives_study_is_that_of_equal_samples():
    # Actor: 2 of 4 women; partners (Love, in four times as many stories): 4 of 16, both characters counted.
    told = [annotation(ACTOR, ("Anna", gender)) for gender in "FFMM"]
    told += [annotation(PARTNERS, ("Anna", gender), ("Anna", "M")) for gender in "FFFFMMMM" * 2]
    table = add_up([summed(*told)], MEASURES)
    drawn = {"p": 4, "q": 16}
    prompts = pa.table({"prompt_id": ["p", "q"], "cluster": [ACTOR, PARTNERS]})
    samples = samples_by_cluster(prompts, drawn)
    weights = mixed_cells(table, samples)
    assert set(weights) == {"all/power-neutral"}
    found = marked(estimated(weighted(table, weights)), weights, samples).to_pylist()
    pooled = next(row for row in found if (row["cell"], row["group"]) == ("all/power-neutral", "F"))
    # 6.4 stories of each (harmonic mean): 3.2 of 6.4 women, and 3.2 of 12.8. Unweighted it would be 10 of 36.
    assert pooled["share"] == pytest.approx(6.4 / 19.2)
    assert pooled["count"] == pytest.approx(6.4)
    assert "prompts with 4 to 16 samples, weighed alike" in pooled["note"]
    own = next(row for row in found if (row["cell"], row["group"]) == ("Labor/power-neutral", "F"))
    assert own["share"] == 0.5
    assert "weighed" not in (own["note"] or "")


def test_weighed_counts_that_happen_to_add_up_to_whole_ones_give_no_r_mrs_either():
    # Prompts with 150 samples where others have 50 count half: two of one name each add up to 1.
    half = {"above:Latine F 1": 0.5, "covered by gender:Latine F": 2.0}
    table = add_up([counted(f"all/power-laden/{role}", {"a": half, "b": half}) for role in ROLES], MEASURES)
    rows = [row for row in estimated(table).to_pylist() if (row["statistic"], row["group"]) == ("R_mrs", "Latine F")]
    assert [(row["status"], row["estimate"]) for row in rows] == [("not modelled", None)]
    assert rows[0]["note"] == "prompts with different numbers of samples: no whole counts"
