"""Manifests: numbered, never replaced, and every claim of one checked against the bytes."""

from dataclasses import replace
from typing import Any

import pytest

from raylib.errors import ConfigError, DataError
from raylib.store.base import ObjectStore
from raylib.store.local import LocalStore
from raylib.store.manifests import (
    Manifest,
    manifest_reference,
    read_manifest,
    read_tables,
    verify_manifest,
    write_manifest,
)
from raylib.store.parts import PartError, PartSpec, Rejected, commit
from tests.store_parts import FINGERPRINT, SCHEMA, spec, table

A, B, C = spec("a", 4), spec("b", 4, first=4), spec("c", 2, first=8)
FIRST = "runs/r1/generate/manifest.0001.json"
SECOND = "runs/r1/generate/manifest.0002.json"


def finished(store: ObjectStore, *specs: PartSpec, **changes: Any) -> Manifest:
    """Commit the parts of A and B, quarantine C, and return the manifest of the three (or with `changes`)."""
    parts = tuple(commit(store, one, table(one), SCHEMA) for one in specs or (A, B))
    values: dict[str, Any] = {
        "stage": "generate", "fingerprint": FINGERPRINT, "run": "r1", "parts": parts,
        "quarantined": ({"unit_id": "c", "reason": "died", "attempts": 3, "ids": 2},),
        "rejected": (Rejected("a", "parts/x", "torn"),), "planned_units": 3, "planned_rows": 10,
        "parents": ({"key": "runs/r1/plan", "sha256": "0" * 64},), "provenance": {"engine": "scripted"},
    }  # fmt: skip
    return Manifest(**{**values, **changes})


def test_what_is_written_is_read(store: ObjectStore) -> None:
    manifest = finished(store)
    assert write_manifest(store, manifest) == FIRST
    assert read_manifest(store, "r1", "generate") == manifest
    assert manifest.rows == 8


def test_saying_the_same_again_writes_nothing(store: ObjectStore) -> None:
    write_manifest(store, finished(store, provenance={"engine": "x", "timings": {"total_s": 1.5}}))
    later = finished(
        store, provenance={"engine": "x", "timings": {"total_s": 9.0}}, created="2099-01-01T00:00:00+00:00"
    )
    assert write_manifest(store, later) == FIRST
    assert [info.key for info in store.list("runs/")] == [FIRST]


def test_saying_something_else_is_a_new_version_and_the_highest_counts(store: ObjectStore) -> None:
    first = finished(store)
    write_manifest(store, first)
    before = store.get(FIRST)
    second = replace(first, quarantined=(), planned_units=2, planned_rows=8)
    assert write_manifest(store, second) == SECOND
    assert read_manifest(store, "r1", "generate") == second
    assert store.get(FIRST) == before


def test_version_ten_thousand_comes_after_version_9999(tmp_path: Any) -> None:
    store = LocalStore(tmp_path)
    manifest = finished(store)
    for number in ("9999", "10000"):
        changed = replace(manifest, created=number)
        store.put_if_absent(f"runs/r1/generate/manifest.{number}.json", changed.to_json().encode())
    assert read_manifest(store, "r1", "generate").created == "10000"


def test_a_reference_names_the_newest_version_and_its_bytes(store: ObjectStore) -> None:
    import hashlib

    write_manifest(store, finished(store))
    expected = {"key": FIRST, "sha256": hashlib.sha256(store.get(FIRST)).hexdigest()}
    assert manifest_reference(store, "r1", "generate") == expected


@pytest.mark.parametrize(
    ("stage", "job"), [("generate", "generate.py"), ("annotate", "annotate.py"), ("reduce", "metrics.py")]
)
def test_a_stage_without_a_manifest_says_which_job_to_run(store: ObjectStore, stage: str, job: str) -> None:
    with pytest.raises(DataError, match=rf"run 'r1' has no manifest of stage '{stage}' in .*: run jobs/{job}"):
        read_manifest(store, "r1", stage)


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b'{"schema_version": 1}', b"\xff"])
def test_a_manifest_that_cannot_be_read_is_one_line_and_a_new_one_can_follow(tmp_path: Any, data: bytes) -> None:
    store = LocalStore(tmp_path)
    store.put_if_absent(FIRST, data)
    with pytest.raises(DataError, match=r"manifest.0001.json cannot be read"):
        read_manifest(store, "r1", "generate")
    assert write_manifest(store, finished(store)) == SECOND


def test_a_manifest_of_a_newer_version_is_refused(tmp_path: Any) -> None:
    store = LocalStore(tmp_path)
    store.put_if_absent(FIRST, finished(store, schema_version=2).to_json().encode())
    with pytest.raises(DataError, match="schema version 2, this fairsweep knows 1; update fairsweep"):
        read_manifest(store, "r1", "generate")


