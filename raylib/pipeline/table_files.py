"""Tables as files beside each other: Parquet for programs, CSV for people; and back."""

import io
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from raylib.errors import ConfigError, DataError
from raylib.report.csv_export import to_csv


def write_both(folder: Path, name: str, table: pa.Table) -> Path:
    """Write `name.parquet` and `name.csv` and return the CSV's path. Raises ConfigError where that is not possible."""
    sink = io.BytesIO()
    pq.write_table(table, sink)
    write_file(folder / f"{name}.parquet", sink.getvalue())
    return write_file(folder / f"{name}.csv", to_csv(table).encode())


def must_not_exist(folder: Path, name: str) -> None:
    """Raise ConfigError if there is such a file already: somebody may have worked in it."""
    for path in (folder / f"{name}.csv", folder / f"{name}.parquet"):
        if path.exists():
            raise ConfigError(f"{path} is there already and may be filled: choose another --out or move it")


def read_parquet_file(path: Path, schema: pa.Schema, option: str) -> pa.Table:
    """Return a Parquet file of exactly this schema.

    Raises:
        ConfigError: there is no such file, or it is no Parquet file.
        DataError: it has other columns.
    """
    table = read_any_parquet(path, option)
    if not table.schema.equals(schema, check_metadata=False):
        raise DataError(
            f"{option} {path} has the columns {', '.join(table.column_names)}, not {', '.join(schema.names)}"
        )
    return table


def read_any_parquet(path: Path, option: str) -> pa.Table:
    """Return a Parquet file. Raises ConfigError if there is none."""
    try:
        return pq.read_table(pa.BufferReader(path.read_bytes()))
    except (OSError, pa.ArrowInvalid) as error:
        reason = getattr(error, "strerror", None) or "not a Parquet file"
        raise ConfigError(f"cannot read {option} {path}: {reason}; give the file that this job wrote") from None


def read_text_file(path: Path, option: str) -> str:
    """Return a file of UTF-8 text with its line ends as they are. Raises ConfigError if it cannot be read."""
    try:
        return read_bytes(path, option).decode("utf-8")
    except UnicodeDecodeError:
        raise ConfigError(f"{option} {path} is not UTF-8: save the sheet as 'CSV UTF-8'") from None


def read_bytes(path: Path, option: str) -> bytes:
    """Return a file's bytes. Raises ConfigError if it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(f"cannot read {option} {path}: {error.strerror or error}") from None


def write_file(path: Path, data: bytes) -> Path:
    """Write a file whole or not at all, and return its path. Raises ConfigError where that is not possible."""
    scratch = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch.write_bytes(data)
        scratch.replace(path)
    except OSError as error:
        raise ConfigError(f"cannot write {path}: {error.strerror or error}. Choose another place") from None
    finally:
        if path.parent.is_dir():
            scratch.unlink(missing_ok=True)
    return path
