"""Reading what was committed, never without comparing it with what was recorded."""

import hashlib
from collections.abc import Sequence

import pyarrow as pa

from raylib.errors import DataError
from raylib.store.base import ObjectStore
from raylib.store.part_file import PartError, PartSpec, decode, read_parquet, schema_problem
from raylib.store.receipt import Receipt

_AGAIN = "run the job that wrote it again with the same config"


def read_bytes(store: ObjectStore, receipt: Receipt) -> bytes:
    """Return a committed object's bytes.

    Raises:
        PartError: the object is missing, or its size or sha256 is not the recorded one.
    """
    where = f"{store.url}/{receipt.key}"
    try:
        data = store.get(receipt.key)
    except KeyError:
        raise PartError(f"{where} is missing; {_AGAIN}") from None
    if len(data) != receipt.size:
        raise PartError(f"{where} has {len(data)} bytes, {receipt.size} were recorded; {_AGAIN}")
    if hashlib.sha256(data).hexdigest() != receipt.sha256:
        raise PartError(f"{where} does not have the recorded sha256 (it was changed); {_AGAIN}")
    return data


def read_table(store: ObjectStore, receipt: Receipt) -> pa.Table:
    """Return the rows of a committed object with whatever columns it has.

    Raises:
        PartError: the object is missing, or is not the recorded one.
    """
    data = read_bytes(store, receipt)
    try:
        _, table = read_parquet(data)
    except PartError as error:
        raise PartError(f"{store.url}/{receipt.key} is {error}; {_AGAIN}") from error
    return table


def read_rows(
    store: ObjectStore, receipt: Receipt, schema: pa.Schema, columns: Sequence[str] | None = None
) -> pa.Table:
    """Return the rows of a committed object, or some of its columns.

    Raises:
        PartError: the object is missing, is not the recorded one, or has another schema.
        DataError: `columns` names one that the schema does not have.
    """
    unknown = [name for name in columns or () if name not in schema.names]
    if unknown:
        raise DataError(f"no column {unknown[0]!r} in {receipt.key}; valid: {', '.join(schema.names)}")
    table = read_table(store, receipt)
    problem = schema_problem(table.schema, schema)
    if problem:
        raise PartError(f"{store.url}/{receipt.key}: {problem}; it was written by another version, use a new run name")
    return table.select(list(columns)) if columns is not None else table


def read_part(store: ObjectStore, receipt: Receipt, spec: PartSpec, schema: pa.Schema) -> pa.Table:
    """Return the table of a committed part after checking bytes, unit, schema, ids and content.

    Raises:
        PartError: any of these does not hold.
    """
    data = read_bytes(store, receipt)
    try:
        return decode(data, spec, schema)
    except PartError as error:
        raise PartError(
            f"{store.url}/{receipt.key} is not the part of unit {spec.unit_id}: {error}; {_AGAIN}"
        ) from error
