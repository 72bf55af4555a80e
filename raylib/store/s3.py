"""A bucket of an S3-compatible server as an object store. Put-if-absent is `If-None-Match: *`; no more is needed."""

import base64
import functools
import hashlib
import os
import random
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from raylib.errors import ConfigError, StoreError
from raylib.store.base import ObjectInfo
from raylib.store.keys import check_key, check_prefix
from raylib.store.s3_errors import FAILURES, Address, code_of, explain, is_transient, is_unreached

_CONNECTIONS = 32


class Patience(NamedTuple):
    """How long to wait for a server, in seconds, and how often to ask again.

    With the defaults a server that restarts is waited for some 20 s; one that was never reached is given up after
    `first_attempts` tries, so that a wrong address shows within seconds.
    """

    attempts: int = 8
    first_attempts: int = 2
    first_wait_s: float = 0.25
    longest_wait_s: float = 5.0
    connect_s: float = 4.0
    read_s: float = 60.0


class _Reply(NamedTuple):
    """An answer of the server. `code` is '' for success; `doubtful`: an earlier attempt may have been carried out."""

    response: dict[str, Any]
    code: str
    doubtful: bool


class S3Store:
    """Objects under `prefix` in a bucket.

    Keys come from the two named environment variables, read on the machine that connects, or from boto3's own chain
    (environment, profile, instance role) where none are named. A pickle holds the names, never the values.
    """

    def __init__(
        self,
        bucket: str,
        prefix: str = "",
        *,
        endpoint_url: str | None = None,
        region: str | None = None,
        access_key_env: str | None = None,
        secret_key_env: str | None = None,
        patience: Patience | None = None,
    ) -> None:
        self._bucket = bucket
        self._prefix = f"{check_key(prefix.strip('/'))}/" if prefix.strip("/") else ""
        self._endpoint_url = endpoint_url
        self._region = region
        self._access_key_env = access_key_env
        self._secret_key_env = secret_key_env
        self._patience = patience or Patience()
        self._start()

    def __repr__(self) -> str:
        return f"S3Store({self.url!r}, endpoint_url={self._endpoint_url!r})"

    def __getstate__(self) -> dict[str, Any]:
        own = ("_lock", "_connected", "_reached")
        return {name: value for name, value in self.__dict__.items() if name not in own}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._start()

    def _start(self) -> None:
        self._lock = threading.Lock()
        self._connected: Any = None
        self._reached = False

    @property
    def url(self) -> str:
        """`s3://bucket/prefix`."""
        return f"s3://{self._bucket}/{self._prefix}".rstrip("/")

    def put_if_absent(self, key: str, data: bytes, metadata: Mapping[str, str] | None = None) -> bool:
        """Put an object with `If-None-Match: *`; a 412 after a doubtful attempt is settled by comparing bytes."""
        sha256 = hashlib.sha256(data).hexdigest()
        md5 = base64.b64encode(hashlib.md5(data, usedforsecurity=False).digest()).decode("ascii")
        reply = self._call(
            "put_object", f"write {self.url}/{check_key(key)}", answers=("PreconditionFailed",),
            Key=self._prefix + key, Body=data, ContentMD5=md5, IfNoneMatch="*",
            Metadata={**(metadata or {}), "sha256": sha256},
        )  # fmt: skip
        return not reply.code or (reply.doubtful and self._holds(key, data, sha256))

    def get(self, key: str) -> bytes:
        """Return an object's bytes. Raises KeyError if there is none."""
        action = f"read {self.url}/{check_key(key)}"
        reply = self._call("get_object", action, answers=("NoSuchKey",), Key=self._prefix + key)
        if reply.code:
            raise KeyError(f"{self.url}/{key}")
        return bytes(reply.response["Body"])

    def exists(self, key: str) -> bool:
        """Say whether the key holds an object."""
        # A listing, unlike HEAD, tells a missing bucket from a missing key; the key itself sorts before longer ones.
        full = self._prefix + check_key(key)
        reply = self._call("list_objects_v2", f"look at {self.url}/{key}", Prefix=full, MaxKeys=1)
        return any(item["Key"] == full for item in reply.response.get("Contents", ()))

    def list(self, prefix: str) -> Iterator[ObjectInfo]:
        """Yield the objects whose key begins with `prefix`, page by page, in key order."""
        action = f"list {self.url}/{check_prefix(prefix)}"
        page: dict[str, Any] = {}
        while True:
            response = self._call("list_objects_v2", action, Prefix=self._prefix + prefix, **page).response
            for item in response.get("Contents", ()):
                key = str(item["Key"])[len(self._prefix) :]
                if key and not key.endswith("/"):  # consoles put empty objects there to show folders
                    yield ObjectInfo(key, int(item["Size"]))
            if not response.get("IsTruncated"):
                return
            page = {"ContinuationToken": response["NextContinuationToken"]}

    def local_path(self, key: str) -> str | None:
        """Return None: no object lies on this machine's disk."""
        check_key(key)
        return None

    def _holds(self, key: str, data: bytes, sha256: str) -> bool:
        action = f"look at {self.url}/{key}"
        reply = self._call("head_object", action, answers=("404", "NoSuchKey"), Key=self._prefix + key)
        if reply.code or reply.response["ContentLength"] != len(data):
            return False
        recorded = reply.response.get("Metadata", {}).get("sha256")
        return bool(recorded == sha256) if recorded else self.get(key) == data

    def _call(self, operation: str, action: str, answers: tuple[str, ...] = (), **arguments: Any) -> _Reply:
        """Ask until there is an answer: success, or one of the error codes in `answers`.

        This is the only layer that retries (boto3's own is off): were boto3 to repeat a put whose reply was lost, all
        that came back would be "exists", and nobody could tell our own object from another writer's.
        """
        request = getattr(self._client(), operation)
        doubtful = False
        attempt = 0
        while True:
            attempt += 1
            try:
                response = request(Bucket=self._bucket, **arguments)
                if "Body" in response:
                    response["Body"] = response["Body"].read()
            except FAILURES as error:
                self._reached = self._reached or bool(code_of(error))
                if code_of(error) in answers:
                    return _Reply({}, code_of(error), doubtful)
                if not is_transient(error) or attempt >= self._limit(error):
                    raise explain(error, action, self._address(), attempt) from error
                doubtful = doubtful or not is_unreached(error)
                self._wait(attempt)
                continue
            self._reached = True
            return _Reply(response, "", doubtful)

    def _limit(self, error: Exception) -> int:
        never_reached = is_unreached(error) and not self._reached
        return self._patience.first_attempts if never_reached else self._patience.attempts

    def _wait(self, attempt: int) -> None:
        longest = min(self._patience.longest_wait_s, self._patience.first_wait_s * 2 ** (attempt - 1))
        time.sleep(random.uniform(longest / 2, longest))  # noqa: S311 - spreads workers out, protects nothing

    def _address(self) -> Address:
        endpoint = self._endpoint_url or "AWS"
        return Address(self.url, self._bucket, endpoint, self._access_key_env, self._secret_key_env)

    def _client(self) -> Any:
        with self._lock:
            if self._connected is None:
                self._connected = self._connect()
            return self._connected

    def _connect(self) -> Any:
        import boto3
        import botocore.session
        from botocore.config import Config

        patience = self._patience
        options = Config(
            retries={"total_max_attempts": 1, "mode": "standard"},  # see _call
            connect_timeout=patience.connect_s,
            read_timeout=patience.read_s,
            max_pool_connections=_CONNECTIONS,
            s3={"addressing_style": "path" if self._endpoint_url else "auto"},
            # Servers other than AWS do not know the newer checksums; Content-MD5 guards every put on all of them.
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
        )
        keys = {}
        if self._access_key_env is not None or self._secret_key_env is not None:
            keys = {
                "aws_access_key_id": _from_environment(self._access_key_env, "access_key_env"),
                "aws_secret_access_key": _from_environment(self._secret_key_env, "secret_key_env"),
            }
        region = self._region or ("us-east-1" if self._endpoint_url else None)
        try:
            core = botocore.session.get_session()
            core.register_component("data_loader", _service_models())
            session = boto3.session.Session(botocore_session=core, region_name=region, **keys)
            return session.client("s3", endpoint_url=self._endpoint_url, config=options)
        except ValueError as error:
            raise StoreError(f"cannot connect to {self.url}: {error}; check store.endpoint and store.region") from error
        except FAILURES as error:
            raise explain(error, f"connect to {self.url}", self._address(), 1) from error


@functools.cache
def _service_models() -> Any:
    """Return what boto3 knows of S3, parsed once a process: it is most of the 0.15 s that a connection takes."""
    import botocore.session

    return botocore.session.get_session().get_component("data_loader")


def _from_environment(name: str | None, setting: str) -> str:
    if name is None:
        raise ConfigError(
            f"store.{setting} is not set: give both store.access_key_env and store.secret_key_env (names of "
            "environment variables), or neither for boto3's own chain"
        )
    value = os.environ.get(name, "")
    if not value:
        raise StoreError(f"environment variable {name} (store.{setting}) is not set on this machine; set it to the key")
    return value
