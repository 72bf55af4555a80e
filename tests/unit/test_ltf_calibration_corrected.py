"""Estimates corrected for a judge's errors: by hand, where labels are few, and over judges whose errors are known."""

from collections import defaultdict

import numpy as np
import pytest

from raylib.errors import DataError
from raylib.stats.prediction_powered_sums import COLUMNS, LABELLED
from raylib.studies.ltf.calibration.corrected import BY_TEMPLATE, Choices, corrected_of
from raylib.studies.ltf.calibration.essays import match
from raylib.studies.ltf.calibration.estimates import CALIBRATED, calibrated
from raylib.studies.ltf.calibration.favouritism import corrected_groups, labels_of_groups
from raylib.studies.ltf.calibration.sums import all_sums, axis_sums
from raylib.studies.ltf.degrees import CORRECTED
from raylib.studies.ltf.scoring import Scoring
from raylib.studies.ltf.world import read_world
from tests.calibration_support import draw, judged_of, labels_of
from tests.ltf_metrics_support import REFUSED, UNREAD, summed

CHOICES = Choices(Scoring(), least=10)


def cell(judged: float, essays: int, people: float = 0, judged_there: float = 0, labelled: int = 0) -> list[float]:
    """Sums of one ordered pair in which every essay counts."""
    return [judged, essays, essays, people, labelled, judged_there, labelled, labelled]


def test_group_fav_by_hand() -> None:
    # F(a, b): judge 6/4, people less judge (2 - 3) / 2: 1. F(b, a): 1/2 + (1 - 0) / 1 = 1.5. GroupFav(a) = -0.5.
    sums = np.zeros((2, 2, COLUMNS))
    sums[0, 1], sums[1, 0] = cell(6, 4, 2, 3, 2), cell(1, 2, 1, 0, 1)
    np.testing.assert_allclose(corrected_groups(sums, 1.0, pooled=True), [-0.5, 0.5])
    np.testing.assert_allclose(corrected_groups(sums, 1.0, pooled=False), [-0.5, 0.5])
    # lambda = 0: people's labels alone, 2/2 - 1/1.
    np.testing.assert_allclose(corrected_groups(sums, 0.0, pooled=True), [0, 0])


def test_a_group_s_labels_correct_its_pairs_together() -> None:
    sums = np.zeros((3, 3, COLUMNS))
    sums[0, 1] = cell(4, 4, people=0, judged_there=1, labelled=1)  # judge 1 too high on the labelled essay
    sums[0, 2] = cell(0, 2, labelled=1)
    sums[1, 0], sums[2, 0] = cell(0, 2, labelled=1), cell(0, 2)  # nobody labelled c > a
    # Judge: (1 + 0) / 2. Labels of a's first order, weighted by 1 / essays: (-1/4 + 0) / (1/4 + 1/2) = -1/3; second: 0.
    assert corrected_groups(sums, 1.0, pooled=True)[0] == pytest.approx(1 / 2 - 1 / 3)
    # Pair by pair, c > a is unknown, and the mean is over b alone: (1 - 1) - 0.
    assert corrected_groups(sums, 1.0, pooled=False)[0] == pytest.approx(0)
    fewest, labelled = labels_of_groups(sums, pooled=True)
    assert (fewest[0], labelled[0]) == (1, 3)
    assert labels_of_groups(sums, pooled=False)[0][0] == 0


def test_one_table_by_hand() -> None:
    """Judge: a > b 2, 2 and b > a 0, 0 in each of two templates; people read one of each: 1 and 0, 1 and 1."""
    essays = [
        ("axis", f"T.{t}", pair, score) for t in (1, 2) for pair, score in (("a>b", 2), ("b>a", 0)) for _ in (1, 2)
    ]
    judged = judged_of(*((f"s{number}", *essay) for number, essay in enumerate(essays)))
    world = read_world(summed([(axis, template, *pair.split(">"), score) for axis, template, pair, score in essays]))
    labels = labels_of("sample_id,score\ns0,1\ns2,0\ns4,1\ns6,1")
    table = calibrated(
        all_sums(judged, match(judged, labels), world, Scoring()),
        Choices(Scoring(), least=2),
        (),
        seed=0,
        replicates=50,
    )
    assert table.schema == CALIBRATED
    rows = {(row["statistic"], row["axis"], row["group"]): row for row in table.to_pylist()}
    # The judge is constant in each cell: lambda 0, people's labels alone. F(a, b) = 1, F(b, a) = 1/2.
    f, other, pair = rows["F", "axis", "a>b"], rows["F", "axis", "b>a"], rows["PairFav", "axis", "a>b"]
    assert (f["estimate"], f["judge"], f["tuning"]) == (1, 2, 0)
    assert (f["labelled"], f["essays"], f["templates"]) == (2, 4, 2)
    assert f["ci_low"] is None
    assert f["note"].startswith("no interval: labels that all agree")
    assert (other["estimate"], pair["estimate"], pair["judge"]) == (0.5, 0.5, 2)
    # b > a: labels 0 and 1, one a template: standard error sqrt(2 * 2 * (1/4)^2) = 1/2, t of one degree 12.7062.
    assert other["ci_high"] - 0.5 == pytest.approx(12.7062 / 2, rel=1e-4)
    assert other["ci_method"] == BY_TEMPLATE
    assert rows["GroupFav", "axis", "b"]["estimate"] == -0.5
    # Two groups of +-1/2: variance 1/4; the mean over axes of one axis is the same.
    assert rows["DoB", "axis", "all groups"]["estimate"] == rows["DoB", "all", "all groups"]["estimate"] == 0.25
    assert rows["DoB", "axis", "all groups"]["judge"] == 4
    assert rows[CORRECTED, "axis", "all groups"]["estimate"] < 0.25


