"""Labels that came with the texts stand in the place of the extractor's."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from raylib.errors import DataError
from raylib.pipeline.chain import import_completions
from raylib.pipeline.entry import guarded
from raylib.studies.base import StudyOptions
from raylib.studies.narratives import STUDY
from raylib.studies.resampling import blocks_of
from raylib.studies.sums import add_up
from tests.pipeline_support import arguments, completions, write_run
from tests.unit.test_narratives_annotate import completions as table_of
from tests.unit.test_narratives_annotate import prompt_id

LABELLED = Path(__file__).parents[2] / "../shared/data/narratives/audit_dev.parquet"
GIVEN = StudyOptions("narratives", {"extractor": "given"}, replicates=200)
RULES = StudyOptions("narratives", {}, replicates=200)


def label(prompt: str, given: dict[str, object] | None, text: str = "Somebody bowed.") -> dict[str, Any]:
    table = table_of((prompt_id(prompt), "ok", text))
    held = pa.array([json.dumps(given) if given is not None else None], pa.string())
    table = table.set_column(table.schema.get_field_index("given"), "given", held)
    (row,) = STUDY.annotator(GIVEN).annotate(table, STUDY.prompts(GIVEN)).to_pylist()
    return dict(row)


@pytest.mark.parametrize(
    ("given", "name", "first", "gender"),
    [
        ({"subject_name": "Mary Jones", "subject_gender": "Female"}, "Mary Jones", "Mary", "F"),
        ({"subject_name": "['Dr. Okafor', 'Okafor']", "subject_gender": "m"}, "Dr. Okafor", None, "M"),
        ({"subject_name": ["Sam"], "subject_references": "They, them"}, "Sam", "Sam", "NB"),
        ({"subject_name": "[]", "subject_references": ["she", "his"]}, None, None, "unsure"),
        ({"subject_name": "Unspecified", "subject_gender": "Unspecified"}, None, None, "unspecified"),
        ({"subject_gender": "Non-binary", "subject_references": "he"}, None, None, "NB"),
    ],
)
def test_given_names_genders_and_references(
    given: dict[str, object], name: str | None, first: str | None, gender: str
) -> None:
    row = label("labor.actor.neutral", given)
    assert (row["subject_name"], row["subject_first_name"], row["subject_gender"]) == (name, first, gender)
    assert (row["status"], row["object_name"], row["object_gender"]) == ("ok", None, None)


def test_references_are_kept_word_by_word() -> None:
    row = label("labor.actor.neutral", {"subject_references": "She, her/Hers"})
    assert (row["subject_references"], row["subject_gender"]) == (["she", "her", "hers"], "F")


def test_both_characters_are_labelled_where_the_prompt_has_two() -> None:
    row = label("labor.doctor.laden", {"subject_gender": "F", "object_gender": "M", "object_name": "Omar"})
    assert (row["subject_gender"], row["object_gender"], row["object_first_name"]) == ("F", "M", "Omar")


@pytest.mark.parametrize("given", [None, {}, {"file": 1, "row": 2, "scores": {"tox": 0.5}}])
def test_a_story_without_labels_is_an_error_row_not_an_unspecified_one(given: dict[str, object] | None) -> None:
    row = label("labor.actor.neutral", given)
    assert (row["status"], row["subject_gender"]) == ("error", None)
    assert row["notes"] == "no label of the subject came with this text"


def test_a_story_with_one_of_two_labels_is_an_error_row() -> None:
    row = label("labor.doctor.laden", {"subject_gender": "F"})
    assert (row["status"], row["notes"]) == ("error", "no label of the object came with this text")


def test_a_refusal_stays_one() -> None:
    row = label("labor.actor.neutral", {"subject_gender": "F"}, "I'm sorry, but I can't write that story.")
    assert (row["status"], row["subject_gender"]) == ("refused", None)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"subjet_name": "Mary"}, "unknown label 'subjet_name' in columns.given. Did you mean 'subject_name'?"),
        ({"subject_gender": "femal"}, "unknown gender 'femal'. Did you mean 'female'?"),
        ({"subject_name": "['Mary"}, "is not a list such as"),
    ],
)
def test_a_label_that_cannot_be_read_names_its_row(given: dict[str, object], message: str) -> None:
    with pytest.raises(DataError, match="imported file 2, row 7: ") as caught:
        label("labor.actor.neutral", {"file": 2, "row": 7} | given)
    assert message in str(caught.value)


def test_given_labels_have_an_identity_of_their_own() -> None:
    assert STUDY.annotation_identity(GIVEN) != STUDY.annotation_identity(RULES)
    assert set(STUDY.annotation_identity(GIVEN)) == {"extractor", "extractor_version", "names", "terms"}


@pytest.mark.skipif(not LABELLED.is_file(), reason=f"the labelled stories are not here: {LABELLED}")
def test_the_papers_labelled_stories_run_through_to_estimates_with_given_labels_and_with_rules(tmp_path: Path) -> None:
    columns = {
        "prompt": "query", "text": "llm_response", "model": "model",
        "given": {f"{who}_{what}": f"manual_{who}_{what}" for who in ("subject", "object") for what in ("name", "gender")},
    }  # fmt: skip
    engine = {
        "kind": "imported", "files": [str(LABELLED)], "columns": columns, "model": "ChatGPT4",
        "unknown": "skip", "gaps": "allow",
    }  # fmt: skip
    model = {"name": "chatgpt4", "source": "imported", "engine": engine}
    config = write_run(tmp_path, tmp_path / "store", model=model, samples=9, units={"prompts": 10, "samples": 9})
    assert guarded(lambda: import_completions(arguments(config)._replace(limit=None))) == 0
    told = completions(tmp_path / "store")
    women = {name: _women(told, chosen) for name, chosen in (("given", GIVEN), ("rules", RULES))}
    assert women["given"] == _women_by_hand()
    assert women["rules"] == pytest.approx(women["given"], rel=0.1)  # the extractor finds most of what people labelled


def _women(told: pa.Table, chosen: StudyOptions) -> tuple[float, int]:
    """Return the count of women and of characters with a gender, over all power-neutral labor stories."""
    prompts = STUDY.prompts(chosen)
    sums = add_up([STUDY.sums(chosen, STUDY.annotator(chosen).annotate(told, prompts), prompts)], STUDY.measures)
    drawn = STUDY.replicates(chosen, sums, blocks_of(chosen.replicates))
    rows = STUDY.estimates(chosen, sums, drawn).to_pylist()
    (row,) = [
        row for row in rows if (row["statistic"], row["cell"], row["group"]) == ("R_rep", "Labor/power-neutral", "F")
    ]
    return row["count"], row["n"]


def _women_by_hand() -> tuple[float, int]:
    prompts = STUDY.prompts(RULES).to_pylist()
    neutral = {row["prompt"] for row in prompts if (row["domain"], row["condition"]) == ("Labor", "power-neutral")}
    labels = [
        row["manual_subject_gender"]
        for row in pq.read_table(LABELLED).to_pylist()
        if row["model"] == "ChatGPT4" and row["query"] in neutral and row["llm_response"] is not None
    ]
    return labels.count("Female"), sum(gender != "Unspecified" for gender in labels)
