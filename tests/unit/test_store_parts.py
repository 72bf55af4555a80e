"""The commit protocol and what resuming finds, on every kind of store."""

import json
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from raylib.errors import DataError
from raylib.store.base import ObjectStore
from raylib.store.parts import PartError, Receipt, commit, encode, part_key, read_part, read_rows, survey
from tests.store_parts import FINGERPRINT, SCHEMA, spec, table


def surveyed(store: ObjectStore, *specs: object) -> object:
    return survey(store, "generate", FINGERPRINT, specs, SCHEMA)  # type: ignore[arg-type]


def test_a_receipt_says_what_is_on_the_store(store: ObjectStore) -> None:
    receipt = commit(store, spec(rows=7), table(spec(rows=7)), SCHEMA)
    data = store.get(f"parts/generate/{FINGERPRINT}/u1.parquet")
    # rows 2 and 5 are errors; the other five have 10 tokens each
    assert (receipt.rows, receipt.revision, receipt.size, receipt.tokens) == (7, 0, len(data), 50)
    assert receipt.statuses == {"error": 2, "ok": 5}
    assert Receipt.from_dict(json.loads(json.dumps(receipt.to_dict()))) == receipt
    assert Receipt.from_json(receipt.to_json()) == receipt
    assert read_part(store, receipt, spec(rows=7), SCHEMA).equals(table(spec(rows=7)))


def test_the_first_writers_part_counts_and_both_get_its_receipt(store: ObjectStore) -> None:
    first = commit(store, spec(), table(spec(), "first"), SCHEMA)
    second = commit(store, spec(), table(spec(), "second"), SCHEMA)
    assert second == first
    assert read_rows(store, second, SCHEMA)["text"][0].as_py() == "first 0"
    assert [info.key for info in store.list("")] == [first.key]


def test_four_writers_racing_for_a_unit_agree_on_one_part(store: ObjectStore) -> None:
    barrier = Barrier(4)

    def write(text: str) -> Receipt:
        barrier.wait()
        return commit(store, spec(), table(spec(), text), SCHEMA)

    with ThreadPoolExecutor(4) as pool:
        receipts = list(pool.map(write, "abcd"))
    assert len(set(map(Receipt.to_json, receipts))) == 1
    assert len(list(store.list(""))) == 1


@pytest.mark.parametrize(
    "squatter", [b"", b"half a p", encode(spec("u2"), table(spec("u2")), SCHEMA)], ids=["empty", "torn", "foreign"]
)
def test_what_is_no_part_stays_and_the_part_goes_to_the_next_revision(store: ObjectStore, squatter: bytes) -> None:
    store.put_if_absent(part_key(spec()), squatter)
    receipt = commit(store, spec(), table(spec()), SCHEMA)
    assert (receipt.revision, receipt.key) == (1, part_key(spec(), 1))
    assert store.get(part_key(spec())) == squatter
    found = surveyed(store, spec())
    assert found.valid == {"u1": receipt}
    assert found.rejected == []


def test_twenty_squatters_in_a_row_end_in_one_line(store: ObjectStore) -> None:
    for revision in range(20):
        store.put_if_absent(part_key(spec(), revision), b"x")
    with pytest.raises(DataError, match="20 objects stand where its part should and none is valid") as error:
        commit(store, spec(), table(spec()), SCHEMA)
    assert "\n" not in str(error.value)


def test_a_wrong_table_leaves_nothing_on_the_store(store: ObjectStore) -> None:
    with pytest.raises(DataError):
        commit(store, spec(), table(spec()).slice(1), SCHEMA)
    assert list(store.list("")) == []


def test_a_survey_of_an_empty_store_finds_nothing(store: ObjectStore) -> None:
    found = surveyed(store, spec("u1"), spec("u2"))
    assert (found.valid, found.rejected, found.next_revision) == ({}, [], {})


def test_a_survey_finds_valid_parts_and_leaves_other_units_alone(store: ObjectStore) -> None:
    first = commit(store, spec("u1"), table(spec("u1")), SCHEMA)
    commit(store, spec("other"), table(spec("other")), SCHEMA)
    store.put_if_absent(f"parts/generate/{FINGERPRINT}/notes.txt", b"x")
    store.put_if_absent(f"parts/generate/{FINGERPRINT}/u2.extra.parquet", b"x")
    found = surveyed(store, spec("u1"), spec("u2", first=4))
    assert found.valid == {"u1": first}
    assert found.rejected == []
    assert found.next_revision == {"u1": 1}


def test_the_highest_valid_revision_counts(store: ObjectStore) -> None:
    commit(store, spec(), table(spec(), "first"), SCHEMA)
    second = commit(store, spec(), table(spec(), "retried"), SCHEMA, revision=1)
    assert second.revision == 1
    found = surveyed(store, spec())
    assert found.valid == {"u1": second}
    assert found.next_revision == {"u1": 2}


def test_below_an_invalid_highest_revision_the_valid_one_counts(store: ObjectStore) -> None:
    first = commit(store, spec(), table(spec()), SCHEMA)
    store.put_if_absent(part_key(spec(), 2), b"torn")
    store.put_if_absent(part_key(spec(), 10), b"torn")  # ten comes after two
    found = surveyed(store, spec())
    assert found.valid == {"u1": first}
    assert [item.key for item in found.rejected] == [part_key(spec(), 10), part_key(spec(), 2)]
    assert found.rejected[0].unit_id == "u1"
    assert "torn: its 4 bytes" in found.rejected[0].reason
    assert found.next_revision == {"u1": 11}


def test_a_unit_with_only_invalid_parts_is_to_be_done_at_the_next_revision(store: ObjectStore) -> None:
    store.put_if_absent(part_key(spec()), b"torn")
    found = surveyed(store, spec())
    assert found.valid == {}
    assert found.next_revision == {"u1": 1}


def test_a_part_of_a_plan_that_changed_is_not_taken_for_the_new_one(store: ObjectStore) -> None:
    commit(store, spec(rows=4), table(spec(rows=4)), SCHEMA)
    found = surveyed(store, spec(rows=5))
    assert found.valid == {}
    assert "4 rows, planned were 5" in found.rejected[0].reason


@pytest.mark.parametrize("change", ["missing", "shorter", "other bytes"])
def test_a_part_that_is_not_as_recorded_is_never_read(store: ObjectStore, change: str) -> None:
    receipt = commit(store, spec(), table(spec()), SCHEMA)
    values = receipt.to_dict()
    changed = {
        "missing": {"key": part_key(spec(), 5)},
        "shorter": {"size": receipt.size + 1},
        "other bytes": {"sha256": "0" * 64},
    }[change]
    message = {"missing": "is missing", "shorter": "were recorded", "other bytes": "recorded sha256"}[change]
    wrong = Receipt.from_dict({**values, **changed})
    for read in (lambda: read_rows(store, wrong, SCHEMA), lambda: read_part(store, wrong, spec(), SCHEMA)):
        with pytest.raises(PartError, match=message):
            read()


def test_columns_are_read_by_name(store: ObjectStore) -> None:
    receipt = commit(store, spec(), table(spec()), SCHEMA)
    assert read_rows(store, receipt, SCHEMA, ["status"]).to_pydict() == {"status": ["ok", "ok", "error", "ok"]}
    with pytest.raises(DataError, match=r"no column 'txt' in .*; valid: sample_id, status, text"):
        read_rows(store, receipt, SCHEMA, ["txt"])
