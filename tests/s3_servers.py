"""The S3 servers that tests talk to: moto (a mock, in this process) and a real Ceph object gateway."""

import os
import shutil
import socket
import subprocess
import tempfile
import threading
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import boto3

from raylib.store.s3 import Patience, S3Store

CEPH_SCRIPT = Path(__file__).resolve().parents[1] / "cluster" / "local" / "ceph.sh"
CEPH_PROGRAMS = ("ceph", "ceph-authtool", "ceph-mon", "ceph-osd", "monmaptool", "radosgw", "radosgw-admin")
ACCESS_KEY_ENV = "FAIRSWEEP_TEST_ACCESS_KEY"
SECRET_KEY_ENV = "FAIRSWEEP_TEST_SECRET_KEY"
ACCESS_KEY = "testaccess"
SECRET_KEY = "planted-secret-value"
QUICK = Patience(attempts=4, first_attempts=2, first_wait_s=0.01, longest_wait_s=0.05, connect_s=10, read_s=30)


class Server(NamedTuple):
    """A running S3 server whose keys are in the test environment's variables."""

    name: str
    endpoint: str

    def new_bucket(self) -> str:
        """Create an empty bucket and return its name."""
        bucket = f"test-{uuid.uuid4().hex[:12]}"
        client = boto3.client(
            "s3",
            endpoint_url=self.endpoint,
            region_name="us-east-1",
            aws_access_key_id=ACCESS_KEY,
            aws_secret_access_key=SECRET_KEY,
        )
        client.create_bucket(Bucket=bucket)
        return bucket

    def store(self, bucket: str | None = None, *, endpoint: str | None = None, patience: Patience = QUICK) -> S3Store:
        """Return a store under the prefix 'results' of a bucket (a new one if none is named)."""
        return S3Store(
            bucket or self.new_bucket(),
            "results",
            endpoint_url=endpoint or self.endpoint,
            access_key_env=ACCESS_KEY_ENV,
            secret_key_env=SECRET_KEY_ENV,
            patience=patience,
        )


@contextmanager
def keys_in_environment() -> Iterator[None]:
    """Set the variables that stores of the tests name; child processes see them too."""
    os.environ[ACCESS_KEY_ENV] = ACCESS_KEY
    os.environ[SECRET_KEY_ENV] = SECRET_KEY
    try:
        yield
    finally:
        del os.environ[ACCESS_KEY_ENV], os.environ[SECRET_KEY_ENV]


@contextmanager
def moto_server() -> Iterator[Server]:
    """Run moto's server in a thread on a free port, one request at a time.

    moto looks for the key and writes it in two steps, so that two requests at once can both succeed: races between
    writers mean something only on a server that decides one request after the other, or on a real one.
    """
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
    from werkzeug.serving import make_server

    application = DomainDispatcherApplication(create_backend_app)
    turn = threading.Lock()

    def one_at_a_time(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        with turn:
            return list(application(environ, start_response))

    server = make_server("127.0.0.1", 0, one_at_a_time, threaded=True, request_handler=MotoRequestHandler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield Server("moto", f"http://127.0.0.1:{server.server_port}")
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def missing_for_ceph() -> str | None:
    """Return why no Ceph gateway can be started here, or None."""
    missing = [program for program in CEPH_PROGRAMS if shutil.which(program) is None]
    return f"{', '.join(missing)} not installed (Debian: ceph-mon ceph-osd radosgw ceph-common)" if missing else None


@contextmanager
def ceph_server() -> Iterator[Server]:
    """Run a Ceph monitor, OSD and object gateway on free ports, objects in memory."""
    with tempfile.TemporaryDirectory(prefix="ceph-", dir="/tmp") as folder:  # sockets need a short path
        place = f"{folder}/s3"
        gateway, monitor = _free_ports()
        environment = {
            **os.environ, "RGW_PORT": str(gateway), "MON_PORT": str(monitor), "S3_KEY": ACCESS_KEY, "S3_SECRET": SECRET_KEY,
        }  # fmt: skip
        try:
            started = subprocess.run(
                [CEPH_SCRIPT, "start", place], env=environment, capture_output=True, text=True, timeout=180, check=False
            )
            if started.returncode:
                raise RuntimeError(f"the Ceph gateway did not start: {started.stderr.strip()[-600:]}")
            yield Server("ceph", f"http://127.0.0.1:{gateway}")
        finally:
            subprocess.run([CEPH_SCRIPT, "stop", place], capture_output=True, timeout=60, check=False)


def _free_ports() -> tuple[int, int]:
    """Return a free port, and one that is free together with the next."""
    while True:
        with ExitStack() as held:
            ports = []
            for _ in range(2):
                one = held.enter_context(socket.socket())
                one.bind(("127.0.0.1", 0))
                ports.append(int(one.getsockname()[1]))
            try:
                held.enter_context(socket.socket()).bind(("127.0.0.1", ports[1] + 1))
            except OSError:
                continue
            return ports[0], ports[1]
