"""The real thing, small: SmolLM2 on vLLM, as a submitted Ray job, to a report."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import psutil
import pytest

from raylib.config.loading import load_config
from raylib.config.run import RunConfig
from raylib.errors import ModelError
from raylib.pipeline.context import Context
from raylib.pipeline.generate import plan_generate
from raylib.pipeline.models import prepare_model
from tests.pipeline_support import completions, estimates

pytestmark = pytest.mark.vllm
ROOT = Path(__file__).resolve().parents[2]
CONFIG = "configs/runs/quickstart.yaml"
OVERRIDES = ("sampling.max_tokens=40", "statistics.replicates=200", "run=small")
LIMIT = 4


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of one audit that was submitted as a job."""
    try:
        prepare_model(load_config(ROOT / CONFIG, RunConfig))
    except ModelError as error:
        pytest.skip(f"the embedded model cannot be had here: {error}")
    store = tmp_path_factory.mktemp("e2e") / "a store"  # with a space
    done = submit(store)
    assert done.returncode == 0, done.stdout + done.stderr
    report = Path(done.stdout.strip().splitlines()[-1].removeprefix("report: "))
    assert report.is_file(), done.stdout
    return store


def submit(store: Path, *extra: str) -> "subprocess.CompletedProcess[str]":
    overrides = [part for text in (*OVERRIDES, f"store.url={store}", *extra) for part in ("--set", text)]
    return subprocess.run(
        [sys.executable, "-m", "cluster.local.submit", "jobs/audit.py", "--config", CONFIG, "--limit", str(LIMIT), *overrides],
        cwd=ROOT, env=dict(os.environ), capture_output=True, text=True, timeout=400, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def test_every_planned_story_is_there_once_with_its_tokens_counted(store: Path) -> None:
    config = load_config(ROOT / CONFIG, RunConfig, [*OVERRIDES, f"store.url={store}"])
    table = completions(store)
    plan = plan_generate(config, Context(config, LIMIT).prompts)
    assert table["sample_id"].to_pylist() == [one for unit in plan.units for one in unit.ids]
    rows = table.to_pylist()
    assert all(row["status"] in ("ok", "truncated") and row["text"].strip() for row in rows)
    assert all(0 < row["completion_tokens"] <= 40 and row["prompt_tokens"] > 20 for row in rows)
    assert all((row["status"] == "truncated") == (row["finish_reason"] == "length") for row in rows)


def test_stories_of_one_prompt_differ_since_each_has_its_own_seed(store: Path) -> None:
    rows = completions(store).to_pylist()
    assert len({row["seed"] for row in rows}) == len(rows)
    assert max(Counter(row["text"] for row in rows).values()) == 1


def test_there_are_estimates_with_both_intervals(store: Path) -> None:
    known = [row for row in estimates(store).to_pylist() if row["status"] == "ok"]
    assert known
    for row in known:
        assert row["ci_low"] <= row["estimate"] <= row["ci_high"]


def test_nothing_of_the_run_is_left_running(store: Path) -> None:
    left = [p.pid for p in psutil.process_iter(["cmdline"]) if "/tmp/fairsweep-" in " ".join(p.info["cmdline"] or [])]
    assert not left


def test_a_mistake_in_a_submitted_job_keeps_its_exit_code(store: Path) -> None:
    done = submit(store, "sampling.temprature=1")
    assert done.returncode == 2
    assert "Did you mean 'temperature'?" in done.stdout
