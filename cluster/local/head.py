"""A Ray head of one's own on this machine: own ports, own temporary folder, token authentication, ended whole."""

import ctypes
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import psutil

BIN = Path(sys.executable).parent
_START_S = 120
_TMP = "/tmp"  # noqa: S108 - Ray's sockets need a short path
_PREFIX = "fairsweep-"
_PR_SET_PDEATHSIG = 1
_WORKER_PORTS = range(10002, 20000)  # Ray's own workers listen there


class Head(NamedTuple):
    """A running head: its dashboard's address, and the environment that programs need to talk to it."""

    address: str
    environment: dict[str, str]
    folder: Path


class HeadError(Exception):
    """The head did not start; one line says why."""


@contextmanager
def ray_head() -> Iterator[Head]:
    """Start a head for the body of `with`; afterwards end it and all that it started, and nothing else."""
    with ExitStack() as stack:
        _sweep()
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=_TMP))
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        (folder / "owner").write_text(str(os.getpid()))
        environment = _environment(folder)
        gcs, dashboard, client, agent_grpc, agent_http, metrics = _free_ports(6)
        command = [
            str(BIN / "ray"), "start", "--head", "--block", f"--temp-dir={folder}", "--node-ip-address=127.0.0.1",
            f"--port={gcs}", "--include-dashboard=true", "--dashboard-host=127.0.0.1", f"--dashboard-port={dashboard}",
            f"--ray-client-server-port={client}", f"--dashboard-agent-grpc-port={agent_grpc}",
            f"--dashboard-agent-listen-port={agent_http}", f"--metrics-export-port={metrics}",
            f"--num-cpus={max(os.cpu_count() or 1, 4)}", "--object-store-memory=314572800", "--disable-usage-stats",
        ]  # fmt: skip
        log = stack.enter_context((folder / "head.log").open("wb"))
        process = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
            preexec_fn=_end_with_parent,  # safe: this program has no other thread
        )  # fmt: skip
        stack.callback(end_tree, process)
        head = Head(f"http://127.0.0.1:{dashboard}", environment, folder)
        _wait(process, head)
        yield head


def _end_with_parent() -> None:
    """Ask the kernel to end the head when this program dies, even by kill -9 (Linux only; elsewhere it stays)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _sweep() -> None:
    """Remove the folders of earlier heads whose owner was killed."""
    for owner in Path(_TMP).glob(f"{_PREFIX}*/owner"):
        text = owner.read_text() if owner.is_file() else ""
        if text.isdigit() and not psutil.pid_exists(int(text)):
            shutil.rmtree(owner.parent, ignore_errors=True)


def _environment(folder: Path) -> dict[str, str]:
    """Return the caller's environment with this project's Python first on PATH and a token of this head alone."""
    token = folder / "token"
    token.touch(mode=0o600)
    token.write_text(secrets.token_hex(32), encoding="ascii")
    environment = {name: value for name, value in os.environ.items() if name not in ("RAY_ADDRESS", "RAY_JOB_HEADERS")}
    environment |= {
        "PATH": f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}",
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN_PATH": str(token),
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
        "PYTHONUNBUFFERED": "1",
    }
    return environment


def _free_ports(count: int) -> list[int]:
    ports: list[int] = []
    with ExitStack() as held:
        while len(ports) < count:
            candidate = held.enter_context(socket.socket())
            candidate.bind(("127.0.0.1", 0))
            port = int(candidate.getsockname()[1])
            if port not in _WORKER_PORTS:
                ports.append(port)
    return ports


def _wait(process: "subprocess.Popen[bytes]", head: Head) -> None:
    token = Path(head.environment["RAY_AUTH_TOKEN_PATH"]).read_text(encoding="ascii")
    url = f"{head.address}/api/jobs/"
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"})  # noqa: S310 - loopback
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            tail = (head.folder / "head.log").read_text(errors="replace").strip().splitlines()[-3:]
            raise HeadError(f"the Ray head ended at once (exit code {process.returncode}): {' | '.join(tail)}")
        try:
            with urllib.request.urlopen(request, timeout=5):  # noqa: S310 - loopback
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.5)
    raise HeadError(
        f"the Ray head did not answer within {_START_S} s; look whether memory or disk is full and try again"
    )


def end_tree(process: "subprocess.Popen[bytes]") -> None:
    """End a process that this program started and everything that came from it; SIGKILL for what is left after 8 s."""
    try:
        tree = psutil.Process(process.pid).children(recursive=True)
    except psutil.NoSuchProcess:
        tree = []
    for each in tree:
        _signal(each, signal.SIGTERM)
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    _, alive = psutil.wait_procs(tree, timeout=8)
    for each in alive:
        _signal(each, signal.SIGKILL)
    try:
        process.wait(timeout=2)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _signal(process: psutil.Process, number: int) -> None:
    try:
        process.send_signal(number)
    except psutil.NoSuchProcess:
        return
