"""kill -9 of the program that `make quickstart` runs, and a second start."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from tests.pipeline_support import PROMPTS, completions, planned_ids, run_verify, write_run

pytestmark = pytest.mark.ray
ROOT = Path(__file__).resolve().parents[2]
SLOW = [{"kind": "slow", "delay_s": 1.0}]


def submit(config: Path) -> "subprocess.Popen[str]":
    command = [
        sys.executable,
        "-m",
        "cluster.local.submit",
        "jobs/audit.py",
        "--config",
        str(config),
        "--limit",
        str(PROMPTS),
    ]
    return subprocess.Popen(
        command, cwd=ROOT, env=dict(os.environ), text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )  # fmt: skip


def heads_of(owner: int) -> list[int]:
    """Return the processes of the Ray head that a submitter started, by the folder that names its owner."""
    folders = [str(path.parent) for path in Path("/tmp").glob("fairsweep-*/owner") if path.read_text() == str(owner)]
    found = []
    for process in psutil.process_iter(["pid", "cmdline"]):
        line = " ".join(process.info["cmdline"] or [])
        if any(folder in line for folder in folders):
            found.append(process.info["pid"])
    return found


def wait_for(condition: object, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < deadline, "what the test waits for did not happen"
        time.sleep(0.2)


def test_a_killed_submitter_takes_its_ray_with_it_and_the_next_start_goes_on(tmp_path: Path) -> None:
    store = tmp_path / "store"
    config = write_run(tmp_path, store, model__engine__faults=SLOW, resources={"units_in_flight": 2})
    first = submit(config)
    wait_for(lambda: len(list(store.glob("parts/generate/*/*.parquet"))) >= 2, 600)
    assert heads_of(first.pid)
    first.send_signal(signal.SIGKILL)
    first.communicate()
    committed = {path: path.read_bytes() for path in store.glob("parts/generate/*/*.parquet")}

    second = submit(config)
    said, _ = second.communicate(timeout=900)
    assert second.returncode == 0, said
    assert all(path.read_bytes() == data for path, data in committed.items())
    assert completions(store)["sample_id"].to_pylist() == planned_ids(config)
    assert run_verify(config) == 0
    assert not heads_of(second.pid)
    wait_for(lambda: not heads_of(first.pid), 180)  # Ray drains for half a minute, beside the second start


def test_a_submitter_that_is_asked_to_stop_ends_the_job_and_its_ray(tmp_path: Path) -> None:
    store = tmp_path / "store"
    config = write_run(tmp_path, store, model__engine__faults=SLOW, resources={"units_in_flight": 2})
    process = submit(config)
    wait_for(lambda: len(list(store.glob("parts/generate/*/*.parquet"))) >= 1, 600)
    process.send_signal(signal.SIGTERM)
    said, _ = process.communicate(timeout=180)
    assert process.returncode == 143, said
    assert "the same command goes on" in said
    assert not heads_of(process.pid)
