"""Fixtures that tests of every kind share: stores on a local disk, on moto, and on a real Ceph gateway."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from raylib.store.base import ObjectStore
from raylib.store.local import LocalStore
from tests.s3_proxy import Proxy, s3_proxy
from tests.s3_servers import Server, ceph_server, keys_in_environment, missing_for_ceph, moto_server

CEPH = pytest.param("ceph", marks=pytest.mark.ceph)


@pytest.fixture(scope="session")
def s3_keys() -> Iterator[None]:
    with keys_in_environment():
        yield


@pytest.fixture(scope="session")
def moto(s3_keys: None) -> Iterator[Server]:
    with moto_server() as server:
        yield server


@pytest.fixture(scope="session")
def ceph(s3_keys: None) -> Iterator[Server]:
    reason = missing_for_ceph()
    if reason:
        pytest.skip(reason)
    with ceph_server() as server:
        yield server


@pytest.fixture(params=["moto", CEPH])
def s3(request: pytest.FixtureRequest) -> Server:
    """An S3 server: the mock, then the real one."""
    server: Server = request.getfixturevalue(request.param)
    return server


@pytest.fixture
def proxy(s3: Server) -> Iterator[Proxy]:
    """A proxy before `s3` that spoils the requests that a test names."""
    with s3_proxy(s3.endpoint) as running:
        yield running


@pytest.fixture(params=["local", "moto", CEPH])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> ObjectStore:
    """An empty store of each kind."""
    if request.param == "local":
        return LocalStore(tmp_path / "store")
    server: Server = request.getfixturevalue(request.param)
    return server.store()
