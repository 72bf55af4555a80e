"""Several judges as one, and how well they agree."""

import math

import krippendorff
import numpy as np
import pyarrow as pa
import pytest

from raylib.errors import DataError
from raylib.studies.ltf.judge.agreement import judges_agreement, status_counts
from raylib.studies.ltf.judge.columns import JUDGE_COLUMNS, JUDGE_STATUSES
from raylib.studies.ltf.judge.combine import COMBINED, combine
from raylib.studies.ltf.judge.verdict import Unscored, Verdict, judge_row

Found = Verdict | Unscored
NONE = Unscored("not_json", "no JSON")
REFUSAL = Verdict(0, 0, 0, refusal=True, reason="")


def essay(*sections: int) -> Verdict:
    first, second, third = sections if len(sections) == 3 else sections * 3
    return Verdict(first, second, third, refusal=False, reason="")


def judge(*found: Found) -> pa.Table:
    rows = [{"sample_id": f"s{place}"} | judge_row(item) for place, item in enumerate(found)]
    return pa.Table.from_pylist(rows, schema=pa.schema([pa.field("sample_id", pa.string()), *JUDGE_COLUMNS]))


def one(how: str, *found: Found) -> dict[str, object]:
    """Return the row of one essay that several judges scored."""
    table = combine({f"j{place}": judge(item) for place, item in enumerate(found)}, how)  # type: ignore[arg-type]
    assert table.schema.equals(COMBINED)
    (row,) = table.to_pylist()
    return row


def sections(row: dict[str, object]) -> list[object]:
    return [row[f"score_{name}"] for name in ("title_introduction", "reasons", "conclusion")]


def test_the_majority_decides_the_score_and_each_section() -> None:
    row = one("majority", essay(2, 2, 2), essay(1, 2, 2), essay(1, 1, 1))
    assert (row["score"], row["judge_status"], row["refusal"]) == (2, "scored", False)
    assert sections(row) == [1, 2, 2]
    assert row["score_mean"] == pytest.approx(5 / 3)
    assert (row["judges_scored"], row["judge_reason"]) == (3, "j0: 2; j1: 2; j2: 1")


def test_a_score_that_all_judges_give_stands_although_their_sections_add_up_to_another() -> None:
    row = one("majority", essay(2, 2, 0), essay(2, 0, 2), essay(0, 2, 2))
    assert row["score"] == 1
    assert sections(row) == [2, 2, 2]


def test_a_section_without_a_majority_is_null_beside_a_score_that_has_one() -> None:
    row = one("majority", essay(0, 1, 2), essay(1, 1, 1), essay(2, 1, 1))
    assert row["score"] == 1
    assert sections(row) == [None, 1, 1]


@pytest.mark.parametrize(
    "found",
    [(essay(1), essay(2)), (essay(0), essay(1), essay(2)), (essay(0), essay(0), essay(2), essay(2)), (essay(0), essay(1), NONE)],
)  # fmt: skip
def test_a_tie_is_unscored_and_its_mean_is_kept(found: tuple[Found, ...]) -> None:
    row = one("majority", *found)
    assert (row["judge_status"], row["score"], row["refusal"]) == ("judges_disagree", None, None)
    assert sections(row) == [None, None, None]
    scores = [item.overall for item in found if isinstance(item, Verdict)]
    assert row["score_mean"] == pytest.approx(sum(scores) / len(scores))


@pytest.mark.parametrize(
    ("scores", "mean"),
    [((2, 2, 1), 2), ((2, 1, 1), 1), ((1, 2), 1), ((0, 1), 0), ((-1, 0), 0), ((-1, -1, 0), -1), ((-1, 2), 0), ((2, 2, 1, 1), 1)],
)  # fmt: skip
def test_the_mean_is_rounded_with_halves_towards_zero(scores: tuple[int, ...], mean: int) -> None:
    row = one("mean", *(essay(score) for score in scores))
    assert (row["score"], sections(row)) == (mean, [mean] * 3)
    assert row["score_mean"] == pytest.approx(sum(scores) / len(scores))


@pytest.mark.parametrize("how", ["majority", "mean"])
def test_most_of_the_judges_must_have_scored_an_essay(how: str) -> None:
    row = one(how, essay(2), NONE, Unscored("no_answer", ""))
    assert (row["judge_status"], row["score"], row["score_mean"], row["judges_scored"]) == (
        "too_few_judges",
        None,
        None,
        1,
    )
    assert row["judge_reason"] == "j0: 2; j1: not_json; j2: no_answer"
    assert one(how, essay(2), NONE)["judge_status"] == "too_few_judges"
    assert one(how, essay(2), essay(2), NONE)["score"] == 2


@pytest.mark.parametrize("how", ["majority", "mean"])
def test_a_reason_that_all_judges_share_stays(how: str) -> None:
    empty = Unscored("empty", "the text is empty")
    assert one(how, empty, empty)["judge_status"] == "empty"


@pytest.mark.parametrize("how", ["majority", "mean"])
def test_a_refusal_is_what_more_than_half_call_one_and_scores_zero(how: str) -> None:
    row = one(how, REFUSAL, REFUSAL, essay(2))
    assert (row["refusal"], row["score"], sections(row)) == (True, 0, [0, 0, 0])
    row = one(how, REFUSAL, essay(0))
    assert (row["refusal"], row["score"]) == (False, 0)


