"""Hand-labelled stories as examples for the labelling model: asked as `extraction.asking` asks, answered as it is read.

The published set has 150 stories with the names and words that people found (`extractor_train.parquet`).
"""

import ast
import hashlib
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import Field

from raylib.config.base import Frozen
from raylib.config.training import TrainConfig
from raylib.errors import ConfigError, DataError
from raylib.studies.narratives.evaluate import roles_of
from raylib.studies.narratives.extraction.asking import asking_identity, question_about
from raylib.studies.narratives.extraction.reply import read_reply
from raylib.studies.narratives.extraction.roles import Roles
from raylib.studies.replies import UnreadableReplyError
from raylib.training.examples import Example
from raylib.training.order import held_out_places
from raylib.training.training_set import TrainingSet

COLUMNS = (
    "subject", "object", "query", "llm_response", "correct_subject_references", "correct_object_references",
    "correct_subject_name", "correct_object_name",
)  # fmt: skip


class ExtractorData(Frozen):
    """Where the stories come from."""

    file: str = Field(description="Parquet file of stories with hand labels, in the published set's columns.")
    held_out: float = Field(0.1, ge=0, lt=1, description="Share of rows that only measure the loss.")
    limit: int | None = Field(None, ge=1, description="Use the first rows only.")


class ExtractorTrainConfig(TrainConfig):
    """The training of the narratives study's labelling model."""

    data: ExtractorData


def extractor_examples(config: ExtractorTrainConfig) -> TrainingSet:
    """Return the stories of the file as examples; some are held out, drawn by the training's seed.

    Raises:
        ConfigError: the file cannot be read.
        DataError: a column is missing, there is no row, or a label is none that the study reads (names the row).
    """
    path = Path(config.data.file).expanduser()
    data = _bytes(path)
    table = _table(data, path)
    rows = table.slice(0, config.data.limit).to_pylist() if config.data.limit else table.to_pylist()
    if not rows:
        raise DataError(f"data.file {path} holds no rows: the training set is empty; give a file with labelled stories")
    examples = [_example(row, f"{path.name}, row {place}", place) for place, row in enumerate(rows, start=1)]
    held = held_out_places(len(examples), config.data.held_out, config.training.seed)
    return TrainingSet(
        tuple(one for place, one in enumerate(examples) if place not in held),
        tuple(one for place, one in enumerate(examples) if place in held),
        {"file": path.name, "sha256": hashlib.sha256(data).hexdigest(), "rows": len(rows), "asking": asking_identity()},
    )


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(f"data.file {path} cannot be read: {error.strerror}; --set data.file=PATH") from None


def _table(data: bytes, path: Path) -> pa.Table:
    try:
        table = pq.read_table(pa.BufferReader(data))
    except (pa.ArrowInvalid, OSError) as error:
        raise ConfigError(f"data.file {path} is no Parquet file: {' '.join(str(error).split())}") from None
    missing = [name for name in COLUMNS if name not in table.column_names]
    if missing:
        raise DataError(
            f"data.file {path} lacks the columns {', '.join(missing)}; it has {', '.join(table.column_names)}"
        )
    return table.select(list(COLUMNS))


def _example(row: dict[str, Any], name: str, place: int) -> Example:
    story = row["llm_response"]
    if not isinstance(story, str) or not story.strip():
        raise DataError(f"{name}: llm_response is empty; drop the row")
    roles = roles_of(row)
    characters = ["subject", "object"] if roles.object is not None else ["subject"]
    answer = json.dumps({which: _character(row, which, name) for which in characters}, ensure_ascii=False)
    _check(answer, story, roles, name)
    return Example(name, question_about(story, roles, f"train{place}").messages, answer)


def _check(answer: str, story: str, roles: Roles, name: str) -> None:
    """Refuse to teach an answer that the study itself would not read."""
    try:
        read_reply(answer, story, roles)
    except UnreadableReplyError as error:
        raise DataError(
            f"{name}: the label is none that this study reads ({error}); correct the row or drop it"
        ) from None


def _character(row: dict[str, Any], which: str, name: str) -> dict[str, Any]:
    written = row[f"correct_{which}_name"]
    if written is not None and not isinstance(written, str):
        raise DataError(f"{name}: correct_{which}_name is {written!r}, not a name")
    return {
        "name": (written or "").strip() or "Unspecified",
        "references": _references(row[f"correct_{which}_references"], f"{name}: correct_{which}_references"),
    }


def _references(value: object, where: str) -> list[str]:
    if value is None:
        return []
    listed = value
    if isinstance(value, str):
        try:
            listed = ast.literal_eval(value)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            listed = None
    if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
        raise DataError(f"{where} {value!r} is no list of texts such as ['she', 'her']")
    return list(dict.fromkeys(one.strip() for one in listed if one.strip()))
