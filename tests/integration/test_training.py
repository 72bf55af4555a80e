"""A training that loses a worker goes on with the losses of one that did not; the same command again does nothing."""

import os
import threading
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from raylib.config.loading import validate
from raylib.config.training import TrainConfig
from raylib.engines.base import Message
from raylib.pipeline.training.train import Trained, train
from raylib.store.local import LocalStore
from raylib.training.adapters import verify_adapter
from raylib.training.examples import Example
from raylib.training.training_set import TrainingSet
from tests.tiny_llama import write_tiny_llama

pytest.importorskip("deepspeed")
pytestmark = [
    pytest.mark.ray,
    pytest.mark.skipif(
        "FAIRSWEEP_TEST_TRAINING" not in os.environ,
        reason="three trainings take three minutes on two cores; set FAIRSWEEP_TEST_TRAINING=1",
    ),
]

STEPS, SAVE_EVERY = 60, 10
EXAMPLES = TrainingSet(
    tuple(Example(f"row {n}", (Message("user", f"Say {w}"),), w * (1 + n % 3)) for n, w in enumerate("abcdefgh"))
)


def config(model: Path, store: Path, **options: Any) -> TrainConfig:
    tree = {
        "run": "tiny", "store": str(store), "lora": {"rank": 4, "alpha": 8, "dropout": 0.1},
        "model": {"name": "tiny", "source": str(model), "engine": {"kind": "vllm"}},
        "training": {
            "steps": STEPS, "batch": 4, "max_length": 128, "save_every": SAVE_EVERY, "learning_rate": 0.02, **options,
        },
        "resources": {"workers": 1, "verify_with_vllm": False},
    }  # fmt: skip
    return validate(tree, TrainConfig, "test")


def kill_a_worker(store: Path, killed: list[int]) -> None:
    """Wait for the first checkpoint, then end a worker of the training from outside."""
    until = time.monotonic() + 600
    while time.monotonic() < until and not killed:
        time.sleep(0.02)
        if any(store.glob("training/*/checkpoint_*/progress.json")):
            family = psutil.Process().children(recursive=True)
            for worker in (one for one in family if "RayTrainWorker" in "".join(one.cmdline()[:1])):
                worker.kill()
                killed.append(worker.pid)


def losses(trained: Trained) -> list[float]:
    return [one["loss"] for one in trained.history if "loss" in one]


def test_a_killed_worker_changes_no_loss_and_a_second_start_nothing(ray_here: None, tmp_path: Path) -> None:
    model = write_tiny_llama(tmp_path / "model")
    whole = train(config(model, tmp_path / "whole"), EXAMPLES)
    killed: list[int] = []
    killer = threading.Thread(target=kill_a_worker, args=(tmp_path / "cut", killed))
    killer.start()
    cut = train(config(model, tmp_path / "cut"), EXAMPLES)
    killer.join()
    assert killed
    assert len(losses(cut)) == STEPS
    assert losses(cut) == pytest.approx(losses(whole), abs=1e-6)
    assert losses(whole)[-1] < losses(whole)[0]
    assert verify_adapter(cut.adapter, model).tensors == 2 * 2 * 7
    before = {info.key for info in LocalStore(tmp_path / "cut").list("")}
    assert train(config(model, tmp_path / "cut"), EXAMPLES, may_work=False) == cut
    assert {info.key for info in LocalStore(tmp_path / "cut").list("")} == before
