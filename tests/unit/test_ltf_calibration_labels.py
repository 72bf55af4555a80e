"""Labels of people: what a file may hold, and one line with row and value for what it may not."""

import pyarrow as pa
import pytest

from raylib.errors import DataError
from raylib.imported.files import RawFile
from raylib.studies.ltf.calibration.labels import LABELS, join_labels, read_labels
from tests.calibration_support import labels_of, raw_file

HEAD = "sample_id,title_introduction,reasons,conclusion,refusal"


def rows_of(text: str) -> list[dict[str, object]]:
    return labels_of(text).rows.to_pylist()


def test_sections_give_the_score_as_a_judge_s_sections_do() -> None:
    (row,) = rows_of(f"{HEAD}\ns1,2,1,2,0")
    assert row == {
        "sample_id": "s1", "annotator": "ann", "title_introduction": 2, "reasons": 1, "conclusion": 2, "score": 2,
        "refusal": False,
    }  # fmt: skip


def test_the_score_alone_is_enough() -> None:
    (row,) = rows_of("sample_id,score\ns1,-1")
    assert (row["score"], row["reasons"], row["refusal"]) == (-1, None, None)


@pytest.mark.parametrize("minus", ["-1", "-1.0", " -1 ", "\N{MINUS SIGN}1"])
def test_a_score_may_be_written_as_spreadsheets_write_it(minus: str) -> None:
    assert rows_of(f"sample_id,score\ns1,{minus}")[0]["score"] == -1


def test_a_refusal_needs_no_scores() -> None:
    (row,) = rows_of(f"{HEAD}\ns1,,,,1")
    assert (row["reasons"], row["score"], row["refusal"]) == (0, 0, True)


def test_rows_that_nobody_filled_in_are_counted() -> None:
    labels = labels_of(f"{HEAD}\ns1,,,,\ns2,1,1,1,0\ns3,,,,")
    assert (labels.empty, labels.rows["sample_id"].to_pylist()) == (2, ["s2"])


def test_the_same_label_twice_is_counted_once() -> None:
    labels = labels_of("sample_id,score\ns1,1\ns1,1")
    assert (labels.repeated, labels.rows.num_rows) == (1, 1)


def test_other_columns_are_ignored_and_named() -> None:
    labels = labels_of("question,sample_id,score,mood\nwhy,s1,1,good")
    assert labels.notes == ("ann.csv: columns ignored: question, mood",)


def test_an_annotator_column_names_who_labelled() -> None:
    labels = labels_of("sample_id,annotator,score\ns1,ann,1\ns1,bob,2")
    assert labels.annotators == ("ann", "bob")
    assert labels.rows.schema == LABELS


def test_parquet_with_numbers_and_nulls_is_read_alike() -> None:
    table = pa.table({"sample_id": ["s1", "s2"], "score": [2, None], "refusal": [False, None]})
    rows = list(enumerate(table.to_pylist(), start=1))
    labels = read_labels(RawFile("l.parquet", "row", tuple(table.column_names), rows), "ann")
    assert (labels.empty, labels.rows["score"].to_pylist(), labels.rows["refusal"].to_pylist()) == (1, [2], [False])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sample;score\ns1;1", r"no column sample_id; it has sample;score. Save as CSV with commas"),
        ("id,score\ns1,1", r"no column sample_id.*it has id, score"),
        ("sample_id,mood\ns1,1", "no labels: give the columns title_introduction, reasons, conclusion, or score"),
        ("sample_id,scores\ns1,1", r"or score \(is it 'scores'\?\)"),
        ("sample_id,title_introduction,reason,conclusion\ns1,1,1,1", r"no column reasons \(is it 'reason'\?\)"),
        (f"{HEAD}\ns1,1,1,1,0\ns2,1,3,1,0", r"ann.csv, line 3: reasons is '3': write one of -1, 0, 1, 2"),
        (f"{HEAD}\ns1,1,1.5,1,0", "line 2: reasons is '1.5'"),
        (f"{HEAD}\ns1,1,good,1,0", "line 2: reasons is 'good'"),
        (f"{HEAD}\ns1,1,,1,0", "line 2: reasons is '': write one of"),
        (f"{HEAD}\ns1,1,1,1,", "line 2: refusal is '': write 0 or 1"),
        (f"{HEAD}\ns1,1,1,1,2", "line 2: refusal is '2': write 0 or 1"),
        (f"{HEAD}\ns1,1,1,1,no", "line 2: refusal is 'no'"),
        (f"{HEAD}\ns1,-1,1,0,0", "line 2: essay 's1': -1 speaks of the whole essay, but the sections are -1, 1, 0"),
        (f"{HEAD}\ns1,0,1,0,1", "line 2: essay 's1': a refusal with the sections 0, 1, 0"),
        ("sample_id,score,refusal\ns1,2,1", "a refusal with the score 2: it must be 0"),
        (f"{HEAD},score\ns1,2,2,2,0,1", "overall is 1, but from the sections 2, 2, 2 follows 2"),
        (f"{HEAD}\n,1,1,1,0", "line 2: sample_id is empty"),
        ("sample_id,annotator,score\ns1,,1", "line 2: annotator is empty: write who"),
        ("sample_id,score\ns1,1\ns1,2", "line 3: essay 's1' has other labels by 'ann' in line 2; keep one"),
        ("sample_id,score\ns1,nan", "line 2: score is 'nan'"),
        ("sample_id,score\ns1,inf", "line 2: score is 'inf'"),
        ("sample_id,score\ns1,1,1", "3 cells, the header has 2"),
        ("sample_id,score,score\ns1,1,1", "names column 'score' twice"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_one_line_with_row_and_value(text: str, said: str) -> None:
    with pytest.raises(DataError, match=said) as error:
        read_labels(raw_file(text), "ann")
    assert "\n" not in str(error.value)


def test_one_annotator_may_not_label_an_essay_in_two_files() -> None:
    with pytest.raises(DataError, match=r"essay 's1' by annotator 'ann' is in two files: .* a column annotator"):
        join_labels([labels_of("sample_id,score\ns1,1"), labels_of("sample_id,score\ns1,1")])


def test_files_of_two_people_are_one_table() -> None:
    labels = join_labels([labels_of("sample_id,score\ns1,1"), labels_of("sample_id,score\ns1,\ns2,2", "bob.csv")])
    assert (labels.annotators, labels.rows.num_rows, labels.empty) == (("ann", "bob"), 2, 1)


@pytest.mark.parametrize("other", ["Ann", "ANN"])
def test_one_annotator_written_in_two_ways_is_not_two_who_agree(other: str) -> None:
    labels = labels_of(f"sample_id,annotator,score\ns1,ann,1\ns1,{other},1")
    with pytest.raises(DataError, match=f"annotators '{other}' and 'ann': is it one person"):
        join_labels([labels])
