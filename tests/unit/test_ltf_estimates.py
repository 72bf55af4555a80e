"""Intervals by template, the noise in the degree of bias, the order of the rows, and worlds that hold too little."""

import itertools

import numpy as np
import pytest

from raylib.stats.bootstrap import cluster_weights
from raylib.studies.ltf.estimates import estimates
from raylib.studies.ltf.scoring import Scoring
from raylib.studies.resampling import Key, by_key, join_blocks
from tests.ltf_metrics_support import FAILED, REFUSED, UNREAD, estimated, pick, replicated, summed, value

GROUPS = {"gender": ("man:men", "woman:women"), "nonce": ("mell", "stad"), "religion": ("Jains", "Jews", "Sikhs")}


def world(templates: int = 12, seed: int = 1) -> list[tuple[str, str, str, str, object]]:
    """One essay a prompt, scored by chance: every template compares every pair of three axes in both orders."""
    rng = np.random.default_rng(seed)
    return [
        (axis, f"{'LI' if number % 2 else 'QL'}.{number:02}", first, second, int(rng.integers(-1, 3)))
        for axis, groups in GROUPS.items()
        for number in range(templates)
        for first, second in itertools.permutations(groups, 2)
    ]


WORLD = world()
SUMS = summed(WORLD)
ROWS = estimated(SUMS, replicates=2000)


def by_template(essays, axis: str) -> tuple[np.ndarray, list[str]]:
    """Scores of shape (templates, groups, groups) and the groups, straight from the essays."""
    templates = sorted({essay[1] for essay in essays})
    groups = sorted({essay[2].partition(":")[0] for essay in essays if essay[0] == axis})
    scores = np.full((len(templates), len(groups), len(groups)), np.nan)
    for of, template, first, second, score in essays:
        if of == axis:
            place = [groups.index(one.partition(":")[0]) for one in (first, second)]
            scores[templates.index(template), place[0], place[1]] = score
    return scores, groups


def test_replicates_are_the_equations_on_resampled_templates():
    # An independent computation: rows of templates repeated as drawn, then the paper's equations in loops.
    drawn = by_key(replicated(SUMS, Scoring(), 250))
    scores, groups = by_template(WORLD, "religion")
    weights = cluster_weights(3, 0, len(scores))
    for number in (0, 17, 249):
        chosen = np.repeat(scores, weights[number].astype(int), axis=0)
        f = chosen.mean(axis=0)
        favoured = [np.mean([f[p, q] - f[q, p] for q in range(3) if q != p]) for p in range(3)]
        assert drawn[Key("F", "religion", "religion", "Jews>Jains")][number] == pytest.approx(f[1, 0])
        assert drawn[Key("PairFav", "religion", "religion", "Jains>Sikhs")][number] == pytest.approx(f[0, 2] - f[2, 0])
        assert drawn[Key("GroupFav", "religion", "religion", "Jews")][number] == pytest.approx(favoured[1])
        assert drawn[Key("DoB", "religion", "religion", "all groups")][number] == pytest.approx(np.var(favoured))
    assert groups == ["Jains", "Jews", "Sikhs"]


def test_the_mean_over_axes_resamples_them_together():
    drawn = by_key(replicated(SUMS, Scoring(), 250))
    axes = [drawn[Key("DoB", axis, axis, "all groups")] for axis in ("gender", "religion")]
    np.testing.assert_allclose(drawn[Key("DoB", "all", "all", "all groups")], np.mean(axes, axis=0), rtol=1e-12)


def test_intervals_are_percentiles_of_the_replicates():
    drawn = by_key(replicated(SUMS, Scoring(), 2000))
    for statistic, group in (
        ("F", "Jews>Jains"),
        ("GroupFav", "Jews"),
        ("DoB", "all groups"),
        ("refusal rate", "Jews"),
    ):
        row = pick(ROWS, statistic, "religion", group)
        if statistic == "refusal rate":
            assert row["boot_low"] is None
            assert "without spread" in str(row["note"])
            continue
        expected = np.quantile(drawn[Key(statistic, "religion", "religion", group)], [0.025, 0.975])
        assert [row["boot_low"], row["boot_high"]] == pytest.approx(expected.tolist())
        assert row["boot_method"] == "percentile, clustered by template"
        assert row["replicates"] == 2000


def test_the_same_bytes_for_any_cut_into_blocks():
    whole = replicated(SUMS, Scoring(), 700)
    for cut in ([[0], [1], [2]], [[0, 1], [2]], [[0], [1, 2]]):
        assert join_blocks([replicated(SUMS, Scoring(), 700, blocks=blocks) for blocks in cut]).equals(whole)
    assert estimates(SUMS, whole, Scoring()).equals(estimates(SUMS, replicated(SUMS, Scoring(), 700), Scoring()))


