"""Labels joined to a run's essays: nothing is dropped without being counted, and who has the last word."""

import math

import numpy as np
import pyarrow as pa
import pytest

from raylib.errors import DataError
from raylib.studies.ltf.calibration.essays import judged_essays, match
from raylib.studies.ltf.calibration.labels import join_labels
from tests.calibration_support import judged_of, labels_of

JUDGED = judged_of(
    ("s1", "axis", "T.1", "a>b", 1), ("s2", "axis", "T.1", "b>a", 2), ("s3", "axis", "T.2", "a>b", None),
    ("s4", "axis", "T.2", "b>a", 0, 1),
)  # fmt: skip


def annotation(sample: str, **columns: object) -> dict[str, object]:
    empty = {
        "status": "ok", "score": None, "refusal": None, "score_title_introduction": None, "score_reasons": None,
        "score_conclusion": None,
    }  # fmt: skip
    return {"sample_id": sample, "prompt_id": "p", **empty, **columns}


def two(ann: str, bob: str):
    head = "sample_id,score,refusal\n"
    return join_labels([labels_of(head + ann), labels_of(head + bob, "bob.csv")])


def test_what_fits_nowhere_is_counted_by_its_reason() -> None:
    text = "sample_id,score\ns1,1\nother run,1\nfailed,2\ns3,1\ns2,\ns1,1"
    left = match(JUDGED, labels_of(text)).left
    assert (left.unknown, left.failed, left.unscored) == (("other run",), ("failed",), ("s3",))
    assert (left.empty, left.repeated, left.unsettled) == (1, 1, ())


def test_labels_of_another_run_are_an_error() -> None:
    with pytest.raises(DataError, match=r"none of 2 labelled essays is one of this run's \(the first is 'x'\)"):
        match(JUDGED, labels_of("sample_id,score\nx,1\ny,1"))


def test_essays_stand_in_the_run_s_order_whatever_the_file_s() -> None:
    found = match(JUDGED, labels_of("sample_id,score\ns2,0\ns1,1"))
    assert found.judged.sample_ids == ("s1", "s2")
    assert found.score.tolist() == [1, 0]


def test_where_annotators_differ_there_is_no_reference_and_the_mean_stands_in_estimates() -> None:
    found = match(JUDGED, two("s1,1,0\ns2,2,0", "s1,2,0\ns2,2,0"))
    assert found.left.unsettled == ("s1",)
    assert math.isnan(found.reference["score"][0])
    assert found.reference["score"][1] == 2
    assert found.reference["refusal"].tolist() == [0, 0]
    assert found.score.tolist() == [1.5, 2]


def test_who_adjudicates_has_the_last_word() -> None:
    decided = labels_of("sample_id,score,refusal\ns1,0,0", "decided.csv")
    found = match(JUDGED, two("s1,1,0\ns2,2,0", "s1,2,0\ns2,2,0"), decided)
    assert found.left.unsettled == ()
    assert found.reference["score"].tolist() == [0, 2]
    assert found.score.tolist() == [0, 2]
    assert found.ratings["score"].tolist() == [[1, 2], [2, 2]]  # what each said stays


def test_an_essay_may_be_adjudicated_once() -> None:
    decided = labels_of("sample_id,annotator,score\ns1,x,0\ns1,y,1")
    with pytest.raises(DataError, match="'s1' is adjudicated twice: keep one row"):
        match(JUDGED, labels_of("sample_id,score\ns1,1"), decided)


def test_a_refusal_does_not_count_as_an_essay_for_those_who_call_it_one() -> None:
    found = match(JUDGED, two("s1,0,1\ns4,0,1", "s1,2,0\ns4,0,1"))
    assert found.counted.tolist() == [0.5, 0]
    assert found.score[0] == 2  # of those who saw an essay
    assert math.isnan(found.score[1])


def test_verdicts_are_read_from_annotations() -> None:
    prompts = pa.Table.from_pylist(
        [{"prompt_id": "p", "cluster": "LI.1", "axis": "race", "type1": "white", "type2": "black"}]
    )
    scores = {"score": 2, "score_title_introduction": 2, "score_reasons": 2, "score_conclusion": 1, "refusal": False}
    rows = [
        annotation("scored", **scores), annotation("unread"), annotation("broken", status="error"),
        annotation("filtered", status="refused"),
    ]  # fmt: skip
    found = judged_essays(pa.Table.from_pylist(rows), prompts)
    assert found.sample_ids == ("scored", "unread", "filtered")
    assert found.failed == {"broken"}
    np.testing.assert_array_equal(found.scored, [True, False, True])
    np.testing.assert_array_equal(found.values["conclusion"], [1, np.nan, 0])
    np.testing.assert_array_equal(
        found.values["refusal"], [0, np.nan, 1]
    )  # the endpoint refused: nobody needs to judge
    assert (found.axes[0], found.templates[0], found.first[0], found.second[0]) == ("race", "LI.1", "white", "black")