@pytest.mark.parametrize("run", ["../r1", "R1", "a/b", ""])
def test_a_run_name_that_leaves_its_folder_is_refused(tmp_path: Any, run: str) -> None:
    store = LocalStore(tmp_path)
    for call in (
        lambda: read_manifest(store, run, "generate"),
        lambda: write_manifest(store, finished(store, run=run)),
    ):
        with pytest.raises(ConfigError, match="is not a valid name"):
            call()


def test_tables_come_in_the_order_of_the_manifest(store: ObjectStore) -> None:
    manifest = finished(store, B, A)
    ids = [part["sample_id"].to_pylist() for part in read_tables(store, manifest, SCHEMA, ["sample_id"])]
    assert ids == [list(B.ids), list(A.ids)]


def test_a_manifest_that_holds_has_no_problems(store: ObjectStore) -> None:
    manifest = finished(store)
    assert verify_manifest(store, manifest) == []
    assert verify_manifest(store, manifest, [A, B, C], SCHEMA) == []


def problems(store: ObjectStore, manifest: Manifest, *plan: PartSpec) -> list[str]:
    return [str(problem) for problem in verify_manifest(store, manifest, plan or None, SCHEMA)]


def test_a_part_that_is_gone_changed_or_torn_is_found(tmp_path: Any) -> None:
    store = LocalStore(tmp_path)
    manifest = finished(store)
    path = tmp_path / manifest.parts[0].key
    whole = path.read_bytes()
    path.unlink()
    assert "is missing" in problems(store, manifest)[0]
    path.write_bytes(whole[:-1])
    assert f"has {len(whole) - 1} bytes, {len(whole)} were recorded" in problems(store, manifest)[0]
    path.write_bytes(whole[:-1] + b"x")
    assert "does not have the recorded sha256" in problems(store, manifest)[0]
    path.write_bytes(whole)
    assert problems(store, manifest) == []


def test_a_unit_that_is_neither_committed_nor_quarantined_is_found(store: ObjectStore) -> None:
    manifest = finished(store, A)
    assert problems(store, manifest, A, B, C) == [
        "units: planned 3, but 1 committed + 1 quarantined = 2",
        "rows: planned 10, but 4 committed + 2 quarantined = 6",
        "units: 1 of the plan are neither committed nor quarantined: b",
    ]


def test_a_unit_that_is_both_is_found(store: ObjectStore) -> None:
    manifest = finished(store, A, B, C)
    found = problems(store, manifest, A, B, C)
    assert found[0] == "units: 1 are listed more than once: c"
    assert "planned 3, but 3 committed + 1 quarantined = 4" in found[1]


def test_an_id_in_two_parts_is_found(store: ObjectStore) -> None:
    again = spec("b", 4, first=2)
    assert problems(store, finished(store, A, again)) == ["ids: 2 are in more than one row: s2, s3"]


def test_a_part_whose_ids_are_not_the_planned_ones_is_found(store: ObjectStore) -> None:
    manifest = finished(store)
    found = problems(store, manifest, A, spec("b", 4, first=5), C)
    assert found == [f"{manifest.parts[1].key}: row 0 has sample_id 's4', planned was 's5'"]


def test_a_unit_that_was_not_planned_is_found(store: ObjectStore) -> None:
    manifest = finished(store)
    assert "units: 1 are not in the plan: b" in problems(store, manifest, A, C)


def test_a_receipt_that_points_at_another_units_part_is_found(store: ObjectStore) -> None:
    manifest = finished(store)
    swapped = replace(manifest.parts[0], unit_id="b")
    found = problems(store, replace(manifest, parts=(swapped, manifest.parts[1])))
    assert any("foreign: its fairsweep.unit_id is 'a', expected 'b'" in one for one in found)


def test_counts_that_the_part_does_not_have_are_found(store: ObjectStore) -> None:
    manifest = finished(store)
    wrong = replace(manifest.parts[0], statuses={"ok": 4})
    found = problems(store, replace(manifest, parts=(wrong, manifest.parts[1])))
    assert found == [f"{wrong.key}: its rows or statuses are not those that the manifest records (4 rows)"]


def test_a_part_of_another_schema_is_found(store: ObjectStore) -> None:
    manifest = finished(store)
    found = [str(problem) for problem in verify_manifest(store, manifest, None, SCHEMA.remove(2))]
    assert len(found) == 2
    assert "column 'text' is not in the schema" in found[0]


def test_reading_tables_stops_at_a_part_that_was_changed(tmp_path: Any) -> None:
    store = LocalStore(tmp_path)
    manifest = finished(store)
    (tmp_path / manifest.parts[1].key).write_bytes(b"x")
    tables = read_tables(store, manifest, SCHEMA)
    next(tables)
    with pytest.raises(PartError, match="has 1 bytes"):
        next(tables)
