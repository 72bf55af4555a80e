"""The commit protocol: one put-if-absent a unit, first writer wins, nothing is ever replaced.

What belongs to parts is importable from here.
"""

import logging

import pyarrow as pa

from raylib.errors import DataError
from raylib.store.base import ObjectStore
from raylib.store.part_file import PartError, PartSpec, decode, encode, part_key, part_prefix
from raylib.store.reading import read_bytes, read_part, read_rows
from raylib.store.receipt import Receipt, receipt_of
from raylib.store.survey import Rejected, Survey, examine, survey

__all__ = [
    "PartError",
    "PartSpec",
    "Receipt",
    "Rejected",
    "Survey",
    "commit",
    "decode",
    "encode",
    "part_key",
    "part_prefix",
    "read_bytes",
    "read_part",
    "read_rows",
    "survey",
]

LOG = logging.getLogger(__name__)
_MOST_REVISIONS = 20


def commit(store: ObjectStore, spec: PartSpec, table: pa.Table, schema: pa.Schema, revision: int = 0) -> Receipt:
    """Bring a unit's part to the store and return the receipt of the part that is there afterwards.

    Where another writer was first, the existing part is read: if it is valid, it is the unit's part and this table is
    dropped; if it is not, it stays as it is and this table goes to the next revision.

    Raises:
        DataError: the table is not what the unit plans (nothing is written), or 20 revisions are taken by objects that
            are no valid parts.
        StoreError: the store refuses the write.
    """
    data = encode(spec, table, schema)
    reasons = []
    for number in range(revision, revision + _MOST_REVISIONS):
        key = part_key(spec, number)
        mine = receipt_of(spec.unit_id, key, number, data, table)
        metadata = {
            "stage": spec.stage,
            "fingerprint": spec.fingerprint,
            "unit-id": spec.unit_id,
            "rows": str(mine.rows),
        }
        if store.put_if_absent(key, data, metadata):
            return mine
        try:
            return examine(store, spec, number, schema)
        except PartError as error:
            LOG.warning("part %s is not used: %s", key, error)
            reasons.append(f"{key} is {error}")
    raise DataError(
        f"unit {spec.unit_id} of {spec.stage}: {_MOST_REVISIONS} objects stand where its part should and none is valid "
        f"(the last: {reasons[-1]}); something else writes to {store.url}, choose another store.url"
    )
