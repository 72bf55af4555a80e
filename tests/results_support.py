"""A finished run on a store, made of small tables by hand: no engine, no Ray."""

from pathlib import Path

import pyarrow as pa

from raylib.schemas import ESTIMATES, SUMS
from raylib.store.local import LocalStore
from raylib.store.manifests import Manifest, manifest_reference, write_manifest
from raylib.store.parts import PartSpec, Receipt, commit
from raylib.store.tables import write_table

TEXTS = pa.table({"sample_id": ["a", "b", "c"], "text": ["one", "=two", "three"]})
LABELS = pa.table({"sample_id": ["a", "b", "c"], "prompt_id": ["p1", "p2", "p1"], "gender": ["F", "M", None]})
_OK = {
    "statistic": "R_rep",
    "cell": "Labor/x_1",
    "axis": "gender",
    "status": "ok",
    "n": 8,
    "clusters": 2,
    "replicates": 9,
}
ESTIMATE_ROWS = [
    _OK | {"group": "F", "estimate": 1.25, "ci_low": 0.5, "ci_high": 2.0, "boot_low": 0.75, "boot_high": 1.5,
           "share": 0.625, "baseline": 0.5, "count": 5.0, "p_value": 0.0004, "note": "=50% & more"},
    _OK | {"group": "MENA", "status": "not modelled", "note": "no such\ncolumn"},
]  # fmt: skip
ESTIMATE_TABLE = pa.Table.from_pylist(ESTIMATE_ROWS, schema=ESTIMATES)
SUM_TABLE = pa.Table.from_pylist(
    [{"cell": "c", "cluster": "p", "measure": "m", "values": [0.1 + 0.2, 2.0]}], schema=SUMS
)


def finished_run(root: Path, run: str = "small", **extra: pa.Table) -> LocalStore:
    """Write the three manifests of a run and what they name; `extra` are more result tables."""
    store = LocalStore(root)
    for stage, table, parent in (("generate", TEXTS, None), ("annotate", LABELS, "generate")):
        parts = [_part(store, stage, table.slice(0, 2), "u1"), _part(store, stage, table.slice(2), "u2")]
        _manifest(store, run, stage, parts, parent)
    tables = {"estimates": ESTIMATE_TABLE, "sums": SUM_TABLE} | extra
    receipts = [write_table(store, f"results/f/{name}.parquet", table) for name, table in tables.items()]
    _manifest(store, run, "reduce", receipts, "annotate")
    return store


def _part(store: LocalStore, stage: str, table: pa.Table, unit: str) -> Receipt:
    spec = PartSpec(stage, "f", unit, tuple(table["sample_id"].to_pylist()), "sample_id")
    return commit(store, spec, table.combine_chunks(), table.schema)


def _manifest(store: LocalStore, run: str, stage: str, parts: list[Receipt], parent: str | None) -> None:
    write_manifest(
        store,
        Manifest(
            stage=stage, fingerprint="f", run=run, parts=tuple(parts), quarantined=(), rejected=(),
            planned_units=len(parts), planned_rows=sum(part.rows for part in parts),
            parents=(manifest_reference(store, run, parent),) if parent else (),
        ),
    )  # fmt: skip
