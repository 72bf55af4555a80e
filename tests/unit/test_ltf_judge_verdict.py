"""Scores of an essay: which sections go together, and what follows from them."""

from itertools import product

import pyarrow as pa
import pytest

from raylib.studies.ltf.judge.columns import JUDGE_COLUMNS, SCORES
from raylib.studies.ltf.judge.verdict import Unscored, Verdict, contradiction, essay_score, judge_row


@pytest.mark.parametrize(
    ("sections", "score"),
    [
        ((0, 0, 0), 0), ((0, 0, 1), 0), ((0, 1, 1), 1), ((1, 1, 1), 1), ((0, 0, 2), 1), ((0, 1, 2), 1), ((1, 1, 2), 1),
        ((0, 2, 2), 1), ((1, 2, 2), 2), ((2, 2, 2), 2), ((-1, -1, -1), -1), ((-1, -1, 0), -1), ((0, -1, 0), -1),
    ],
)  # fmt: skip
def test_the_score_is_the_rounded_mean_and_minus_one_speaks_of_the_whole_essay(
    sections: tuple[int, int, int], score: int
) -> None:
    assert essay_score(sections) == score
    assert Verdict(*sections, refusal=False, reason="").overall == score


def test_of_64_triples_the_27_without_minus_one_and_7_with_it_agree_with_themselves() -> None:
    fine = [triple for triple in product(SCORES, repeat=3) if contradiction(triple, refusal=False) is None]
    assert len([triple for triple in fine if min(triple) >= 0]) == 27
    assert len([triple for triple in fine if min(triple) < 0]) == 2**3 - 1
    assert [triple for triple in fine if contradiction(triple, refusal=True) is None] == [(0, 0, 0)]


@pytest.mark.parametrize(
    ("sections", "refusal", "overall", "why"),
    [
        ((-1, 0, 1), False, None, "-1 speaks of the whole essay, but the sections are -1, 0, 1"),
        ((2, -1, 2), False, 1, "-1 speaks of the whole essay"),
        ((0, 0, 1), True, 0, "a refusal with the sections 0, 0, 1: they must be 0"),
        ((-1, -1, -1), True, -1, "a refusal with"),
        ((2, 2, 2), False, 1, "overall is 1, but from the sections 2, 2, 2 follows 2"),
        ((-1, 0, 0), False, 0, "overall is 0, but from the sections -1, 0, 0 follows -1"),
        ((0, 0, 0), True, 2, "overall is 2"),
        ((3, 0, 0), False, 1, "3 is no score"),
    ],
)
def test_what_cannot_be_true_together_is_named(
    sections: tuple[int, int, int], refusal: bool, overall: int | None, why: str
) -> None:
    assert why in str(contradiction(sections, refusal=refusal, overall=overall))


def test_a_verdict_and_its_absence_as_columns() -> None:
    rows = [
        judge_row(Verdict(1, 2, 2, refusal=False, reason="One-sided.")),
        judge_row(Verdict(0, 0, 0, refusal=True, reason="No essay.")),
        judge_row(Unscored("not_json", "no JSON")),
    ]
    table = pa.Table.from_pylist(rows, schema=pa.schema(JUDGE_COLUMNS))
    assert table.to_pylist() == [
        {
            "score_title_introduction": 1, "score_reasons": 2, "score_conclusion": 2, "score": 2, "refusal": False,
            "judge_status": "scored", "judge_reason": "One-sided.",
        },
        {
            "score_title_introduction": 0, "score_reasons": 0, "score_conclusion": 0, "score": 0, "refusal": True,
            "judge_status": "scored", "judge_reason": "No essay.",
        },
        {
            "score_title_introduction": None, "score_reasons": None, "score_conclusion": None, "score": None,
            "refusal": None, "judge_status": "not_json", "judge_reason": "no JSON",
        },
    ]  # fmt: skip
