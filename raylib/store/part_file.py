"""The file of one part: what a unit must contain, written with its own description and checked when it is read."""

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq

import raylib
from raylib.errors import DataError
from raylib.store.content import content_digest

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_PREFIX = "fairsweep."
_UNREADABLE = (pa.ArrowException, OSError, ValueError)


class PartError(DataError):
    """A stored object is not the part that belongs under its key; the message says exactly why."""


@dataclass(frozen=True)
class PartSpec:
    """What the part of one unit must hold: `ids`, in this order, in the column `id_column`."""

    stage: str
    fingerprint: str
    unit_id: str
    ids: tuple[str, ...]
    id_column: str

    def __post_init__(self) -> None:
        """Check that the names can be part of a key. Raises DataError."""
        for what in ("stage", "fingerprint", "unit_id"):
            name = getattr(self, what)
            if not _NAME.fullmatch(name):
                raise DataError(f"{what} {name!r} cannot be part of a key: use 1 to 64 of A-Z, a-z, 0-9, '_', '-'")


def part_prefix(stage: str, fingerprint: str) -> str:
    """Return what the keys of all parts of a stage begin with."""
    return f"parts/{stage}/{fingerprint}/"


def part_key(spec: PartSpec, revision: int = 0) -> str:
    """Return the key of a unit's part; a later revision stands beside an earlier one that was torn or incomplete."""
    suffix = f".{revision}" if revision else ""
    return f"{part_prefix(spec.stage, spec.fingerprint)}{spec.unit_id}{suffix}.parquet"


def encode(spec: PartSpec, table: pa.Table, schema: pa.Schema) -> bytes:
    """Return a part as a Parquet file (zstd) in memory. Equal tables give equal bytes.

    Raises:
        DataError: the table has another schema, other ids or another order than planned, or a null where none may be.
    """
    where = f"unit {spec.unit_id} of {spec.stage}"
    problem = _problem(table, spec, schema)
    if problem:
        raise DataError(f"{where}: {problem}; nothing was written. This is a defect of the step that made the table")
    plain = table.replace_schema_metadata(None).combine_chunks()
    described = plain.replace_schema_metadata(_describe(spec, plain))
    sink = io.BytesIO()
    pq.write_table(described, sink, compression="zstd", write_page_checksum=True)
    return sink.getvalue()


def decode(data: bytes, spec: PartSpec, schema: pa.Schema | None) -> pa.Table:
    """Return the table of a part (without metadata) after checking everything that `encode` promised.

    With no `schema` the columns are taken as they are; the content's digest still covers them.

    Raises:
        PartError: torn, foreign, another schema, other rows or ids, or changed content; the message says which.
    """
    metadata, table = read_parquet(data)
    own = _describe(spec, None)
    for name, value in own.items():
        if metadata.get(name) != value:
            raise PartError(f"foreign: its {name} is {metadata.get(name, 'not recorded')!r}, expected {value!r}")
    problem = _problem(table, spec, schema or table.schema)
    if problem:
        raise PartError(problem)
    if metadata.get(f"{_PREFIX}content_sha256") != content_digest(table):
        raise PartError("changed: its content does not have the sha256 that its footer records")
    # Parquet names the items of a list its own way; the caller gets the schema's names.
    return table.cast(schema.remove_metadata()) if schema is not None else table


def read_parquet(data: bytes) -> tuple[dict[str, str], pa.Table]:
    """Return the footer's key-value metadata and the rows (without metadata) of a Parquet file in memory.

    Raises:
        PartError: the bytes are no whole Parquet file.
    """
    try:
        file = pq.ParquetFile(io.BytesIO(data), page_checksum_verification=True)
        table = file.read()
        table.validate(full=True)
        metadata = {key.decode(): value.decode() for key, value in (file.schema_arrow.metadata or {}).items()}
    except _UNREADABLE as error:
        reason = " ".join(str(error).split())[:120]
        raise PartError(f"torn: its {len(data)} bytes are no whole Parquet file ({reason})") from error
    return metadata, table.replace_schema_metadata(None)


def schema_problem(have: pa.Schema, want: pa.Schema) -> str | None:
    """Return how a table's columns differ from the schema, in words, or None."""
    if have.equals(want, check_metadata=False):
        return None
    for name in want.names:
        if name not in have.names:
            return f"column {name!r} is missing"
    for name in have.names:
        if name not in want.names:
            return f"column {name!r} is not in the schema (columns: {', '.join(want.names)})"
    for field in want:
        if not have.field(field.name).equals(field):
            return (
                f"column {field.name!r} is {_describe_field(have.field(field.name))}, expected {_describe_field(field)}"
            )
    return f"its columns are in the order {', '.join(have.names)}, expected {', '.join(want.names)}"


def nulls_problem(table: pa.Table) -> str | None:
    """Return the first null in a column that allows none, in words, or None."""
    for field in table.schema:
        column = table[field.name]
        if not field.nullable and column.null_count:
            row = column.is_null().index(True).as_py()
            return f"row {row} has no {field.name}, which must not be null"
    return None


def ids_problem(have: Sequence[str], want: Sequence[str], column: str) -> str | None:
    """Return how the ids differ from the planned ones, naming the first row that does, or None."""
    if len(set(want)) != len(want):
        twice = next(one for place, one in enumerate(want) if one in want[:place])
        return f"{column} {twice!r} occurs twice in the unit"
    seen: dict[str, int] = {}
    for row, (one, planned) in enumerate(zip(have, want, strict=False)):
        if one != planned:
            twice = f" (already in row {seen[one]})" if one in seen else ""
            return f"row {row} has {column} {one!r}{twice}, planned was {planned!r}"
        seen[one] = row
    return f"it has {len(have)} rows, planned were {len(want)}" if len(have) != len(want) else None


def spec_in(data: bytes, stage: str, fingerprint: str, unit_id: str) -> PartSpec:
    """Return what a part says it holds, for a reader without the plan; stage and unit are the reader's own.

    Raises:
        PartError: the bytes are torn, or no part of ours.
    """
    metadata, table = read_parquet(data)
    column = metadata.get(f"{_PREFIX}id_column")
    if column is None or column not in table.column_names:
        raise PartError("foreign: its footer does not say which column holds its ids")
    return PartSpec(stage, fingerprint, unit_id, tuple(table[column].to_pylist()), column)


def _problem(table: pa.Table, spec: PartSpec, schema: pa.Schema) -> str | None:
    problem = schema_problem(table.schema, schema) or nulls_problem(table)
    if problem:
        return problem
    if spec.id_column not in table.column_names:
        return f"it has no column {spec.id_column!r} for its ids"
    return ids_problem(table[spec.id_column].to_pylist(), spec.ids, spec.id_column)


def _describe(spec: PartSpec, table: pa.Table | None) -> dict[str, str]:
    """Return the footer's metadata; without a table only what identifies the unit."""
    own = {"stage": spec.stage, "fingerprint": spec.fingerprint, "unit_id": spec.unit_id, "id_column": spec.id_column}
    if table is not None:
        own |= {
            "rows": str(table.num_rows),
            "content_sha256": content_digest(table),
            "version": raylib.__version__,
        }
    return {f"{_PREFIX}{name}": value for name, value in own.items()}


def _describe_field(field: pa.Field) -> str:
    return f"{field.type}{'' if field.nullable else ' not null'}"
