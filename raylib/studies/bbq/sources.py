"""The benchmark's files wherever they lie: a path, a bucket, a web address. Nothing of them is part of this package."""

import hashlib
import os
import urllib.error
import urllib.request
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from raylib.errors import ConfigError, DataError
from raylib.store.open import StoreOptions, open_store
from raylib.studies.bbq.items import Item, read_items

_TIMEOUT_S = 60
_WHERE = (
    "download {name} from the folder `data` of the benchmark's official repository (nyu-mll/BBQ on GitHub, CC BY 4.0) and say "
    "where it lies, for example --set study.options.files=[/data/bbq/{name}]"
)


class Source(NamedTuple):
    """One file."""

    sha256: str
    items: tuple[Item, ...]


def load_sources(files: Sequence[str]) -> list[Source]:
    """Return the files' items, in their order.

    Raises:
        ConfigError: a file is not there, or its address has none of the valid forms; the message says what to download.
        DataError: a file is not the benchmark's; file and line are named. Or two files hold the same item.
    """
    sources = [_remote(uri) if "://" in uri else _local(uri) for uri in files]
    seen: dict[tuple[str, int], str] = {}
    for uri, source in zip(files, sources, strict=True):
        for item in source.items:
            first = seen.setdefault((item.category, item.example_id), uri)
            if first != uri:
                raise DataError(f"{uri}: item {item.category} {item.example_id} is in {first} too; name each file once")
    return sources


def _local(uri: str) -> Source:
    path = os.path.expanduser(uri)
    try:
        status = os.stat(path)
        return _read_local(path, uri, status.st_size, status.st_mtime_ns)
    except OSError as error:
        place = f" (looked in {Path.cwd()})" if not os.path.isabs(path) else ""
        raise _missing(uri, f"cannot read {uri}{place}: {error.strerror or error}") from None


@lru_cache(maxsize=64)
def _read_local(path: str, uri: str, size: int, changed: int) -> Source:
    return _source(Path(path).read_bytes(), uri)


@lru_cache(maxsize=64)
def _remote(uri: str) -> Source:
    parts = urlsplit(uri)
    if "@" in parts.netloc:
        raise ConfigError("study.options.files: an address holds a user or a password before '@'; give one without")
    if parts.scheme == "s3":
        return _source(_from_bucket(uri), uri)
    if parts.scheme not in ("http", "https"):
        raise ConfigError(
            f"study.options.files: {uri} is neither a path nor an address of the form s3://bucket/key or https://host/file"
        )
    try:
        with urllib.request.urlopen(uri, timeout=_TIMEOUT_S) as answer:  # noqa: S310 - the scheme was looked at
            return _source(answer.read(), uri)
    except (urllib.error.URLError, TimeoutError, OSError) as error:
        raise _missing(uri, f"cannot fetch {uri}: {getattr(error, 'reason', error)}") from None


def _from_bucket(uri: str) -> bytes:
    prefix, _, name = uri.rpartition("/")
    if prefix.count("/") < 2 or not name:
        raise ConfigError(f"study.options.files: {uri} names no object; write s3://bucket/folder/Religion.jsonl")
    try:
        return open_store(StoreOptions(prefix)).get(name)
    except KeyError:
        raise _missing(uri, f"there is no {uri}") from None


def _source(data: bytes, uri: str) -> Source:
    try:
        lines = data.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise DataError(f"{uri} is not UTF-8 text ({error.reason}); give an official file of BBQ") from None
    return Source(hashlib.sha256(data).hexdigest(), tuple(read_items(lines, uri)))


def _missing(uri: str, problem: str) -> ConfigError:
    name = uri.rstrip("/").rpartition("/")[2] or uri
    return ConfigError(f"study.options.files: {problem}; {_WHERE.format(name=name)}")
