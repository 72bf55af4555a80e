"""Parquet files of an import."""

from collections.abc import Collection

import pyarrow as pa
import pyarrow.parquet as pq

from raylib.errors import DataError
from raylib.imported.files import RawFile


def read_parquet(data: bytes, name: str, wanted: Collection[str]) -> RawFile:
    """Return the rows of a Parquet file; values keep their types.

    Raises:
        DataError: the file is cut off, is no Parquet, or has a column twice.
    """
    try:
        file = pq.ParquetFile(pa.BufferReader(data))
        columns = tuple(file.schema_arrow.names)
        twice = next((column for place, column in enumerate(columns) if column in columns[:place]), None)
        if twice is not None:
            raise DataError(f"{name}: column {twice!r} is there twice; rename one")
        table = file.read(columns=[column for column in columns if column in wanted])
        table.validate(full=True)
        rows = table.to_pylist() if table.num_columns else [{} for _ in range(file.metadata.num_rows)]
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = " ".join(str(error).split())[:120]
        raise DataError(f"{name}: no whole Parquet file ({reason}): cut off? Fetch or write it again") from None
    return RawFile(name, "row", columns, list(enumerate(rows, start=1)))
