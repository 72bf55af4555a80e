"""Result tables: one fingerprint, one result."""

import pyarrow as pa
import pytest

from raylib.errors import DataError
from raylib.store.base import ObjectStore
from raylib.store.parts import read_rows
from raylib.store.tables import write_table

KEY = "results/f/estimates.parquet"
TABLE = pa.table({"cell": ["a", "b"], "estimate": [1.5, float("nan")]})


def test_the_same_numbers_again_are_the_same_receipt_even_where_one_is_not_a_number(store: ObjectStore) -> None:
    receipt = write_table(store, KEY, TABLE)
    assert (receipt.unit_id, receipt.key, receipt.rows) == ("estimates", KEY, 2)
    assert write_table(store, KEY, pa.concat_tables([TABLE.slice(0, 1), TABLE.slice(1)])) == receipt
    assert repr(read_rows(store, receipt, TABLE.schema).to_pylist()) == repr(TABLE.to_pylist())


def test_other_numbers_under_the_same_fingerprint_are_refused(store: ObjectStore) -> None:
    write_table(store, KEY, TABLE)
    with pytest.raises(DataError, match="holds other numbers than were computed now"):
        write_table(store, KEY, TABLE.slice(0, 1))


def test_a_torn_table_stays_and_the_next_revision_is_used(store: ObjectStore) -> None:
    store.put_if_absent(KEY, b"half a t")
    receipt = write_table(store, KEY, TABLE)
    assert (receipt.unit_id, receipt.key, receipt.revision) == ("estimates", "results/f/estimates.1.parquet", 1)
    assert write_table(store, KEY, TABLE) == receipt
    assert store.get(KEY) == b"half a t"
