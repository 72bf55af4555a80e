"""A digest of what a table says, whatever way Arrow or Parquet happens to lay it out."""

import hashlib
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from raylib.errors import DataError


class _Hash(Protocol):
    def update(self, data: Any, /) -> None: ...


def content_digest(table: pa.Table) -> str:
    """Return the sha256 (64 hexadecimal digits) of a table's columns, types and values.

    Equal tables have equal digests: chunks, slices, offsets, dictionaries, and whatever bytes lie under a null do not
    count. Floats count bit by bit (so NaN equals itself and -0.0 differs from 0.0). Schema metadata does not count.

    Raises:
        DataError: a column has a type that no table of ours uses (map, union, view, extension).
    """
    sha256 = hashlib.sha256()
    sha256.update(f"{table.num_rows} rows".encode())
    for name, column in zip(table.column_names, table.columns, strict=True):
        sha256.update(f"\0{name}\0{_type_text(column.type)}\0".encode())
        _add(sha256, pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type), name)
    return sha256.hexdigest()


def _type_text(kind: pa.DataType) -> str:
    """Return a type in words, without the name of a list's items: Arrow calls them `item`, Parquet `element`."""
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return f"{str(kind).partition('<')[0]}<{_type_text(kind.value_type)}>"
    if pa.types.is_struct(kind):
        return f"struct<{', '.join(f'{field.name}: {_type_text(field.type)}' for field in kind)}>"
    return str(kind)


def _add(sha256: _Hash, array: pa.Array, name: str) -> None:
    """Add which values are there, then the values that are, as one run of bytes."""
    sha256.update(len(array).to_bytes(8, "little"))
    sha256.update(np.packbits(array.is_valid().to_numpy(zero_copy_only=False)).tobytes())
    kind = array.type
    if pa.types.is_null(kind):
        return
    if pa.types.is_struct(kind):
        for place, child in enumerate(array.drop_null().flatten()):
            _add(sha256, child, f"{name}.{kind.field(place).name}")
        return
    present = array.drop_null()
    if pa.types.is_dictionary(kind):
        _add(sha256, present.dictionary_decode(), name)
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        sha256.update(pc.list_value_length(present).cast(pa.int64()).to_numpy().tobytes())
        _add(sha256, present.flatten(), f"{name}[]")
    elif (
        pa.types.is_string(kind)
        or pa.types.is_binary(kind)
        or pa.types.is_large_string(kind)
        or pa.types.is_large_binary(kind)
    ):
        _add_binary(sha256, present.cast(pa.large_binary()))
    elif pa.types.is_boolean(kind):
        sha256.update(np.packbits(present.to_numpy(zero_copy_only=False)).tobytes())
    elif pa.types.is_primitive(kind) or pa.types.is_fixed_size_binary(kind) or pa.types.is_decimal(kind):
        width = kind.bit_width // 8
        sha256.update(_slice(present.buffers()[1], present.offset * width, (present.offset + len(present)) * width))
    else:
        raise DataError(
            f"column {name!r} has the type {kind}, which parts do not hold; use plain, list or struct columns"
        )


def _add_binary(sha256: _Hash, array: pa.Array) -> None:
    _, offsets, values = array.buffers()
    if not len(array):
        return
    ends = np.frombuffer(offsets, dtype=np.int64)[array.offset : array.offset + len(array) + 1]
    sha256.update(np.diff(ends).tobytes())
    sha256.update(_slice(values, int(ends[0]), int(ends[-1])))


def _slice(buffer: pa.Buffer | None, start: int, end: int) -> memoryview:
    return memoryview(buffer)[start:end] if buffer is not None else memoryview(b"")
