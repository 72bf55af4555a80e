"""A folder of files that belong together: it appears whole or not at all, and replaces only an earlier one of its kind."""

import json
import shutil
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import raylib
from raylib.errors import ConfigError
from raylib.models.hashing import file_sha256


@dataclass(frozen=True)
class WholeFolder:
    """What is written, and what an earlier folder must be to be replaced."""

    option: str
    """The option that names the folder, for messages."""
    index: str
    """File that names every other file of the folder with its sha256."""
    what: str
    """An export, a comparison, ... in messages."""
    identity: Mapping[str, str]
    """Of what: a folder of another one is never replaced."""
    of: Callable[[Mapping[str, Any]], str]
    """Says of what an index is, in words."""

    def write(self, to: str, fill: Callable[[Path], None], facts: Mapping[str, object]) -> list[Path]:
        """Let `fill` write files into a new folder, add the index with `facts`, and put it at `to`; return the files, sorted.

        Raises:
            ConfigError: `to` holds anything else than an earlier folder of this identity, or cannot be written; it stays as
                it was.
        """
        target = Path(to).expanduser().absolute()
        self._check(target)
        scratch = target.with_name(f".{target.name}.{uuid.uuid4().hex}")
        try:
            scratch.mkdir(parents=True)
            fill(scratch)
            files = _files(scratch)
            index = {
                "fairsweep": raylib.__version__, **self.identity, **facts,
                "files": {name: file_sha256(scratch / name) for name in files},
            }  # fmt: skip
            (scratch / self.index).write_text(json.dumps(index, indent=1, sort_keys=True) + "\n", encoding="utf-8")
            _put_in_place(scratch, target)
        except OSError as error:
            raise ConfigError(
                f"cannot write {target}: {error.strerror or error}. Choose another {self.option}"
            ) from None
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        return [target / name for name in [*files, self.index]]

    def _check(self, target: Path) -> None:
        """Refuse a folder that holds anything which is not of an earlier one of this identity."""
        if not target.exists():
            return
        if not target.is_dir():
            raise ConfigError(f"{self.option} {target} is a file; give a folder")
        found = set(_files(target))
        if not found and not any(target.iterdir()):
            return
        earlier = _index(target / self.index)
        if any(earlier.get(name) != value for name, value in self.identity.items()):
            ours = all(name in earlier for name in self.identity)
            whose = (
                f"{self.what} of {self.of(earlier)}" if ours else f"files that are no {self.what.split()[-1]} of ours"
            )
            raise ConfigError(f"{self.option} {target} holds {whose}; give a new or empty folder")
        strange = sorted(found - set(earlier.get("files", ())) - {self.index})
        if strange:
            raise ConfigError(
                f"{self.option} {target} holds {strange[0]}, which no {self.what.split()[-1]} wrote; move it away or give "
                "another folder"
            )


def _index(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def _files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir())


def _put_in_place(scratch: Path, target: Path) -> None:
    """Give the finished folder its name; what was there before goes only after that, and comes back if it fails."""
    if not target.exists():
        scratch.rename(target)
        return
    before = target.with_name(f"{scratch.name}.before")
    target.rename(before)
    try:
        scratch.rename(target)
    except OSError:
        before.rename(target)
        raise
    shutil.rmtree(before, ignore_errors=True)
