"""The file of a part: what goes in comes out, and nothing that is not the part is taken for it."""

import io
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raylib.errors import DataError
from raylib.store.parts import PartError, PartSpec, decode, encode, part_key
from tests.store_parts import FINGERPRINT, SCHEMA, spec, table

WIDE = pa.schema(
    [
        pa.field("sample_id", pa.string(), nullable=False),
        pa.field("text", pa.string()),
        pa.field("count", pa.int64()),
        pa.field("score", pa.float64()),
        pa.field("flag", pa.bool_()),
        pa.field("names", pa.list_(pa.string())),
    ]
)
TEXT = st.text(max_size=30)
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "text": st.none() | TEXT,
            "count": st.none() | st.integers(-(2**63), 2**63 - 1),
            "score": st.none() | st.floats(),
            "flag": st.none() | st.booleans(),
            "names": st.none() | st.lists(st.none() | TEXT, max_size=3),
        }
    ),
    max_size=12,
)


def planned(rows: list[dict[str, Any]]) -> tuple[PartSpec, pa.Table]:
    ids = tuple(f"s{place}" for place in range(len(rows)))
    whole = [{"sample_id": one, **row} for one, row in zip(ids, rows, strict=True)]
    return PartSpec("generate", FINGERPRINT, "u1", ids, "sample_id"), pa.Table.from_pylist(whole, schema=WIDE)


@settings(max_examples=60, deadline=None)
@given(ROWS)
def test_what_is_encoded_is_decoded(rows: list[dict[str, Any]]) -> None:
    plan, rows_in = planned(rows)
    rows_out = decode(encode(plan, rows_in, WIDE), plan, WIDE)
    assert rows_out.schema.equals(WIDE, check_metadata=True)
    assert repr(rows_out.to_pylist()) == repr(rows_in.to_pylist())  # repr: nan is nan, -0.0 is not 0.0


@settings(max_examples=30, deadline=None)
@given(ROWS, st.integers(1, 5))
def test_equal_tables_give_equal_bytes(rows: list[dict[str, Any]], chunk: int) -> None:
    plan, whole = planned(rows)
    pieces = [whole.slice(start, chunk) for start in range(0, len(rows), chunk)]
    cut = pa.concat_tables(pieces or [whole]).replace_schema_metadata({"made": "by somebody"})
    assert encode(plan, cut, WIDE) == encode(plan, whole, WIDE)


PLAN = spec(rows=20)
PART = encode(PLAN, table(PLAN), SCHEMA)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, len(PART) - 1))
def test_a_part_cut_off_anywhere_is_torn(length: int) -> None:
    with pytest.raises(PartError, match=f"torn: its {length} bytes are no whole Parquet file"):
        decode(PART[:length], PLAN, SCHEMA)


@settings(max_examples=300, deadline=None)
@given(st.integers(0, len(PART) - 1), st.integers(1, 255))
def test_a_changed_byte_is_noticed_unless_it_changes_nothing(place: int, difference: int) -> None:
    data = bytearray(PART)
    data[place] ^= difference
    try:
        rows = decode(bytes(data), PLAN, SCHEMA)
    except PartError:
        return
    assert rows.equals(table(PLAN))


@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=200))
def test_bytes_that_are_no_parquet_are_torn(data: bytes) -> None:
    for each in (data, b"PAR1" + data + b"PAR1"):
        with pytest.raises(PartError, match="torn"):
            decode(each, PLAN, SCHEMA)


@pytest.mark.parametrize(
    ("owner", "message"),
    [
        (spec("u2"), r"foreign: its fairsweep.unit_id is 'u2', expected 'u1'"),
        (spec(stage="annotate"), r"foreign: its fairsweep.stage is 'annotate', expected 'generate'"),
        (PartSpec("generate", "e" * 24, "u1", spec().ids, "sample_id"), r"foreign: its fairsweep.fingerprint is 'eee"),
    ],
)
def test_the_part_of_another_unit_is_foreign(owner: PartSpec, message: str) -> None:
    with pytest.raises(PartError, match=message):
        decode(encode(owner, table(owner), SCHEMA), spec(), SCHEMA)


def test_parquet_of_somebody_else_is_foreign() -> None:
    sink = io.BytesIO()
    pq.write_table(table(spec()), sink)
    with pytest.raises(PartError, match=r"foreign: its fairsweep.stage is 'not recorded', expected 'generate'"):
        decode(sink.getvalue(), spec(), SCHEMA)


