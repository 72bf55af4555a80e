"""Run one job on a Ray head of its own on this machine: start, submit, follow its log, stop what was started.

Usage: python -m cluster.local.submit jobs/audit.py --config configs/runs/quickstart.yaml [options of the job]

It goes the way a cluster does (`ray job submit --working-dir . -- python jobs/...`), through Ray's own client.
"""

import asyncio
import logging
import os
import shlex
import signal
import sys
import time
from pathlib import Path
from types import FrameType
from typing import Any

from cluster.local.head import Head, HeadError, ray_head

REPOSITORY = Path(__file__).resolve().parents[2]
EXCLUDES = [".git", ".venv", "/runs", "tests", "notebooks", "__pycache__", ".mypy_cache", ".ruff_cache", ".hypothesis"]
_NOISE = ("core_worker.cc", "logging.cc", "Runtime env is setting up", "Running entrypoint for job")
_STOP_S = 6


class Stopped(Exception):
    """SIGINT or SIGTERM came; holds the exit code."""


def main(argv: list[str]) -> int:
    """Run `python <argv>` as a Ray job and return its exit code."""
    if not argv or not (REPOSITORY / argv[0]).is_file():
        print("error: give a job and its options, for example jobs/audit.py --config FILE", file=sys.stderr)
        return 2
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _stop)
    try:
        print("starting a Ray head of its own ...", file=sys.stderr, flush=True)
        with ray_head() as head:
            return _run(head, argv)
    except Stopped as stopped:
        print("stopped; the same command goes on from what is committed", file=sys.stderr)
        return int(stopped.args[0])
    except HeadError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


def _stop(number: int, _frame: FrameType | None) -> None:
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.SIG_IGN)  # a second Ctrl-C must not cut the clean-up short
    raise Stopped(128 + number)


def _run(head: Head, argv: list[str]) -> int:
    os.environ.update({name: value for name, value in head.environment.items() if name.startswith("RAY_")})
    from ray.job_submission import JobSubmissionClient

    for name in ("ray.dashboard.modules.job.sdk", "ray.dashboard.modules.dashboard_sdk", "ray._private.runtime_env"):
        logging.getLogger(name).setLevel(logging.ERROR)
    client = JobSubmissionClient(head.address)
    job = client.submit_job(
        entrypoint=shlex.join(["python", *argv]),
        runtime_env={"working_dir": str(REPOSITORY), "excludes": EXCLUDES},
    )
    try:
        asyncio.run(_follow(client, job))
        return _exit_code(client, job)
    except Stopped:
        client.stop_job(job)
        deadline = time.monotonic() + _STOP_S
        while not client.get_job_status(job).is_terminal() and time.monotonic() < deadline:
            time.sleep(0.2)
        raise


async def _follow(client: Any, job: str) -> None:
    async for text in client.tail_job_logs(job):
        lines = [line for line in text.splitlines(keepends=True) if not any(noise in line for noise in _NOISE)]
        print("".join(lines), end="", flush=True)


def _exit_code(client: Any, job: str) -> int:
    while not client.get_job_status(job).is_terminal():
        time.sleep(0.2)
    info = client.get_job_info(job)
    if info.driver_exit_code is None:
        print(f"error: the job did not run: {' '.join(str(info.message).split())[:500]}", file=sys.stderr)
        return 1
    return int(info.driver_exit_code)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
