"""Paired differences: the same clusters drawn for both runs, noise taken off, no interval where nothing is known."""

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

from raylib.errors import DataError
from raylib.stats.arrays import Floats
from raylib.stats.bootstrap import cluster_weights
from raylib.stats.linearisation import share
from raylib.studies.differences import DIFFERENCES, Correction, Corrections, Draws, Side, differences
from raylib.studies.resampling import Key
from raylib.studies.rows import NO_DATA, OK, comparison, key_of, new_row

NAMES = ("first", "second")
DRAWS = Draws(3, 250)
NOTHING = Corrections({}, {})


def side(counts: Floats, totals: Floats, corrections: Corrections = NOTHING, names: Sequence[str] = NAMES) -> Side:
    """Shares of several groups; counts and totals of shape (clusters, groups)."""
    sums = np.stack([counts, totals], axis=-1)
    rows = []
    for place, name in enumerate(names):
        n = float(totals[:, place].sum())
        row = new_row("share", "cell", "axis", name, n, int((totals[:, place] > 0).sum()))
        known = {"status": OK, "estimate": counts[:, place].sum() / n} if n else {"status": NO_DATA, "note": "nothing"}
        rows.append(row | known)
    used = [place for place, row in enumerate(rows) if row["status"] == OK]
    return Side([comparison(rows, sums[:, used], share)], corrections)


def run(a: Side, b: Side, draws: Draws = DRAWS, *, same: bool = False) -> list[dict[str, object]]:
    table = differences(a, b, draws, same_samples=same)
    assert table.schema.equals(DIFFERENCES)
    assert not any(
        pa.types.is_floating(column.type) and np.isnan(column.drop_null().to_numpy()).any() for column in table
    )
    rows: list[dict[str, object]] = table.to_pylist()
    return rows


def key(name: str) -> Key:
    return Key("share", "cell", "axis", name)


COUNTS = np.array([[8.0, 1.0], [6.0, 3.0], [9.0, 0.0], [7.0, 4.0]])
OTHER = np.array([[4.0, 2.0], [3.0, 3.0], [6.0, 1.0], [1.0, 5.0]])
TEN = np.full((4, 2), 10.0)


def test_a_difference_by_hand() -> None:
    # A: 30 of 40, B: 14 of 40. Replicate r of the difference: the drawn clusters' sums of B less those of A, over 40.
    first, _ = run(side(COUNTS, TEN), side(OTHER, TEN))
    assert (first["estimate_a"], first["estimate_b"], first["n_a"], first["n_b"]) == (0.75, 0.35, 40, 40)
    assert first["difference"] == pytest.approx(-0.4)
    weights = cluster_weights(3, 0, 4)
    drawn = weights @ (OTHER - COUNTS)[:, 0] / 40
    assert [first["low"], first["high"]] == pytest.approx(np.quantile(drawn, [0.025, 0.975]).tolist())
    assert first["standard_error"] == pytest.approx(drawn.std(ddof=1) * np.sqrt(4 / 3))
    t = 0.4 / (drawn.std(ddof=1) * np.sqrt(4 / 3))
    assert first["p_value"] == pytest.approx(2 * stats.t.sf(t, 3))
    assert first["relative"] == pytest.approx(0.35 / 0.75 - 1)
    ratios = (weights @ OTHER[:, 0]) / (weights @ COUNTS[:, 0]) - 1
    ends = np.quantile(ratios, [0.025, 0.975]).tolist()
    assert [first["relative_low"], first["relative_high"]] == pytest.approx(ends)
    assert (first["clusters"], first["note"]) == (4, "4 clusters only: the interval is too narrow, p is not")


def test_what_the_clusters_share_cancels() -> None:
    # Clusters differ by far more than the runs do; B is one higher in each: the pairing sees it, and nothing varies.
    base = np.arange(0.0, 30.0)[:, np.newaxis] * np.ones(2)
    wide = np.full((30, 2), 100.0)
    rng = np.random.default_rng(5)
    first, _ = run(side(base, wide), side(base + rng.integers(0, 3, size=(30, 2)), wide))
    alone = base[:, 0].std() / np.sqrt(30) / 100
    assert float(str(first["standard_error"])) < alone / 5
    assert float(str(first["p_value"])) < 0.001


def test_the_same_samples_differ_by_nothing_at_all() -> None:
    for row in run(side(COUNTS, TEN), side(COUNTS, TEN), same=True):
        assert [row[name] for name in ("difference", "low", "high", "standard_error")] == [0, 0, 0, 0]
        assert (row["p_value"], row["q_value"], row["detectable"]) == (1, 1, None)
    clear, _ = run(side(COUNTS, TEN), side(COUNTS, TEN), same=True)
    assert [clear[name] for name in ("relative", "relative_low", "relative_high")] == [0, 0, 0]


def test_other_samples_that_happen_to_agree_are_not_certain() -> None:
    first, _ = run(side(COUNTS, TEN), side(COUNTS, TEN))
    assert (first["difference"], first["low"], first["p_value"], first["detectable"]) == (0, None, None, None)
    assert first["note"] == "replicates without spread or observations: no interval"


def test_one_cluster_has_a_difference_without_an_interval() -> None:
    first, _ = run(side(COUNTS[:1], TEN[:1]), side(OTHER[:1], TEN[:1]))
    assert (first["difference"], first["low"], first["note"]) == (
        pytest.approx(-0.4),
        None,
        "one cluster only: no interval",
    )
    assert first["relative"] is None  # A has no interval that could leave 0 out