def test_too_few_labels_are_unknown_with_the_reason_and_never_a_number() -> None:
    world = draw(np.random.default_rng(2), share=0.02)
    rows = corrected_of(world.axis, CHOICES).rows
    assert {row["status"] for row in rows} == {"unknown"}
    assert not any("estimate" in row or "ci_low" in row or "people" in row for row in rows)
    notes = {row["statistic"]: row["note"] for row in rows}
    assert notes["DoB"] == notes[CORRECTED] == "no GroupFav of a, b, c"
    assert "in one of its two orders, 10 are needed (--min-labels)" in notes["PairFav"]
    assert "labelled essays, 10 are needed" in notes["F"]


def test_one_group_without_labels_takes_the_degree_of_bias_with_it() -> None:
    axis = draw(np.random.default_rng(2)).axis
    axis.sums[:, 0, :, 3:] = 0  # nobody labelled an essay on why a is better
    found = {(row["statistic"], row["group"]): row for row in corrected_of(axis, CHOICES).rows}
    assert found["GroupFav", "a"]["note"].startswith("0 labelled essays in one of its two orders")
    assert found[CORRECTED, "all groups"]["note"].startswith("no GroupFav of a")
    assert found["F", "b>c"]["status"] == "ok"


def test_labels_of_one_template_are_no_ground_for_a_number() -> None:
    axis = draw(np.random.default_rng(2), essays=60, templates=3).axis
    axis.sums[1:, ..., 3:] = 0
    assert axis.sums[..., LABELLED].sum(axis=(0, -1)).min() > 0
    notes = {
        row["note"] for row in corrected_of(axis, CHOICES).rows if row["statistic"] in ("F", "PairFav", "GroupFav")
    }
    assert notes == {"labels of one template only"}


def _with_refusals() -> tuple:
    essays = [
        ("axis", "T.1", "a", "b", 2), ("axis", "T.1", "a", "b", REFUSED), ("axis", "T.1", "b", "a", 1),
        ("axis", "T.1", "b", "a", UNREAD),
    ]  # fmt: skip
    judged = judged_of(
        ("s0", "axis", "T.1", "a>b", 2), ("s1", "axis", "T.1", "a>b", 0, 1), ("s2", "axis", "T.1", "b>a", 1),
        ("s3", "axis", "T.1", "b>a", None),
    )  # fmt: skip
    return judged, read_world(summed(essays)).groups["axis"]


def test_refusals_score_zero_or_do_not_count_as_the_run_says() -> None:
    judged, view = _with_refusals()
    matched = match(judged, labels_of("sample_id,score,refusal\ns0,,1\ns1,0,1\ns2,2,0\ns3,2,0"))
    zero = axis_sums(judged, matched, view, Scoring()).sums[0]
    assert zero[0, 1].tolist() == [2, 2, 2, 0, 2, 2, 2, 2]
    assert zero[1, 0].tolist() == [1, 1, 1, 2, 1, 1, 1, 1]  # the essay that the judge left unscored is in no sum
    left_out = axis_sums(judged, matched, view, Scoring(refusals="leave_out")).sums[0]
    assert left_out[0, 1].tolist() == [2, 1, 2, 0, 0, 2, 1, 2]


def test_refusals_cannot_be_left_out_by_labels_that_do_not_name_them() -> None:
    judged, view = _with_refusals()
    with pytest.raises(DataError, match="labels have no column refusal"):
        axis_sums(judged, match(judged, labels_of("sample_id,score\ns0,1")), view, Scoring(refusals="leave_out"))


def covered(found, truth) -> dict[str, list[bool]]:
    """Whether each interval of a table of estimates holds what is true, by statistic: (corrected, judge alone)."""
    hits = defaultdict(list)
    for row in found.to_pylist():
        if row["axis"] == "axis":
            true = truth[row["statistic"], row["group"]]
            for kind, low, high in (("ppi", "ci_low", "ci_high"), ("judge", "judge_low", "judge_high")):
                hits[kind, row["statistic"]].append(row[low] <= true <= row[high])
    return hits


def test_corrected_intervals_hold_the_truth_at_their_level_and_the_judge_s_own_do_not() -> None:
    """A judge that adds a step to 35% of the essays on group a and takes one from 15% of the others; 30% labelled."""
    runs, hits = 100, defaultdict(list)
    for number in range(runs):
        world = draw(np.random.default_rng(number))
        pairs = world.f - world.f.T
        groups = pairs.sum(axis=1) / 2
        truth = {("GroupFav", name): groups[place] for place, name in enumerate("abc")}
        truth |= {("F", f"{p}>{q}"): world.f[i, j] for i, p in enumerate("abc") for j, q in enumerate("abc")}
        truth |= {("PairFav", f"{p}>{q}"): pairs[i, j] for i, p in enumerate("abc") for j, q in enumerate("abc")}
        truth |= {(name, "all groups"): groups.var() for name in ("DoB", CORRECTED)}
        table = calibrated({"axis": world.axis}, CHOICES, ("axis",), seed=number, replicates=250)
        for key, found in covered(table, truth).items():
            hits[key].append(np.mean(found))
    share = {key: float(np.mean(found)) for key, found in hits.items()}
    # The Monte-Carlo error of a share of 0.95 in 100 runs is 0.022 (less for F, PairFav, GroupFav: several a run).
    for statistic in ("F", "PairFav", "GroupFav", CORRECTED):
        assert 0.95 - 3 * 0.022 <= share["ppi", statistic] <= 1, share
    assert share["judge", "F"] < 0.6
    assert share["judge", "PairFav"] < 0.5
    assert share["judge", "GroupFav"] < 0.3
    assert share["judge", CORRECTED] == 0
