"""What a run's numbers rest on, as a table: every setting, and every part that was read, with its hash."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pyarrow as pa

from raylib.ids import canonical_json
from raylib.schemas import PROVENANCE
from raylib.store.manifests import Manifest
from raylib.studies.sums import Measures

_LISTED_APART = ("parts", "prompts")


def provenance_table(
    identity: Mapping[str, Any], measures: Measures, prompts: pa.Table, manifests: Iterable[Manifest]
) -> pa.Table:
    """Return the table (schema PROVENANCE) of a reduce: its own settings, its measures, and the stages before it.

    From an estimate back to its samples (`raylib.results` does it): `sums` names the clusters of its cell, this table the
    prompts of a cluster, a part the samples of a prompt. The parts of both stages stand here with the sha256 that they
    had when they were read.
    """
    rows: list[dict[str, Any]] = []
    own = {name: value for name, value in identity.items() if name not in _LISTED_APART}
    rows += _rows("reduce", "setting", _flat(own))
    rows += _rows("reduce", "measure", ((name, canonical_json(list(labels))) for name, labels in measures.items()))
    clusters = zip(prompts["prompt_id"].to_pylist(), prompts["cluster"].to_pylist(), strict=True)
    rows += _rows("reduce", "cluster", clusters)
    for manifest in manifests:
        rows += _rows(manifest.stage, "setting", [("fingerprint", manifest.fingerprint)])
        rows += _rows(manifest.stage, "setting", _flat(manifest.provenance.get("identity", {})))
        rows += [
            {"stage": manifest.stage, "kind": "part", "name": part.key, "value": part.sha256, "rows": part.rows}
            for part in manifest.parts
        ]
        rows += [
            {"stage": manifest.stage, "kind": "missing", "name": record["unit_id"], "value": str(record["reason"]),
             "rows": int(record["ids"])}
            for record in manifest.quarantined
        ]  # fmt: skip
    return pa.Table.from_pylist(rows, schema=PROVENANCE)


def _rows(stage: str, kind: str, pairs: Iterable[tuple[str, str]]) -> list[dict[str, Any]]:
    return [{"stage": stage, "kind": kind, "name": name, "value": value, "rows": None} for name, value in pairs]


def _flat(value: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Yield (dotted name, JSON) of every leaf, in the order of names."""
    for name in sorted(value):
        item = value[name]
        if isinstance(item, Mapping) and item:
            yield from _flat(item, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", canonical_json(item)
