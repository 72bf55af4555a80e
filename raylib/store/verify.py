"""The invariants of a finished stage, checked against every byte of its parts."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import pyarrow as pa

from raylib.store.base import ObjectStore
from raylib.store.manifest import Manifest
from raylib.store.part_file import PartError, PartSpec, decode, part_key, schema_problem, spec_in
from raylib.store.reading import read_bytes
from raylib.store.receipt import Receipt, receipt_of

_WORKERS = 8
_MOST_NAMED = 3


class Problem(NamedTuple):
    """Something that does not hold."""

    where: str
    """The key of a part, or what of the manifest as a whole."""
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


def verify_manifest(
    store: ObjectStore,
    manifest: Manifest,
    specs: Sequence[PartSpec] | None = None,
    schema: pa.Schema | None = None,
    workers: int = _WORKERS,
) -> list[Problem]:
    """Read all parts of a manifest and return what does not hold; an empty list means that everything does.

    Checked: each part is there with its size, sha256, rows, unit and content; `schema` where it is given, else one
    schema for all parts; each id once in the whole stage; planned = committed + quarantined, in units and in rows;
    and, where `specs` (the plan) are given, each unit planned and its ids the planned ones in their order.

    Raises:
        StoreError: the store cannot be read.
    """
    plan = {spec.unit_id: spec for spec in specs} if specs is not None else None
    problems = list(_count_problems(manifest, plan))
    rows_of_id: Counter[str] = Counter()
    common = schema
    with ThreadPoolExecutor(max_workers=workers, thread_name_prefix="verify") as pool:
        checked = pool.map(lambda receipt: _check_part(store, manifest, receipt, plan, schema), manifest.parts)
        for receipt, part in zip(manifest.parts, checked, strict=True):
            problems += [Problem(receipt.key, what) for what in part.problems]
            rows_of_id.update(part.ids)
            if common is None:
                common = part.schema
            elif part.schema is not None and (difference := schema_problem(part.schema, common)):
                problems.append(Problem(receipt.key, difference))
    twice = [one for one, rows in rows_of_id.items() if rows > 1]
    if twice:
        problems.append(Problem("ids", f"{len(twice)} are in more than one row: {_some(twice)}"))
    return problems


class _Checked(NamedTuple):
    """What one part turned out to be."""

    ids: tuple[str, ...]
    schema: pa.Schema | None
    problems: list[str]


def _check_part(
    store: ObjectStore,
    manifest: Manifest,
    receipt: Receipt,
    plan: Mapping[str, PartSpec] | None,
    schema: pa.Schema | None,
) -> _Checked:
    try:
        data = read_bytes(store, receipt)
        spec = plan.get(receipt.unit_id) if plan is not None else None
        if spec is None:
            spec = spec_in(data, manifest.stage, manifest.fingerprint, receipt.unit_id)
        table = decode(data, spec, schema)
    except PartError as error:
        return _Checked((), None, [str(error)])
    problems = []
    if receipt != receipt_of(receipt.unit_id, receipt.key, receipt.revision, data, table):
        problems.append(f"its rows or statuses are not those that the manifest records ({receipt.rows} rows)")
    if receipt.key != part_key(spec, receipt.revision):
        problems.append(f"it should be {part_key(spec, receipt.revision)}")
    return _Checked(tuple(table[spec.id_column].to_pylist()), table.schema, problems)


def _count_problems(manifest: Manifest, plan: Mapping[str, PartSpec] | None) -> Iterator[Problem]:
    committed = Counter(receipt.unit_id for receipt in manifest.parts)
    given_up = Counter(str(record["unit_id"]) for record in manifest.quarantined)
    units = committed + given_up
    twice = [unit for unit, times in units.items() if times > 1]
    if twice:
        yield Problem("units", f"{len(twice)} are listed more than once: {_some(twice)}")
    if units.total() != manifest.planned_units:
        yield Problem(
            "units",
            f"planned {manifest.planned_units}, but {committed.total()} committed + {given_up.total()} quarantined "
            f"= {units.total()}",
        )
    lost = sum(int(record["ids"]) for record in manifest.quarantined)
    if manifest.rows + lost != manifest.planned_rows:
        yield Problem(
            "rows",
            f"planned {manifest.planned_rows}, but {manifest.rows} committed + {lost} quarantined = {manifest.rows + lost}",
        )
    if plan is not None:
        missing = [unit for unit in plan if unit not in units]
        if missing:
            yield Problem(
                "units", f"{len(missing)} of the plan are neither committed nor quarantined: {_some(missing)}"
            )
        foreign = [unit for unit in units if unit not in plan]
        if foreign:
            yield Problem("units", f"{len(foreign)} are not in the plan: {_some(foreign)}")


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more
