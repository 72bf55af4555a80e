"""A stop ends the process with its own code, whatever hangs, and leaves no child."""

import signal
import subprocess
import sys
import time

import psutil
import pytest

HANGS = """
import subprocess, sys, time
from raylib.pipeline import entry, stop
stop.GRACE_S = {grace}
sys.argv = ["job"]
entry.parse = lambda *_: None

def job(_):
    child = subprocess.Popen(["sleep", "60"])
    print(child.pid, flush=True)
    try:
        time.sleep(60)
    finally:
        time.sleep({hang})

sys.exit(entry.run_job("A job.", job))
"""


def start(grace: float, hang: float) -> tuple["subprocess.Popen[str]", int]:
    process = subprocess.Popen(
        [sys.executable, "-c", HANGS.format(grace=grace, hang=hang)],
        text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    return process, int(process.stdout.readline())


def ended(process: "subprocess.Popen[str]", child: int) -> tuple[int, str]:
    _, said = process.communicate(timeout=30)
    deadline = time.monotonic() + 5
    while psutil.pid_exists(child) and psutil.Process(child).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline, "a child is left behind"
        time.sleep(0.05)
    return process.returncode, said


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_stop_says_one_line_and_ends_with_its_code(number: signal.Signals, code: int) -> None:
    process, child = start(grace=20, hang=0)
    process.send_signal(number)
    returned, said = ended(process, child)
    assert returned == code
    assert said.count("error: ") == 1
    assert f"stopped by {number.name}" in said
    assert "Traceback" not in said


def test_a_clean_up_that_hangs_is_cut_off_after_the_grace_time() -> None:
    process, child = start(grace=0.5, hang=60)
    process.send_signal(signal.SIGINT)
    returned, said = ended(process, child)
    assert returned == 130
    assert said.count("error: stopped by SIGINT") == 1


def test_a_second_signal_does_not_wait_for_the_grace_time() -> None:
    process, child = start(grace=60, hang=60)
    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    returned, said = ended(process, child)
    assert returned == 130
    assert said.count("error: stopped by SIGINT") == 1


def test_output_that_nobody_reads_to_its_end_is_no_defect() -> None:
    many = "print('x' * 2**20)"
    script = (
        f"from raylib.pipeline import entry; import sys; sys.exit(entry.guarded(lambda: [{many} for _ in range(9)]))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.read(1) == "x"
    process.stdout.close()
    assert process.stderr is not None
    assert (process.stderr.read(), process.wait(30)) == ("", 141)
