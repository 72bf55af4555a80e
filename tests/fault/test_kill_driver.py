"""kill -9, SIGTERM and Ctrl-C in the middle of a run, and what the next start finds.

Each run here is a process of its own with a Ray of its own, as a person would start it.
"""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from tests.pipeline_support import PROMPTS, completions, estimates, planned_ids, run_audit, run_verify, write_run
from tests.without_ray import without_ray

pytestmark = pytest.mark.ray
ROOT = Path(__file__).resolve().parents[2]
START_S = 400
"""Patience with the start of a Ray on a busy machine; not what a stop may take."""

SLOW = [{"kind": "slow", "delay_s": 1.0}]


def start(config: Path, *extra: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "jobs/audit.py", "--config", str(config), "--limit", str(PROMPTS), *extra]
    environment = {**os.environ, "RAY_AUTH_MODE": "disabled"}
    return subprocess.Popen(
        command, cwd=ROOT, env=environment, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip


def finish(process: "subprocess.Popen[str]", timeout: float = 600) -> tuple[int, str]:
    out, err = process.communicate(timeout=timeout)
    return process.returncode, out + err


def wait_for(condition: Callable[[], bool], seconds: float = 180) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "what the test waits for did not happen"
        time.sleep(0.05)


def parts(store: Path) -> int:
    return len(list(store.glob("parts/generate/*/*.parquet")))


def processes_of(driver: "subprocess.Popen[str]") -> list[int]:
    """Return what a driver runs on. Ray's two small agents look for their raylet by themselves and end a minute later."""
    tree = psutil.Process(driver.pid).children(recursive=True)
    return [child.pid for child in tree if not re.search("DashboardAgent|RuntimeEnvAgent", " ".join(child.cmdline()))]


def gone(pids: list[int]) -> bool:
    return not any(psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE for pid in pids)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture(scope="module")
def clean_estimates(tmp_path_factory: pytest.TempPathFactory) -> object:
    folder = tmp_path_factory.mktemp("clean")
    with without_ray():
        assert run_audit(write_run(folder, folder / "store")) == 0
    return estimates(folder / "store")


def test_a_worker_and_then_the_driver_killed_in_the_middle_lose_nothing_and_repeat_nothing(
    tmp_path: Path, store: Path, clean_estimates: object
) -> None:
    config = write_run(tmp_path, store, model__engine__faults=SLOW)
    driver = start(config)
    wait_for(lambda: parts(store) >= 1, START_S)
    workers = [p for p in psutil.Process(driver.pid).children(recursive=True) if "UnitWorker" in " ".join(p.cmdline())]
    assert workers, "no worker process found"
    for worker in workers:
        worker.kill()
    had = parts(store)
    wait_for(lambda: parts(store) > had, START_S)  # another took its place
    children = processes_of(driver)
    driver.send_signal(signal.SIGKILL)
    finish(driver)
    committed = {path: path.read_bytes() for path in store.glob("parts/generate/*/*.parquet")}
    assert 2 <= len(committed) < PROMPTS * 2
    wait_for(lambda: gone(children))  # a killed driver must not leave a Ray behind

    with without_ray():
        assert run_audit(config) == 0
    assert all(path.read_bytes() == data for path, data in committed.items())
    assert completions(store)["sample_id"].to_pylist() == planned_ids(config)
    assert run_verify(config) == 0
    assert estimates(store) == clean_estimates


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_stop_is_one_line_with_its_code_and_leaves_nothing_behind(
    tmp_path: Path, store: Path, number: signal.Signals, code: int
) -> None:
    config = write_run(tmp_path, store, model__engine__faults=SLOW, resources={"units_in_flight": 2})
    driver = start(config)
    wait_for(lambda: parts(store) >= 1, START_S)
    children = processes_of(driver)
    driver.send_signal(number)
    began = time.monotonic()
    returned, said = finish(driver)
    assert returned == code, said
    assert time.monotonic() - began < 10
    assert f"error: stopped by {number.name}" in said
    assert "Traceback" not in said
    wait_for(lambda: gone(children))


def test_two_drivers_at_once_end_in_one_set_of_samples(tmp_path: Path, store: Path, clean_estimates: object) -> None:
    config = write_run(tmp_path, store, model__engine__faults=SLOW)
    other = start(config)
    wait_for(lambda: parts(store) >= 1, START_S)
    with without_ray():
        assert run_audit(config) == 0
    code, said = finish(other)
    assert code == 0, said
    assert completions(store)["sample_id"].to_pylist() == planned_ids(config)
    assert run_verify(config) == 0
    assert estimates(store) == clean_estimates