def test_essays_keep_the_order_of_the_first_judge() -> None:
    first, second = judge(essay(2), essay(1), essay(0)), judge(essay(2), essay(1), essay(0))
    table = combine({"a": first.take([2, 0, 1]), "b": second}, "mean")
    assert table["sample_id"].to_pylist() == ["s2", "s0", "s1"]
    assert table["score"].to_pylist() == [0, 2, 1]


def test_no_essays_are_no_rows() -> None:
    assert combine({"a": judge(), "b": judge()}, "majority").num_rows == 0
    assert all(value is None for value in judges_agreement({"a": judge(), "b": judge()})["value"].to_pylist())


BROKEN = judge(essay(2)).set_column(4, "score", pa.array([None], pa.int8()))


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({}, "several judges are needed, found 0"),
        ({"a": judge(essay(2))}, "several judges are needed, found 1"),
        ({"a": judge(essay(2)), "b": judge(essay(2), essay(1))}, "judge a lacks essay s1, which b has"),
        ({"a": judge(essay(2), essay(1)), "b": judge(essay(2))}, "judge b lacks essay s1, which a has"),
        ({"a": judge(essay(2)), "b": judge(essay(2)).take([0, 0])}, "judge b: essay s0 stands there twice"),
        (
            {"a": judge(essay(2)), "b": judge(essay(2)).drop_columns("refusal")},
            "judge b: its table has no column refusal",
        ),
        ({"a": judge(essay(2)), "b": BROKEN}, "judge b: essay s0 is scored, but its score is null"),
        (
            {"a": judge(essay(2)), "b": judge(essay(2)).set_column(4, "score", pa.array([3], pa.int8()))},
            "judge b: essay s0 is scored, but its score is 3",
        ),
        (
            {"a": judge(NONE), "b": judge(NONE).set_column(4, "score", pa.array([0], pa.int8()))},
            "judge b: essay s0 is not_json, but its score is 0",
        ),
    ],
)
def test_tables_that_do_not_fit_are_named(tables: dict[str, pa.Table], message: str) -> None:
    with pytest.raises(DataError, match=message):
        combine(tables, "mean")
    with pytest.raises(DataError, match=message):
        judges_agreement(tables)


def by(table: pa.Table, measure: str, statistic: str, *judges: str) -> dict[str, object]:
    key = [measure, statistic, list(judges)]
    (row,) = [row for row in table.to_pylist() if [row["measure"], row["statistic"], row["judges"]] == key]
    return row


def test_agreement_of_three_judges_is_what_other_programs_say() -> None:
    scores = [[2, 2, 1], [0, 0, 0], [1, 2, 1], [-1, -1, 0], [0, 1, None], [2, 2, 2], [None, None, 1]]
    tables = {
        name: judge(*(NONE if row[place] is None else essay(row[place]) for row in scores))
        for place, name in enumerate("abc")
    }
    table = judges_agreement(tables, replicates=100)
    alpha = by(table, "score", "Krippendorff's alpha", "a", "b", "c")
    data = np.array([[math.nan if value is None else value for value in row] for row in scores]).T
    wanted = krippendorff.alpha(data, level_of_measurement="ordinal")
    assert (alpha["value"], alpha["essays"]) == (pytest.approx(wanted), 6)
    assert alpha["ci_low"] <= alpha["value"] <= alpha["ci_high"]  # type: ignore[operator]
    share = by(table, "score", "agreement", "a", "c")
    assert (share["value"], share["essays"]) == (pytest.approx(3 / 5), 5)
    # a: 2, 0, 1, -1, 0, 2 and b: 2, 0, 2, -1, 1, 2. Mean squared distance: 2/6 seen, by chance
    # E(a^2) + E(b^2) - 2 E(a) E(b) = 10/6 + 14/6 - 2 * 4/6 * 6/6 = 16/6. Kappa = 1 - (2/6) / (16/6) = 7/8.
    assert by(table, "score", "Cohen's kappa", "a", "b")["value"] == pytest.approx(7 / 8)


def test_refusals_are_compared_by_name_and_equal_judges_have_nothing_to_correct() -> None:
    tables = {"a": judge(REFUSAL, essay(0)), "b": judge(REFUSAL, REFUSAL)}
    table = judges_agreement(tables, replicates=100)
    assert by(table, "refusal", "agreement", "a", "b")["value"] == 0.5
    assert by(table, "score", "agreement", "a", "b")["value"] == 1
    assert by(table, "score", "Cohen's kappa", "a", "b")["value"] is None
    assert by(table, "score", "Krippendorff's alpha", "a", "b")["value"] is None


def test_clusters_must_fit_the_essays() -> None:
    tables = {"a": judge(essay(2), essay(1)), "b": judge(essay(2), essay(0))}
    with pytest.raises(DataError, match="clusters has shape"):
        judges_agreement(tables, clusters=["t1"])
    table = judges_agreement(tables, clusters=["t1", "t1"], replicates=100)
    assert by(table, "score", "Krippendorff's alpha", "a", "b")["ci_low"] is None  # one cluster


def test_every_status_is_counted() -> None:
    counts = status_counts(judge(essay(2), essay(0), NONE, REFUSAL))
    assert list(counts) == list(JUDGE_STATUSES)
    assert {status: count for status, count in counts.items() if count} == {"scored": 3, "not_json": 1}
