"""The content digest survives a round trip through Parquet for every kind of column that a stage writes."""

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from raylib.store.content import content_digest

COLUMNS = {
    "text": pa.array(["a", None, ""]),
    "lists": pa.array([["x", "y"], None, []], pa.list_(pa.string())),
    "lists of lists": pa.array([[[1], []], None, [[2, 3]]], pa.list_(pa.list_(pa.int32()))),
    "structs": pa.array([{"a": ["x"]}, None, {"a": []}], pa.struct([("a", pa.list_(pa.string()))])),
    "numbers": pa.array([1.5, None, float("nan")]),
    "flags": pa.array([True, None, False]),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_table_read_back_from_parquet_has_the_digest_that_it_had(name: str) -> None:
    table = pa.table({name: COLUMNS[name]})
    sink = io.BytesIO()
    pq.write_table(table, sink)
    assert content_digest(pq.read_table(io.BytesIO(sink.getvalue()))) == content_digest(table)


def test_lists_of_another_type_have_another_digest() -> None:
    narrow = pa.table({"a": pa.array([[1]], pa.list_(pa.int32()))})
    wide = pa.table({"a": pa.array([[1]], pa.list_(pa.int64()))})
    assert content_digest(narrow) != content_digest(wide)
