"""The files of an import: what they are called in messages, their hashes, their raw rows."""

import hashlib
import os
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from raylib.config.imported import ImportedOptions
from raylib.errors import ConfigError, DataError

_FORMATS = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet", ".pq": "parquet"}


class RawFile(NamedTuple):
    """A file as it was read, before any column is looked at."""

    name: str
    counted: str
    """What a row is counted in: `line` of a text file (as an editor shows it), `row` of Parquet; both from 1."""
    columns: tuple[str, ...]
    rows: list[tuple[int, Mapping[str, object]]]
    """(line or row, values of the columns that were asked for); a value that a row does not have is left out."""

    def place(self, number: int) -> str:
        """Return where a row stands, for messages."""
        return f"{self.name}, {self.counted} {number}"


def names_of(options: ImportedOptions) -> list[str]:
    """Return what to call each file: its name alone, or its path where two are named alike."""
    times = Counter(Path(path).name for path in options.files)
    return [Path(path).name if times[Path(path).name] == 1 else path for path in options.files]


def file_hashes(options: ImportedOptions) -> tuple[str, ...]:
    """Return the sha256 of each file: the pinned ones as they stand, else of the files as they lie there.

    Raises:
        ConfigError: a file is missing or cannot be read.
    """
    return options.sha256 or tuple(_hash(path) for path in options.files)


def read_bytes(path: str, name: str, sha256: str) -> bytes:
    """Return a file's bytes.

    Raises:
        ConfigError: it is missing or cannot be read.
        DataError: it does not have the expected sha256.
    """
    try:
        data = Path(path).expanduser().read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from None
    actual = hashlib.sha256(data).hexdigest()
    if actual != sha256:
        raise DataError(
            f"{name} has sha256 {actual}, expected {sha256}: it was changed. Give the file that was meant, or the new "
            "hash in model.engine.sha256 and another --run name"
        )
    return data


def format_of(path: str, options: ImportedOptions) -> str:
    """Return csv, jsonl or parquet. Raises ConfigError where neither the option nor the ending says it."""
    if options.format != "auto":
        return options.format
    ending = Path(path).suffix.lower()
    if ending not in _FORMATS:
        raise ConfigError(
            f"{path}: its ending does not say what it is ({', '.join(_FORMATS)} are known): "
            "set model.engine.format to csv, jsonl or parquet"
        )
    return _FORMATS[ending]


def _hash(path: str) -> str:
    try:
        status = os.stat(os.path.expanduser(path))
        return _cached_hash(path, status.st_size, status.st_mtime_ns)
    except OSError as error:
        raise _unreadable(path, error) from None


@lru_cache(maxsize=1024)
def _cached_hash(path: str, size: int, changed: int) -> str:
    with open(os.path.expanduser(path), "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _unreadable(path: str, error: OSError) -> ConfigError:
    return ConfigError(
        f"cannot read {path} (looked in {Path.cwd()}): {error.strerror or error}; correct model.engine.files"
    )