def test_what_one_run_has_no_number_for_is_unknown_and_says_whose() -> None:
    none = TEN * np.array([1.0, 0.0])
    _, second = run(side(COUNTS, TEN), side(OTHER * np.array([1.0, 0.0]), none))
    assert (second["status"], second["estimate_a"], second["estimate_b"]) == (NO_DATA, 0.2, None)
    assert (second["difference"], second["p_value"], second["note"]) == (None, None, "B: nothing")


def test_nothing_is_relative_to_a_base_that_may_be_zero() -> None:
    counts = COUNTS.copy()
    counts[:, 1] = [0, 0, 0, 1]
    _, second = run(side(counts, TEN), side(OTHER, TEN))
    assert second["difference"] is not None
    assert [second[name] for name in ("relative", "relative_low", "relative_high")] == [None, None, None]


def test_noise_is_taken_off_each_run_before_they_are_subtracted() -> None:
    taken = [Corrections({key("first"): Correction(noise, 2 * noise)}, {}) for noise in (0.1, 0.02)]
    plain, _ = run(side(COUNTS, TEN), side(OTHER, TEN))
    first, second = run(side(COUNTS, TEN, taken[0]), side(OTHER, TEN, taken[1]))
    assert first["difference"] == pytest.approx(-0.4 + 0.08)
    assert first["low"] == pytest.approx(float(str(plain["low"])) + 0.16)
    assert first["standard_error"] == pytest.approx(plain["standard_error"])
    assert second["estimate_a"] == 0.2


def test_noise_that_cannot_be_seen_leaves_no_number() -> None:
    unseen = Corrections({key("first"): None}, {})
    first, _ = run(side(COUNTS, TEN, unseen), side(OTHER, TEN))
    assert (first["status"], first["difference"]) == (NO_DATA, None)
    assert first["note"] == "A: noise unknown, so it cannot be taken off"


def test_a_statistic_that_noise_lifts_is_judged_by_the_one_without() -> None:
    judged = Corrections({key("second"): Correction(0.19, 0.19)}, {key("first"): key("second")})
    first, _ = run(side(COUNTS, TEN, judged), side(OTHER, TEN, judged))
    assert (first["relative"], first["difference"]) == (None, pytest.approx(-0.4))
    assert "noise adds to it: see share" in str(first["note"])


def test_q_values_are_over_all_rows_that_were_tested() -> None:
    rows = run(side(COUNTS, TEN), side(OTHER, TEN))
    p = sorted(float(str(row["p_value"])) for row in rows)
    expected = [min(2 * p[0], p[1]), p[1]]
    assert sorted(float(str(row["q_value"])) for row in rows) == pytest.approx(expected)


def test_runs_over_other_clusters_are_not_paired() -> None:
    with pytest.raises(DataError, match="over 4 and 3 clusters"):
        differences(side(COUNTS, TEN), side(OTHER[:3], TEN[:3]), DRAWS)


def test_statistics_of_one_run_alone_have_no_row() -> None:
    rows = run(side(COUNTS, TEN), side(OTHER, TEN, names=("first", "third")))
    assert [row["group"] for row in rows] == ["first"]


def simulated(rng: np.random.Generator, effect: float) -> Mapping[str, object]:
    """One study of 30 clusters whose level varies far more than the runs differ."""
    level = rng.uniform(0.2, 0.6, size=(30, 1))
    totals = np.full((30, 1), 40.0)
    a, b = (rng.binomial(40, share_of).astype(float) for share_of in (level, level + effect))
    (row,) = run(side(a, totals, names=("one",)), side(b, totals, names=("one",)))
    return row


def test_the_paired_interval_holds_the_truth_at_its_rate() -> None:
    rng = np.random.default_rng(7)
    rows = [simulated(rng, 0.08) for _ in range(300)]
    held = np.mean([float(str(row["low"])) <= 0.08 <= float(str(row["high"])) for row in rows])
    assert (
        0.90 <= held <= 0.98
    )  # 0.95 and three standard errors of 300 studies, less what percentiles of 30 clusters lose


def test_no_difference_is_found_in_one_of_twenty_however_few_the_clusters() -> None:
    # Four clusters: counting replicates beyond 0 would "find" more than one in eight, since four signs often agree.
    rng = np.random.default_rng(9)
    p_values = []
    for _ in range(400):
        a, b = (rng.binomial(40, 0.4, size=(4, 1)).astype(float) for _ in range(2))
        (row,) = run(side(a, np.full((4, 1), 40.0), names=("one",)), side(b, np.full((4, 1), 40.0), names=("one",)))
        p_values.append(row["p_value"] if row["p_value"] is not None else 1.0)
    found = np.mean(np.array(p_values, dtype=float) < 0.05)
    assert 0.02 <= found <= 0.085  # 0.05 and three standard errors of 400


def test_the_smallest_effect_is_found_four_times_in_five() -> None:
    rng = np.random.default_rng(8)
    effect = float(np.mean([float(str(simulated(rng, 0.05)["detectable"])) for _ in range(40)]))
    found = np.mean([float(str(simulated(rng, effect)["p_value"])) < 0.05 for _ in range(200)])
    assert 0.7 <= found <= 0.92


def test_rows_are_named_by_the_key_of_their_estimate() -> None:
    (one,) = side(COUNTS, TEN).found
    assert [key_of(row) for row in one.rows] == [key("first"), key("second")]
