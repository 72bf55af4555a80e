"""Content hashes of model folders, kept in the cache so that gigabytes are read once."""

import hashlib
import os
from pathlib import Path

from raylib.ids import digest

MODEL_FILES = (
    "*.safetensors", "*.json", "*.jinja", "*.model", "merges.txt", "vocab.txt",
)  # fmt: skip
"""Files that make a model: weights as safetensors, configuration, tokenizer. Never pickles, never code."""


def model_files(folder: Path) -> list[Path]:
    """Return the files of `folder` (and of its subfolders) that make the model, in name order."""
    found = {path for pattern in MODEL_FILES for path in folder.rglob(pattern) if path.is_file()}
    return sorted(path for path in found if not any(part.startswith(".") for part in path.relative_to(folder).parts))


def file_sha256(path: Path) -> str:
    """Return the sha256 of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def folder_sha256(folder: Path, cache: Path | None = None) -> str:
    """Return one sha256 over the relative names and contents of a model's or an adapter's files.

    With `cache`, the hash of each file is kept there under its path, size and time of change.
    """
    rows = [[path.relative_to(folder).as_posix(), _cached_sha256(path, cache)] for path in model_files(folder)]
    return digest(rows)


def _cached_sha256(path: Path, cache: Path | None) -> str:
    if cache is None:
        return file_sha256(path)
    status = path.stat()
    entry = cache / "hashes" / digest([str(path.resolve()), status.st_size, status.st_mtime_ns])
    if entry.is_file():
        return entry.read_text(encoding="ascii")
    value = file_sha256(path)
    entry.parent.mkdir(parents=True, exist_ok=True)
    temporary = entry.with_name(f"{entry.name}.{os.getpid()}.tmp")
    temporary.write_text(value, encoding="ascii")
    temporary.rename(entry)
    return value
