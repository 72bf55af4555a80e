"""From a configured address to a store."""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from raylib.errors import ConfigError
from raylib.store.base import ObjectStore
from raylib.store.local import LocalStore

_SCHEME = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]*):/")
_BUCKET = re.compile(r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$")
_VARIABLE = re.compile(r"^[A-Za-z_][A-Za-z0-9_]{0,127}$")
_FORMS = "a folder (/data/runs), file:///data/runs or s3://bucket/prefix"


@dataclass(frozen=True)
class StoreOptions:
    """Where a store is and how to reach it. Safe to pickle, print and keep: keys are named, never held.

    A relative folder becomes absolute here, on the machine that read the configuration, so that processes with
    another working folder mean the same one.
    """

    url: str
    endpoint: str | None = None
    """http(s)://host:port of an S3-compatible server; None: AWS. Only s3:// addresses use it."""
    region: str | None = None
    access_key_env: str | None = None
    secret_key_env: str | None = None

    def __post_init__(self) -> None:
        """Check the forms; nothing is connected yet. Raises ConfigError (one line, no secrets)."""
        _check_endpoint(self.endpoint)
        for setting in ("access_key_env", "secret_key_env"):
            _check_variable(getattr(self, setting), setting)
        if (self.access_key_env is None) != (self.secret_key_env is None):
            raise ConfigError("store: give both access_key_env and secret_key_env, or neither for boto3's own chain")
        if _scheme(self.url) == "s3":
            _bucket_and_prefix(self.url)
        else:
            object.__setattr__(self, "url", str(_folder(self.url)))


def open_store(options: StoreOptions) -> ObjectStore:
    """Return the store that `options` names. Nothing is read or written; `probe` does that.

    Raises:
        ConfigError: the address has none of the valid forms.
    """
    if _scheme(options.url) != "s3":
        return LocalStore(options.url)
    from raylib.store.s3 import S3Store

    bucket, prefix = _bucket_and_prefix(options.url)
    return S3Store(
        bucket,
        prefix,
        endpoint_url=options.endpoint,
        region=options.region,
        access_key_env=options.access_key_env,
        secret_key_env=options.secret_key_env,
    )


def _scheme(url: str) -> str:
    match = _SCHEME.match(url)
    return match.group(1).lower() if match else ""


def _folder(url: str) -> Path:
    scheme = _scheme(url)
    if scheme == "file":
        parts = urlsplit(url)
        if parts.netloc not in ("", "localhost") or not parts.path.startswith("/"):
            raise ConfigError(f"store.url {url!r}: a file address has three slashes (file:///data); valid: {_FORMS}")
        return Path(parts.path)
    if scheme or not url.strip() or "\0" in url:
        named = f"{scheme}:/..." if scheme else url  # the rest of an unknown address may hold a password
        raise ConfigError(f"store.url {named!r} is not a store; valid: {_FORMS}")
    return Path(os.path.abspath(os.path.expanduser(url)))


def _bucket_and_prefix(url: str) -> tuple[str, str]:
    if not url.lower().startswith("s3://"):
        raise ConfigError(f"store.url {url!r}: an S3 address has two slashes (s3://bucket/prefix); valid: {_FORMS}")
    bucket, _, prefix = url[len("s3://") :].partition("/")
    if "@" in bucket:
        raise ConfigError("store.url holds a user or a key before '@': name variables in store.access_key_env instead")
    if not _BUCKET.fullmatch(bucket) or ".." in bucket:
        raise ConfigError(f"store.url: {bucket!r} is no bucket name (3 to 63 of a-z, 0-9, '.', '-'); valid: {_FORMS}")
    return bucket, prefix.strip("/")


def _check_endpoint(endpoint: str | None) -> None:
    if endpoint is None:
        return
    parts = urlsplit(endpoint)
    if "@" in parts.netloc:
        raise ConfigError("store.endpoint holds a user or a password before '@': name environment variables instead")
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ConfigError(f"store.endpoint {endpoint!r} is not an address; use http://host:port or https://host")


def _check_variable(name: str | None, setting: str) -> None:
    # A value that is no name may be the key itself: it is not repeated in the message.
    if name is not None and not _VARIABLE.fullmatch(name):
        raise ConfigError(f"store.{setting} must be the NAME of an environment variable (such as S3_KEY), not a key")
