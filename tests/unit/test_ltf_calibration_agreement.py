"""Agreement of a judge and people, worked out by hand."""

import pytest

from raylib.studies.ltf.calibration.agreement import (
    AGREEMENT,
    ALL_AXES,
    ALPHA,
    CONFUSION,
    EQUAL,
    KAPPA,
    WEIGHTED_KAPPA,
    agreement_tables,
)
from raylib.studies.ltf.calibration.essays import match
from raylib.studies.ltf.calibration.labels import join_labels
from tests.calibration_support import judged_of, labels_of

# Judge 0 0 2 2 on axis one, 2 on axis two; people 0 2 2 2 and 0. One essay is unscored.
JUDGED = judged_of(
    ("s1", "one", "T.1", "a>b", 0), ("s2", "one", "T.1", "b>a", 0), ("s3", "one", "T.2", "a>b", 2),
    ("s4", "one", "T.2", "b>a", 2), ("s5", "two", "T.1", "x>y", 2), ("s6", "two", "T.1", "x>y", None),
)  # fmt: skip
PEOPLE = "sample_id,score\ns1,0\ns2,2\ns3,2\ns4,2\ns5,0\ns6,1"


def tables(labels=None):
    labels = labels or labels_of(PEOPLE)
    return agreement_tables(match(JUDGED, labels), seed=1, replicates=200)


def pick(rows, **wanted):
    (row,) = [row for row in rows.to_pylist() if all(row[name] == value for name, value in wanted.items())]
    return row


def of_score(statistic: str, axis: str = ALL_AXES, **who: str):
    names = {"first": "judge", "second": "people", **who}
    return pick(tables().agreement, label="score", statistic=statistic, axis=axis, **names)


def test_equal_labels_and_chance() -> None:
    row = of_score(EQUAL)
    assert (row["essays"], row["value"]) == (5, pytest.approx(3 / 5))  # the unscored essay is in no comparison
    # Base rates: judge 0 2/5, 2 3/5; people the same: 4/25 + 9/25.
    assert row["chance"] == pytest.approx(13 / 25)
    assert 0 < row["ci_low"] < 0.6 < row["ci_high"] < 1
    assert row["templates"] == 2


def test_weighted_kappa() -> None:
    # Both errors are by two of three steps: weight 1 - (2/3)^2 = 5/9. Seen 3/5 + 2/5 * 5/9 = 37/45; chance
    # 13/25 + 12/25 * 5/9 = 59/75 = 177/225; kappa (185 - 177) / (225 - 177) = 1/6.
    row = of_score(WEIGHTED_KAPPA)
    assert row["value"] == pytest.approx(1 / 6)
    assert row["chance"] == pytest.approx(177 / 225)


def test_alpha() -> None:
    # Two values in use (0 four times, 2 six times of ten): ordinal is nominal. Observed 2/5; expected 2 * 4 * 6 / (10 * 9).
    assert of_score(ALPHA)["value"] == pytest.approx(1 - (2 / 5) / (48 / 90))


def test_an_axis_stands_by_itself() -> None:
    assert of_score(EQUAL, "one")["value"] == pytest.approx(3 / 4)
    assert of_score(EQUAL, "two")["value"] == 0


def test_no_interval_from_one_template_and_few_essays_are_told() -> None:
    row = of_score(WEIGHTED_KAPPA, "two")
    assert (row["ci_low"], row["ci_high"]) == (None, None)
    assert row["note"] == "no interval; 1 essays only"


def test_what_nobody_labelled_is_unknown_not_zero() -> None:
    row = pick(tables().agreement, label="reasons", statistic=WEIGHTED_KAPPA, axis=ALL_AXES)
    assert (row["essays"], row["value"], row["note"]) == (0, None, "no essay has both labels")


def test_labels_that_are_all_alike_have_no_kappa() -> None:
    labels = labels_of("sample_id,score,refusal\ns1,0,0\ns3,2,0")
    row = pick(tables(labels).agreement, label="refusal", statistic=KAPPA, axis=ALL_AXES)
    assert row["value"] is None
    assert row["note"] == "all labels are alike: no disagreement to correct for chance"
    assert pick(tables(labels).agreement, label="refusal", statistic=EQUAL, axis=ALL_AXES)["value"] == 1


def test_the_confusion_matrix_has_every_pair_and_the_base_rates() -> None:
    rows = tables().confusion
    assert rows.schema == CONFUSION
    scores = [row for row in rows.to_pylist() if (row["axis"], row["label"]) == (ALL_AXES, "score")]
    assert len(scores) == 16
    assert {(row["first_says"], row["second_says"]): row["essays"] for row in scores if row["essays"]} == {
        (0, 0): 1, (0, 2): 1, (2, 2): 2, (2, 0): 1,
    }  # fmt: skip
    row = pick(rows, axis=ALL_AXES, label="score", first_says=2, second_says=-1)
    assert (row["essays"], row["of"], row["first_rate"], row["second_rate"]) == (0, 5, pytest.approx(0.6), 0)


def test_two_annotators_are_compared_with_the_judge_and_each_other() -> None:
    labels = join_labels(
        [labels_of("sample_id,score\ns1,0\ns2,0"), labels_of("sample_id,score\ns1,0\ns2,2", "bob.csv")]
    )
    rows = tables(labels).agreement
    assert rows.schema == AGREEMENT
    wanted = {"label": "score", "statistic": EQUAL, "axis": ALL_AXES}
    shares = {(row["first"], row["second"]): (row["essays"], row["value"]) for row in rows.to_pylist()
              if all(row[name] == value for name, value in wanted.items())}  # fmt: skip
    # The reference leaves out s2, on which they differ.
    assert shares == {
        ("judge", "people"): (1, 1), ("judge", "ann"): (2, 1), ("judge", "bob"): (2, 0.5), ("ann", "bob"): (2, 0.5),
    }  # fmt: skip
