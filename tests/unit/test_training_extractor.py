"""The extractor learns what the study itself would read; a bad file, row or setting ends in one line before anything starts."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from raylib.config.loading import validate
from raylib.errors import ConfigError, DataError, ModelError
from raylib.pipeline.training.plan import plan_training
from raylib.studies.narratives.extraction.asking import question_about
from raylib.studies.narratives.extraction.roles import Roles
from raylib.studies.narratives.training import COLUMNS, ExtractorTrainConfig, extractor_examples
from tests.tiny_llama import write_tiny_llama

pytest.importorskip("transformers")
STORY = "Maria taught Tom, and she smiled at his work."
ROW = {
    "subject": "teacher", "object": "pupil", "query": "A story.", "llm_response": STORY,
    "correct_subject_references": "['she', 'she']", "correct_object_references": "['his']",
    "correct_subject_name": "Maria", "correct_object_name": None,
}  # fmt: skip


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_llama(tmp_path_factory.mktemp("model"))


def config(folder: Path, rows: list[dict[str, Any]], columns: tuple[str, ...] = COLUMNS, **training: Any) -> Any:
    path = folder / "labels.parquet"
    pq.write_table(pa.table({name: pa.array([row[name] for row in rows], pa.string()) for name in columns}), path)
    tree = {
        "run": "x", "store": str(folder / "store"), "data": {"file": str(path), "held_out": 0.25},
        "model": {"name": "tiny", "source": str(folder / "model"), "engine": {"kind": "vllm"}},
        "training": {"steps": 2, "batch": 2, **training}, "resources": {"workers": [1, 2]},
    }  # fmt: skip
    return validate(tree, ExtractorTrainConfig, "test")


def test_an_example_asks_as_the_study_asks_and_answers_as_it_reads(tmp_path: Path) -> None:
    found = extractor_examples(config(tmp_path, [ROW] * 4))
    assert (len(found.examples), len(found.held_out), found.facts["rows"]) == (3, 1, 4)
    (one,) = found.held_out
    place = one.name.removeprefix("labels.parquet, row ")
    assert one.messages == question_about(STORY, Roles("teacher", "pupil"), f"train{place}").messages
    assert json.loads(one.answer) == {
        "subject": {"name": "Maria", "references": ["she"]},
        "object": {"name": "Unspecified", "references": ["his"]},
    }


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"correct_subject_name": "Ann"}, "row 1: the label is none that this study reads .*name is not in the story"),
        ({"correct_subject_references": "she"}, "row 1: correct_subject_references 'she' is no list"),
        ({"llm_response": " "}, "row 1: llm_response is empty"),
    ],
)
def test_a_label_that_the_study_does_not_read_is_told_by_its_row(
    tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    with pytest.raises(DataError, match=said):
        extractor_examples(config(tmp_path, [ROW | change]))


def test_no_rows_a_missing_column_and_a_missing_file_are_told(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no rows: the training set is empty"):
        extractor_examples(config(tmp_path, []))
    with pytest.raises(DataError, match=r"lacks the columns object, .*; it has subject"):
        extractor_examples(config(tmp_path, [ROW], columns=("subject",)))
    wanted = config(tmp_path, [ROW])
    (tmp_path / "labels.parquet").unlink()
    with pytest.raises(ConfigError, match=r"cannot be read: No such file or directory; --set data\.file=PATH"):
        extractor_examples(wanted)


def planned(folder: Path, model: Path, rows: int = 4, **training: Any) -> Any:
    (folder / "model").symlink_to(model)
    asked = config(folder, [ROW] * rows, **training)
    return asked, extractor_examples(asked)


def test_what_does_not_fit_is_told_before_anything_starts(tmp_path: Path, model: Path) -> None:
    asked, examples = planned(tmp_path, model, max_length=100)
    with pytest.raises(DataError, match=r"labels\.parquet, row \d: \d+ tokens of prompt and \d+ of answer, 100 fit"):
        plan_training(asked, examples)
    too_long = asked.model_copy(update={"training": asked.training.model_copy(update={"max_length": 5000})})
    with pytest.raises(ConfigError, match=r"max_length is 5000, but tiny has a context of \d+ tokens: --set training"):
        plan_training(too_long, examples)
    with pytest.raises(DataError, match="the training set is empty"):
        plan_training(asked, type(examples)(()))
    (tmp_path / "model").unlink()
    with pytest.raises(ModelError, match="there is no model folder"):
        plan_training(asked, examples)


def test_workers_and_accumulation_are_no_part_of_an_adapters_identity(tmp_path: Path, model: Path) -> None:
    asked, examples = planned(tmp_path, model, max_length=4096)
    base = plan_training(asked, examples).fingerprint

    def other(section: str, **change: Any) -> str:
        part = getattr(asked, section).model_copy(update=change)
        return plan_training(asked.model_copy(update={section: part}), examples).fingerprint

    assert other("resources", workers=(1, 1)) == other("training", micro_batch=2, zero_stage=3) == base
    assert len({base, other("training", seed=1), other("training", learning_rate=1e-3), other("lora", rank=4)}) == 4


def test_lengths_and_workers_that_cannot_be_are_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="give epochs or steps, one of the two"):
        config(tmp_path, [ROW], epochs=1)
    with pytest.raises(ConfigError, match=r"training\.batch 3 does not divide by 2 workers"):
        config(tmp_path, [ROW], batch=3)