def test_rows_that_were_changed_after_the_fact_are_noticed() -> None:
    footer = pq.read_schema(io.BytesIO(encode(spec(), table(spec()), SCHEMA))).metadata
    sink = io.BytesIO()
    pq.write_table(table(spec(), text="another story").replace_schema_metadata(footer), sink)
    with pytest.raises(PartError, match="changed: its content does not have the sha256"):
        decode(sink.getvalue(), spec(), SCHEMA)


def test_the_footer_says_what_the_part_is() -> None:
    metadata = pq.read_schema(io.BytesIO(encode(spec(), table(spec()), SCHEMA))).metadata
    ours = {name.decode(): value.decode() for name, value in metadata.items() if name.startswith(b"fairsweep.")}
    assert {name: ours[f"fairsweep.{name}"] for name in ("stage", "fingerprint", "unit_id", "rows", "id_column")} == {
        "stage": "generate", "fingerprint": FINGERPRINT, "unit_id": "u1", "rows": "4", "id_column": "sample_id",
    }  # fmt: skip
    assert len(ours["fairsweep.content_sha256"]) == 64


def without(name: str) -> pa.Table:
    return table(spec()).drop_columns([name])


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (without("text"), "column 'text' is missing"),
        (table(spec()).append_column("extra", pa.array([1] * 4)), "column 'extra' is not in the schema"),
        (table(spec()).select(["text", "sample_id", "status", "completion_tokens"]), "its columns are in the order text"),
        (
            pa.table(table(spec()).to_pydict(), schema=SCHEMA.set(3, pa.field("completion_tokens", pa.int64(), nullable=False))),
            "column 'completion_tokens' is int64 not null, expected int32 not null",
        ),
        (table(spec()).slice(0, 3), "it has 3 rows, planned were 4"),
        (table(spec(rows=5)), "it has 5 rows, planned were 4"),
        (table(spec()).take([1, 0, 2, 3]), "row 0 has sample_id 's1', planned was 's0'"),
        (table(spec()).take([0, 1, 1, 3]), r"row 2 has sample_id 's1' \(already in row 1\), planned was 's2'"),
        (
            table(spec()).set_column(1, SCHEMA.field("status"), pa.array(["ok", "ok", None, "ok"])),
            "row 2 has no status, which must not be null",
        ),
    ],
    ids=["missing", "extra", "order of columns", "type", "short", "long", "order", "twice", "null"],
)  # fmt: skip
def test_a_table_that_is_not_what_was_planned_is_never_written(rows: pa.Table, message: str) -> None:
    with pytest.raises(DataError, match=f"unit u1 of generate: {message}"):
        encode(spec(), rows, SCHEMA)


def test_a_plan_with_an_id_twice_is_refused() -> None:
    twice = PartSpec("generate", FINGERPRINT, "u1", ("s0", "s0"), "sample_id")
    with pytest.raises(DataError, match="sample_id 's0' occurs twice in the unit"):
        encode(twice, table(twice), SCHEMA)


def test_a_part_with_other_ids_than_planned_now_is_refused() -> None:
    data = encode(spec(rows=4), table(spec(rows=4)), SCHEMA)
    with pytest.raises(PartError, match="it has 4 rows, planned were 5"):
        decode(data, spec(rows=5), SCHEMA)
    with pytest.raises(PartError, match="row 0 has sample_id 's0', planned was 's1'"):
        decode(data, spec(rows=4, first=1), SCHEMA)


def test_a_part_of_another_schema_is_refused() -> None:
    data = encode(spec(), table(spec()), SCHEMA)
    with pytest.raises(PartError, match="column 'status' is not in the schema"):
        decode(data, spec(), SCHEMA.remove(1))


def test_keys_hold_stage_fingerprint_unit_and_revision() -> None:
    assert part_key(spec()) == f"parts/generate/{FINGERPRINT}/u1.parquet"
    assert part_key(spec(), 3) == f"parts/generate/{FINGERPRINT}/u1.3.parquet"


@pytest.mark.parametrize("unit", ["../u", "u.1", "", "u/1"])
def test_a_unit_id_that_would_blur_keys_is_refused(unit: str) -> None:
    with pytest.raises(DataError, match="cannot be part of a key"):
        spec(unit)
