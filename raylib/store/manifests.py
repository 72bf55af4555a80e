"""Writing and reading manifests: numbered versions, first writer wins, the highest number counts."""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa

from raylib.errors import DataError
from raylib.ids import check_name
from raylib.store.base import ObjectStore
from raylib.store.manifest import Manifest
from raylib.store.reading import read_rows
from raylib.store.verify import Problem, verify_manifest

__all__ = [
    "Manifest",
    "Problem",
    "existing_manifest",
    "manifest_reference",
    "read_manifest",
    "read_tables",
    "staleness",
    "verify_manifest",
    "write_manifest",
]

_JOBS = {"generate": "generate.py", "annotate": "annotate.py", "reduce": "metrics.py"}
_NAME = re.compile(r"manifest\.([0-9]{4,9})\.json")
_MOST_RACES = 20


def write_manifest(store: ObjectStore, manifest: Manifest) -> str:
    """Write a manifest as the next version and return its key.

    Where the newest version already says the same (the time and `provenance["timings"]` aside), nothing is written and
    that version's key is returned: the same command twice is a no-op.

    Raises:
        ConfigError: the run's or stage's name cannot be part of a key, or a value has no JSON form.
        DataError: other writers took 20 versions meanwhile.
    """
    data = manifest.to_json().encode()
    prefix = _prefix(manifest.run, manifest.stage)
    for _ in range(_MOST_RACES):
        number = _newest(store, prefix)
        if number and _says(store, _key(prefix, number)) == manifest.statement():
            return _key(prefix, number)
        if store.put_if_absent(_key(prefix, number + 1), data):
            return _key(prefix, number + 1)
    raise DataError(
        f"run {manifest.run!r}: other drivers keep writing manifests of {manifest.stage} to {store.url}; "
        "let one of them finish, then run the same command again"
    )


def read_manifest(store: ObjectStore, run: str, stage: str) -> Manifest:
    """Return the newest manifest of a run's stage.

    Raises:
        DataError: there is none (the message says which job writes it), or it cannot be read.
    """
    key, data = _newest_bytes(store, run, stage)
    return _parse(store, key, data)


def existing_manifest(store: ObjectStore, run: str, stage: str) -> Manifest | None:
    """Return the newest manifest of a run's stage, or None if none was ever written.

    Raises:
        DataError: there is one, but it cannot be read.
    """
    return read_manifest(store, run, stage) if _newest(store, _prefix(run, stage)) else None


def staleness(store: ObjectStore, manifest: Manifest, parent_stage: str) -> str | None:
    """Say that a manifest was made from an older one than the newest of a parent's stage; None if it was not.

    `parent_stage` is its first parent's; the further ones are looked up under the stages that their keys name.
    """
    first, *others = manifest.parents or ({},)
    parents = [(parent_stage, first), *((parent["key"].split("/")[-2], parent) for parent in others)]
    for stage, parent in parents:
        if dict(parent) != dict(manifest_reference(store, manifest.run, stage)):
            return (
                f"the {manifest.stage} manifest was made from an older {stage} manifest; "
                f"run jobs/{_job(manifest.stage)} (or jobs/audit.py) again"
            )
    return None


def manifest_reference(store: ObjectStore, run: str, stage: str) -> Mapping[str, str]:
    """Return `key` and `sha256` of the newest manifest of a run's stage, as a later stage's `parents` name it.

    Raises:
        DataError: there is none.
    """
    key, data = _newest_bytes(store, run, stage)
    return {"key": key, "sha256": hashlib.sha256(data).hexdigest()}


def read_tables(
    store: ObjectStore, manifest: Manifest, schema: pa.Schema, columns: Sequence[str] | None = None
) -> Iterator[pa.Table]:
    """Yield the table of each part, or some of its columns, in the order of the manifest, one in memory at a time.

    Raises:
        PartError: a part is missing, or its bytes are not those that the manifest records.
    """
    for receipt in manifest.parts:
        yield read_rows(store, receipt, schema, columns)


def _job(stage: str) -> str:
    return _JOBS.get(stage.partition("-")[0], "audit.py")  # annotate-NAME: one of several labellers


def _prefix(run: str, stage: str) -> str:
    return f"runs/{check_name(run, 'run')}/{check_name(stage, 'stage')}/"


def _key(prefix: str, number: int) -> str:
    return f"{prefix}manifest.{number:04d}.json"


def _newest(store: ObjectStore, prefix: str) -> int:
    names = (info.key[len(prefix) :] for info in store.list(f"{prefix}manifest."))
    return max((int(match[1]) for match in map(_NAME.fullmatch, names) if match), default=0)


def _newest_bytes(store: ObjectStore, run: str, stage: str) -> tuple[str, bytes]:
    prefix = _prefix(run, stage)
    number = _newest(store, prefix)
    if not number:
        raise DataError(
            f"run {run!r} has no manifest of stage {stage!r} in {store.url}: run jobs/{_job(stage)} (or jobs/audit.py for all "
            "stages) with this config first"
        )
    key = _key(prefix, number)
    try:
        return key, store.get(key)
    except KeyError:
        raise DataError(
            f"{store.url}/{key} is gone: something deletes objects there; run the same command again"
        ) from None


def _parse(store: ObjectStore, key: str, data: bytes) -> Manifest:
    try:
        return Manifest.from_json(data.decode())
    except (DataError, UnicodeDecodeError) as error:
        raise DataError(
            f"{store.url}/{key} cannot be read: {error}; run jobs/audit.py with this config again to write it anew"
        ) from error


def _says(store: ObjectStore, key: str) -> str | None:
    """Return the statement of a stored manifest, None for one that nobody can read: then a newer one is due."""
    try:
        return _parse(store, key, store.get(key)).statement()
    except (DataError, KeyError):
        return None