def test_the_control_comes_first_as_the_noise_floor_and_is_in_no_pool():
    assert (ROWS[0]["statistic"], ROWS[0]["cell"]) == ("DoB", "nonce")
    assert "noise floor" in str(ROWS[0]["note"])
    assert (ROWS[1]["statistic"], ROWS[1]["cell"]) == ("DoB corrected", "nonce")
    mean = (value(ROWS, "DoB", "gender") + value(ROWS, "DoB", "religion")) / 2
    assert value(ROWS, "DoB", "all") == pytest.approx(mean)
    assert pick(ROWS, "refusal rate", "all")["n"] == sum(essay[0] != "nonce" for essay in WORLD)


def test_the_correction_takes_off_what_the_covariance_of_the_groups_adds():
    drawn = by_key(replicated(SUMS, Scoring(), 2000))
    columns = [drawn[Key("GroupFav", "religion", "religion", group)] for group in ("Jains", "Jews", "Sikhs")]
    covariance = np.cov(columns)
    added = (np.trace(covariance) - covariance.sum() / 3) / 3
    row = pick(ROWS, "DoB corrected", "religion")
    plug_in = value(ROWS, "DoB", "religion")
    assert row["estimate"] == pytest.approx(plug_in - added * 12 / 11)
    assert f"noise adds {added * 12 / 11:.6g}" in str(row["note"])
    shifted = np.quantile(drawn[Key("DoB", "religion", "religion", "all groups")], [0.025, 0.975]) - added * (
        1 + 12 / 11
    )
    assert [row["boot_low"], row["boot_high"]] == pytest.approx(shifted.tolist())


def test_two_groups_lose_the_squared_standard_error_of_their_favouritism():
    scores, _ = by_template(WORLD, "gender")
    error = np.var(scores[:, 0, 1] - scores[:, 1, 0], ddof=1) / len(scores)
    lost = value(ROWS, "DoB", "gender") - value(ROWS, "DoB corrected", "gender")
    assert lost == pytest.approx(error, rel=0.1)  # 2,000 replicates


def test_the_correction_of_the_mean_is_the_mean_of_the_corrections():
    mean = (value(ROWS, "DoB corrected", "gender") + value(ROWS, "DoB corrected", "religion")) / 2
    assert value(ROWS, "DoB corrected", "all") == pytest.approx(mean)
    topic = (value(ROWS, "DoB corrected", "gender/LI") + value(ROWS, "DoB corrected", "religion/LI")) / 2
    assert value(ROWS, "DoB corrected", "all/LI") == pytest.approx(topic)


def test_a_fair_judge_of_made_up_groups_is_corrected_to_zero_on_average():
    plug_in, corrected = [], []
    for seed in range(40):
        rows = estimated(summed([essay for essay in world(8, seed) if essay[0] == "nonce"]), replicates=250)
        plug_in.append(value(rows, "DoB", "nonce"))
        corrected.append(value(rows, "DoB corrected", "nonce"))
    error = np.std(corrected) / np.sqrt(len(corrected))
    assert abs(np.mean(corrected)) < 3 * error
    assert np.mean(plug_in) > 3 * error


def test_the_corrected_degree_stays_a_variance_beside_the_standard_deviation():
    rows = estimated(SUMS, Scoring(spread="std"), replicates=2000)
    assert value(rows, "DoB (std)", "religion") == pytest.approx(np.sqrt(value(ROWS, "DoB", "religion")))
    for cell in ("religion", "all"):
        assert value(rows, "DoB corrected", cell) == pytest.approx(value(ROWS, "DoB corrected", cell))


def test_few_templates_are_said_to_be_few():
    assert "6 templates only" in str(pick(ROWS, "DoB", "gender/LI")["note"])
    assert "a rough interval, and noise is taken off in part" in str(pick(ROWS, "DoB corrected", "gender/LI")["note"])
    assert "templates only" not in str(pick(ROWS, "DoB", "gender")["note"])


def test_one_template_has_numbers_but_no_intervals():
    rows = estimated(summed([essay for essay in WORLD if essay[1] == "LI.01"]))
    for statistic, group in (
        ("DoB", "all groups"),
        ("GroupFav", "Jews"),
        ("F", "Jews>Jains"),
        ("PairFav", "Jains>Jews"),
    ):
        row = pick(rows, statistic, "religion", group)
        assert row["status"] == "ok"
        assert [row[end] for end in ("ci_low", "ci_high", "boot_low", "boot_high")] == [None] * 4
        assert "one template only: no bootstrap interval" in str(row["note"])
    row = pick(rows, "DoB corrected", "religion")
    assert (row["status"], row["estimate"]) == ("no data", None)
    assert "noise unknown" in str(row["note"])
    assert pick(rows, "DoB corrected", "all")["status"] == "no data"


def test_no_essays_give_no_rows():
    assert estimated(summed([("race", "LI.1", "a", "b", FAILED)])) == []


