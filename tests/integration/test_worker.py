"""A worker that cannot be built answers with one line; it never has Ray build it again and again."""

import asyncio
import json
from pathlib import Path

import pyarrow as pa
import pytest

from raylib.errors import ModelError
from raylib.pipeline.unit import Processor, Unit, WorkerJob
from raylib.pipeline.worker import UnitWorker
from raylib.schemas import COMPLETIONS
from raylib.store.local import LocalStore
from raylib.store.open import StoreOptions

pytestmark = [pytest.mark.ray, pytest.mark.usefixtures("ray_here")]


class BrokenFactory:
    """A factory that raises what it is given."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def build(self) -> Processor:
        raise self.error


def answer(store: Path, error: Exception) -> tuple[str, dict[str, object]]:
    LocalStore(store).put_if_absent("witness", b"x")
    job = WorkerJob(
        stage="generate", fingerprint="f" * 24, id_column="sample_id", run="r", schema=COMPLETIONS,
        factory=BrokenFactory(error), store=StoreOptions(str(store)), witness="witness", attempts=3, timeout_s=5, in_flight=1,
    )  # fmt: skip
    batch = pa.table({"unit": [Unit("u", ("s",), {}).to_json()]})
    row = asyncio.run(UnitWorker(job, ledger=None)(batch)).to_pylist()[0]
    return row["kind"], json.loads(row["json"])


def test_an_error_of_the_user_keeps_its_class_and_message(store: Path) -> None:
    kind, said = answer(store, ModelError("it does not fit"))
    assert (kind, said["type"], said["message"], said["exit_code"]) == ("fatal", "ModelError", "it does not fit", 2)


def test_a_defect_becomes_a_fatal_line_that_names_its_place(store: Path) -> None:
    kind, said = answer(store, ValueError("boom"))
    assert (kind, said["exit_code"]) == ("fatal", 1)
    assert "ValueError: boom (test_worker.py:" in str(said["message"])


def test_a_worker_on_another_disk_says_so(store: Path, tmp_path: Path) -> None:
    (store / "elsewhere").mkdir(parents=True)
    job_store = store / "elsewhere"
    job = WorkerJob(
        stage="generate", fingerprint="f" * 24, id_column="sample_id", run="r", schema=COMPLETIONS,
        factory=BrokenFactory(ValueError("never reached")), store=StoreOptions(str(job_store)), witness="witness",
        attempts=3, timeout_s=5, in_flight=1,
    )  # fmt: skip
    batch = pa.table({"unit": [Unit("u", ("s",), {}).to_json()]})
    row = asyncio.run(UnitWorker(job, ledger=None)(batch)).to_pylist()[0]
    assert row["kind"] == "fatal"
    assert "s3://" in json.loads(row["json"])["message"]
