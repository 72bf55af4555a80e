"""The content digest: equal tables, one digest, however Arrow lays them out; any other value, another digest."""

from typing import Any

import pyarrow as pa
import pytest

from raylib.errors import DataError
from raylib.store.content import content_digest

TYPES: list[tuple[pa.DataType, list[Any]]] = [
    (pa.string(), ["a", None, "", "äß", "b"]),
    (pa.large_string(), ["a", None, "", "c", "b"]),
    (pa.binary(), [b"a", None, b"", b"\0", b"b"]),
    (pa.int16(), [1, None, 0, -5, 7]),
    (pa.float64(), [0.0, None, float("nan"), float("inf"), -0.0]),
    (pa.bool_(), [True, None, False, True, True]),
    (pa.timestamp("us"), [1, None, 0, 3, 4]),
    (pa.list_(pa.string()), [["a", None], None, [], ["b"], ["c", "d"]]),
    (
        pa.struct([("x", pa.int32()), ("y", pa.string())]),
        [{"x": 1, "y": "a"}, None, {"x": None, "y": "b"}, {"x": 2, "y": None}, {"x": 3, "y": ""}],
    ),
    (pa.list_(pa.struct([("x", pa.int8())])), [[{"x": 1}], None, [], [{"x": None}, None], [{"x": 2}]]),
    (pa.dictionary(pa.int32(), pa.string()), ["a", None, "a", "b", "c"]),
    (pa.null(), [None] * 5),
]


def one_column(kind: pa.DataType, values: list[Any]) -> pa.Table:
    return pa.table({"x": pa.array(values, kind)})


@pytest.mark.parametrize(("kind", "values"), TYPES, ids=lambda value: str(value)[:30])
def test_chunks_slices_and_offsets_do_not_count(kind: pa.DataType, values: list[Any]) -> None:
    whole = one_column(kind, values)
    chunked = pa.concat_tables([one_column(kind, values[:2]), one_column(kind, values[2:])])
    sliced = one_column(kind, [*values[3:], *values, *values[:2]]).slice(2, 5)
    assert content_digest(chunked) == content_digest(whole)
    assert content_digest(sliced) == content_digest(whole)


@pytest.mark.parametrize(("kind", "values"), TYPES[:-1], ids=lambda value: str(value)[:30])
def test_another_order_or_one_null_more_is_another_digest(kind: pa.DataType, values: list[Any]) -> None:
    whole = content_digest(one_column(kind, values))
    assert content_digest(one_column(kind, values[::-1])) != whole
    assert content_digest(one_column(kind, [*values[:4], None])) != whole
    assert content_digest(one_column(kind, values[:4])) != whole


def test_what_lies_under_a_null_does_not_count() -> None:
    validity = pa.py_buffer(bytes([0b101]))
    values = pa.py_buffer(bytes([1, 0, 0, 0, 9, 9, 9, 9, 2, 0, 0, 0]))
    array = pa.Array.from_buffers(pa.int32(), 3, [validity, values])
    assert content_digest(pa.table({"x": array})) == content_digest(one_column(pa.int32(), [1, None, 2]))


def test_where_one_text_ends_and_the_next_begins_counts() -> None:
    assert content_digest(one_column(pa.string(), ["ab", "c"])) != content_digest(one_column(pa.string(), ["a", "bc"]))
    lists = pa.list_(pa.string())
    assert content_digest(one_column(lists, [["a"], []])) != content_digest(one_column(lists, [[], ["a"]]))


def test_names_and_types_count_and_metadata_does_not() -> None:
    table = one_column(pa.int32(), [1])
    assert content_digest(table.rename_columns(["y"])) != content_digest(table)
    assert content_digest(one_column(pa.int64(), [1])) != content_digest(table)
    assert content_digest(table.replace_schema_metadata({"a": "b"})) == content_digest(table)


def test_a_type_that_parts_do_not_hold_is_refused() -> None:
    table = pa.table({"x": pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int32()))})
    with pytest.raises(DataError, match="column 'x' has the type map"):
        content_digest(table)