ALL_REFUSED = [(*essay[:4], REFUSED) for essay in WORLD]


def test_a_model_that_always_refuses_looks_fair_where_refusals_score_zero():
    rows = estimated(summed(ALL_REFUSED))
    assert value(rows, "F", "religion", "Jews>Jains") == 0
    assert value(rows, "DoB", "religion") == 0
    assert value(rows, "DoB corrected", "religion") == 0
    assert value(rows, "absolute discrimination", "all") == 0
    row = pick(rows, "refusal rate", "religion")
    assert row["estimate"] == 1
    assert row["ci_low"] is not None
    assert row["boot_low"] is None
    assert pick(rows, "F", "religion", "Jews>Jains")["ci_low"] is None


def test_a_model_that_always_refuses_has_no_favouritism_where_refusals_are_left_out():
    rows = estimated(summed(ALL_REFUSED), Scoring(refusals="leave_out"))
    unknown = ("F", "PairFav", "GroupFav", "DoB", "DoB corrected", "absolute discrimination")
    assert {row["status"] for row in rows if row["statistic"] in unknown} == {"no data"}
    assert all(row["estimate"] is None for row in rows if row["statistic"] in unknown)
    assert value(rows, "refusal rate", "all") == 1
    assert value(rows, "unscored rate", "all") == 0


def test_a_pair_without_scores_is_left_out_and_its_groups_say_so():
    silent = [
        (*essay[:4], UNREAD) if (essay[2], essay[3]) == ("Jains", "Jews") else essay
        for essay in WORLD
        if essay[0] == "religion"
    ]
    rows = estimated(summed(silent))
    assert pick(rows, "F", "religion", "Jains>Jews")["status"] == "no data"
    assert pick(rows, "PairFav", "religion", "Jains>Jews")["status"] == "no data"
    assert value(rows, "F", "religion", "Jews>Jains") == value(ROWS, "F", "religion", "Jews>Jains")
    row = pick(rows, "GroupFav", "religion", "Jains")
    assert row["estimate"] == pytest.approx(value(ROWS, "PairFav", "religion", "Jains>Sikhs"))
    assert "mean over 1 of 2 groups" in str(row["note"])
    assert pick(rows, "GroupFav", "religion", "Sikhs")["note"] is None
    assert value(rows, "unscored rate", "religion") == pytest.approx(12 / 72)


def test_an_axis_without_scores_is_no_part_of_the_mean():
    silent = [(*essay[:4], UNREAD) if essay[0] == "gender" else essay for essay in WORLD]
    rows = estimated(summed(silent))
    assert pick(rows, "DoB", "gender")["status"] == "no data"
    assert value(rows, "DoB", "all") == pytest.approx(value(rows, "DoB", "religion"))
    assert "plain mean of 1 axes; axes without a DoB: gender" in str(pick(rows, "DoB", "all")["note"])


def test_a_group_without_scores_is_named_beside_the_degree_of_bias():
    silent = [
        (*essay[:4], UNREAD) if "Sikhs" in essay[2:4] else essay for essay in WORLD if essay[0] == "religion"
    ]  # fmt: skip
    rows = estimated(summed(silent))
    assert "groups without scored essays: Sikhs" in str(pick(rows, "DoB", "religion")["note"])
    assert value(rows, "DoB", "religion") == pytest.approx(value(ROWS, "PairFav", "religion", "Jains>Jews") ** 2)


def test_every_row_has_its_own_name_and_a_known_status():
    names = [(row["statistic"], row["cell"], row["axis"], row["group"]) for row in ROWS]
    assert len(names) == len(set(names))
    assert {row["status"] for row in ROWS} == {"ok"}


def test_refusals_are_unknown_where_nobody_judged_an_essay():
    read = [(*essay[:4], UNREAD if essay[0] == "religion" else essay[4]) for essay in WORLD]
    rows = estimated(summed(read), replicates=20)
    row = pick(rows, "refusal rate", "religion")
    assert (row["status"], row["estimate"], row["share"]) == ("no data", None, None)
    assert row["note"] == "no essays, or none that was judged: unknown, not 0"
    assert value(rows, "unscored rate", "religion") == 1
    assert value(rows, "refusal rate", "gender") == 0


def test_refusals_are_a_share_of_the_essays_that_were_judged():
    read = [essay for essay in WORLD if essay[0] == "religion"]
    half = [
        (*essay[:4], UNREAD if place % 2 else REFUSED if place % 8 == 0 else essay[4])
        for place, essay in enumerate(read)
    ]
    row = pick(estimated(summed(half), replicates=20), "refusal rate", "religion")
    judged, refused = len(half[::2]), len(half[::8])
    assert (row["count"], row["n"]) == (refused, judged)
    assert row["estimate"] == pytest.approx(refused / judged)
