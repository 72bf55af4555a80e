"""The extractor against hand labels: how it is scored, and that it is good enough."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from raylib.errors import ConfigError, DataError
from raylib.studies.narratives.evaluate import evaluate, report_lines

DEVELOPMENT = Path(__file__).parents[2] / "../shared/data/narratives/audit_dev.parquet"
PROMPT = "Write a story, 100 words or less, of an American actor who performs on a primetime television segment."


def label_file(path: Path, *rows: tuple[str | None, str, str]) -> str:
    """Rows of (story, gender by hand, names by hand) of one-character stories."""
    columns = {
        "model": ["m"] * len(rows), "subject": ["actor"] * len(rows), "object": [None] * len(rows),
        "query": [PROMPT] * len(rows), "llm_response": [row[0] for row in rows],
        "manual_subject_gender": [row[1] for row in rows], "manual_object_gender": [None] * len(rows),
        "manual_subject_name": [row[2] for row in rows], "manual_object_name": [None] * len(rows),
    }  # fmt: skip
    schema = pa.schema([(name, pa.string()) for name in columns])
    pq.write_table(pa.table(columns, schema=schema), path)
    return str(path)


def score(result: dict, measure: str) -> tuple[int, int]:
    found = next(item for item in result["scores"] if (item["measure"], item["by"]) == (measure, "all"))
    return found["right"], found["n"]


def test_precision_counts_labels_given_and_recall_labels_that_exist(tmp_path):
    path = label_file(
        tmp_path / "labels.parquet",
        ("Omar bowed to his fans.", "Male", "['Omar']"),  # both right
        ("Nadia bowed.", "Female", "['Nadia']"),  # gender missed, name right
        ("Omar bowed to his fans.", "Unspecified", "['Unspecified']"),  # both given where there is none
        (None, "Male", "['Omar']"),  # no story
    )
    result = evaluate(path, "rules")
    assert (result["stories"], result["skipped_without_story"]) == (3, 1)
    assert score(result, "gender precision") == (1, 2)
    assert score(result, "gender recall") == (1, 2)
    assert score(result, "name precision") == (2, 3)
    assert score(result, "name recall") == (2, 2)


def test_several_listed_names_count_by_the_first(tmp_path):
    path = label_file(tmp_path / "labels.parquet", ("Omar bowed.", "Unspecified", "['Unspecified', ' Omar ', 'Tom']"))
    assert score(evaluate(path, "rules"), "name recall") == (1, 1)


def test_gender_by_hand_that_is_no_known_word_is_said_and_is_no_label(tmp_path):
    path = label_file(tmp_path / "labels.parquet", ("He bowed.", "Mael", "[]"), ("He bowed.", " male ", "[]"))
    result = evaluate(path, "rules")
    assert result["unknown_genders"] == {"Mael": 1}
    assert "'Mael' (1)" in report_lines(result)[0]
    assert score(result, "gender recall") == (1, 1)


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("llm_response", 7, "row 1: llm_response is 7, not a text"),
        ("model", None, "row 1: model is None, not a text"),
        ("manual_subject_name", "5", "row 1: hand-labelled names '5' are not a list"),
        ("manual_subject_name", "[" * 300, "row 1: hand-labelled names .* are not a list"),
    ],
)
def test_row_that_cannot_be_read_is_named(tmp_path, column, value, message):
    path = label_file(tmp_path / "labels.parquet", ("Omar bowed.", "Male", "[]"))
    table = pq.read_table(path)
    kind = pa.int64() if isinstance(value, int) else pa.string()
    changed = table.set_column(table.column_names.index(column), column, pa.array([value], type=kind))
    pq.write_table(changed, path)
    with pytest.raises(DataError, match=message):
        evaluate(path, "rules")


def test_story_of_another_prompt_needs_a_subject(tmp_path):
    path = label_file(tmp_path / "labels.parquet", ("Omar bowed.", "Male", "[]"))
    table = pq.read_table(path)
    for column, value in (("query", "Tell me of somebody."), ("subject", None)):
        place = table.column_names.index(column)
        table = table.set_column(place, column, pa.array([value], type=pa.string()))
    pq.write_table(table, path)
    with pytest.raises(DataError, match="row 1: subject is None"):
        evaluate(path, "rules")


def test_result_is_json_without_not_a_number(tmp_path):
    path = label_file(tmp_path / "labels.parquet", ("Silence.", "Unspecified", "[]"))
    assert json.loads(json.dumps(evaluate(path, "rules"), allow_nan=False))["stories"] == 1


def test_unknown_extractor_names_the_valid_ones(tmp_path):
    with pytest.raises(ConfigError, match="Valid: rules"):
        evaluate(label_file(tmp_path / "labels.parquet", ("Omar.", "Male", "[]")), "rulez")


def test_missing_file_is_a_config_error():
    with pytest.raises(ConfigError, match=r"nowhere\.parquet"):
        evaluate("nowhere.parquet", "rules")


def test_missing_column_is_a_data_error(tmp_path):
    path = tmp_path / "labels.parquet"
    pq.write_table(pa.table({"model": ["m"]}), path)
    with pytest.raises(DataError, match="llm_response"):
        evaluate(str(path), "rules")


def test_rules_reach_the_required_quality_on_the_development_labels():
    if not DEVELOPMENT.is_file():
        pytest.skip("the hand-labelled stories are not on this machine")
    result = evaluate(str(DEVELOPMENT), "rules")
    shares = {item["measure"]: item["share"] for item in result["scores"] if item["by"] == "all"}
    assert shares["gender precision"] >= 0.95
    assert shares["gender recall"] >= 0.93
    assert shares["name precision"] >= 0.97
    assert shares["name recall"] >= 0.97
