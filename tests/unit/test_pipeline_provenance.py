"""The provenance table names every setting and every part, with its hash."""

import pyarrow as pa

from raylib.pipeline.provenance import provenance_table
from raylib.schemas import PROVENANCE
from raylib.store.manifests import Manifest
from raylib.store.receipt import Receipt

PART = Receipt("u", "parts/generate/f/u.parquet", 0, 4, 99, "a" * 64)
LOST = {"unit_id": "v", "reason": "worker died", "attempts": 3, "ids": 2, "fingerprint": "f"}
MANIFEST = Manifest(
    stage="generate", fingerprint="f", run="r", parts=(PART,), quarantined=(LOST,), rejected=(), planned_units=2,
    planned_rows=6, provenance={"identity": {"model": {"name": "m", "revision": None}}},
)  # fmt: skip


def test_settings_parts_missing_units_and_measures_have_a_row_each() -> None:
    identity = {"version": "2", "options": {"extractor": "rules"}, "parts": ["x"], "prompts": ["p"]}
    prompts = pa.table({"prompt_id": ["p1", "p2"], "cluster": ["c", "c"]})
    table = provenance_table(identity, {"gender": ("F", "M")}, prompts, [MANIFEST])
    assert table.schema == PROVENANCE
    assert [tuple(row.values()) for row in table.to_pylist()] == [
        ("reduce", "setting", "options.extractor", '"rules"', None),
        ("reduce", "setting", "version", '"2"', None),
        ("reduce", "measure", "gender", '["F","M"]', None),
        ("reduce", "cluster", "p1", "c", None),
        ("reduce", "cluster", "p2", "c", None),
        ("generate", "setting", "fingerprint", "f", None),
        ("generate", "setting", "model.name", '"m"', None),
        ("generate", "setting", "model.revision", "null", None),
        ("generate", "part", PART.key, PART.sha256, 4),
        ("generate", "missing", "v", "worker died", 2),
    ]
