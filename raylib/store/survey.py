"""What of a plan the store already holds: the whole of resuming."""

import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import NamedTuple

import pyarrow as pa

from raylib.store.base import ObjectStore
from raylib.store.part_file import PartError, PartSpec, decode, part_key, part_prefix
from raylib.store.receipt import Receipt, receipt_of

_FILE = re.compile(r"([A-Za-z0-9_-]+)(?:\.([1-9][0-9]{0,5}))?\.parquet")


class Rejected(NamedTuple):
    """An object that stands where a part should and is none. It is never deleted or replaced."""

    unit_id: str
    key: str
    reason: str


@dataclass
class Survey:
    """Planned units as the store has them. A unit in neither mapping has never been written."""

    valid: dict[str, Receipt] = field(default_factory=dict)
    rejected: list[Rejected] = field(default_factory=list)
    next_revision: dict[str, int] = field(default_factory=dict)
    """Of every unit that has an object, valid or not: the first revision above all of them."""


def survey(
    store: ObjectStore, stage: str, fingerprint: str, specs: Sequence[PartSpec], schema: pa.Schema, workers: int = 16
) -> Survey:
    """List a stage's parts once and read the newest of each planned unit, at most `workers` at a time.

    The highest valid revision of a unit counts. Objects of units that are not planned (another cut of the same
    samples) are left alone.

    Raises:
        StoreError: the store cannot be read.
    """
    prefix = part_prefix(stage, fingerprint)
    revisions: dict[str, list[int]] = {spec.unit_id: [] for spec in specs}
    for info in store.list(prefix):
        match = _FILE.fullmatch(info.key[len(prefix) :])
        if match and match[1] in revisions:
            revisions[match[1]].append(int(match[2] or 0))
    found = Survey()
    started = [spec for spec in specs if revisions[spec.unit_id]]
    with ThreadPoolExecutor(max_workers=workers, thread_name_prefix="survey") as pool:
        for spec, (receipt, rejected) in zip(
            started, pool.map(lambda spec: _newest(store, spec, revisions[spec.unit_id], schema), started), strict=True
        ):
            found.rejected += rejected
            found.next_revision[spec.unit_id] = max(revisions[spec.unit_id]) + 1
            if receipt is not None:
                found.valid[spec.unit_id] = receipt
    return found


def examine(store: ObjectStore, spec: PartSpec, revision: int, schema: pa.Schema) -> Receipt:
    """Read one part whole and return its receipt.

    Raises:
        PartError: it is not the part of that unit; the message says why.
    """
    key = part_key(spec, revision)
    try:
        data = store.get(key)
    except KeyError:
        raise PartError("gone: it was there a moment ago, so something else deletes objects here") from None
    return receipt_of(spec.unit_id, key, revision, data, decode(data, spec, schema))


def _newest(
    store: ObjectStore, spec: PartSpec, revisions: list[int], schema: pa.Schema
) -> tuple[Receipt | None, list[Rejected]]:
    rejected: list[Rejected] = []
    for revision in sorted(revisions, reverse=True):
        try:
            return examine(store, spec, revision, schema), rejected
        except PartError as error:
            rejected.append(Rejected(spec.unit_id, part_key(spec, revision), str(error)))
    return None, rejected
