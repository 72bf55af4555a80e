"""Result tables: one Parquet object a table, named by the fingerprint of what it was computed from."""

import io
import logging

import pyarrow as pa
import pyarrow.parquet as pq

from raylib.errors import DataError
from raylib.store.base import ObjectStore
from raylib.store.content import content_digest
from raylib.store.part_file import PartError, read_parquet
from raylib.store.receipt import Receipt, receipt_of

LOG = logging.getLogger(__name__)
_MOST_REVISIONS = 20


def write_table(store: ObjectStore, key: str, table: pa.Table, name: str | None = None) -> Receipt:
    """Write a table once and return its receipt; its unit id is `name`, or the file's name without the ending.

    An object that is no whole Parquet file stays where it is, and the table goes beside it as the next revision.

    Raises:
        DataError: the key already holds other rows. One fingerprint must give one result, so either the code changed
            without a new version, or a computation is not deterministic.
    """
    sink = io.BytesIO()
    pq.write_table(table.combine_chunks(), sink, compression="zstd")
    data = sink.getvalue()
    stem = key.removesuffix(".parquet")
    name = name or stem.rsplit("/", 1)[-1]
    for revision in range(_MOST_REVISIONS):
        place = f"{stem}.{revision}.parquet" if revision else key
        if store.put_if_absent(place, data, {"rows": str(table.num_rows)}):
            return receipt_of(name, place, revision, data, table)
        existing = store.get(place)
        try:
            _, before = read_parquet(existing)
        except PartError as error:
            LOG.warning("table %s is not used: %s", place, error)
            continue
        if content_digest(before) != content_digest(table):
            raise DataError(
                f"{store.url}/{place} holds other numbers than were computed now from the same inputs. "
                "If fairsweep's code was changed, raise its version; otherwise please report it as a defect"
            )
        return receipt_of(name, place, revision, existing, before)
    raise DataError(
        f"{store.url}/{key}: {_MOST_REVISIONS} objects stand where this table should and none can be read; "
        "something else writes there, choose another store.url"
    )
