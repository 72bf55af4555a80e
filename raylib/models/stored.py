"""Fetch a model from an object store into the cache."""

import shutil
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath

from raylib.errors import ModelError
from raylib.ids import digest
from raylib.models.cache import build_once
from raylib.models.hashing import MODEL_FILES
from raylib.store.base import ObjectStore


def fetch_from_store(url: str, store: ObjectStore, cache: Path) -> Path:
    """Return a local copy of the model under `store`'s root, fetched once for each listing of names and sizes.

    Objects in a store are immutable to us, so equal names and sizes mean the same model; the copy is hashed all the
    same before it enters a fingerprint.

    Raises:
        ModelError: no object there is part of a model.
    """
    objects = [item for item in store.list("") if _wanted(item.key)]
    if not objects:
        raise ModelError(f"there is no model under {url}: no *.safetensors or *.json there; check the prefix")
    key = f"stored-{digest([url, [[item.key, item.size] for item in objects]])[:16]}"

    def build(folder: Path) -> None:
        for item in objects:
            _copy(store, item.key, folder / item.key)

    return build_once(cache, key, build)


def _wanted(key: str) -> bool:
    name = PurePosixPath(key).name
    return any(fnmatch(name, pattern) for pattern in MODEL_FILES) and ".." not in PurePosixPath(key).parts


def _copy(store: ObjectStore, key: str, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    local = store.local_path(key)
    if local is not None:
        shutil.copyfile(local, target)
    else:
        target.write_bytes(store.get(key))
