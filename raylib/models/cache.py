"""The model cache: each entry is built once, by one process, and appears whole or not at all."""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from raylib.errors import ModelError


def cache_dir() -> Path:
    """Return the folder for models and what derives from them: FAIRSWEEP_CACHE, else ~/.cache/fairsweep."""
    return Path(os.environ.get("FAIRSWEEP_CACHE") or Path.home() / ".cache" / "fairsweep")


def build_once(cache: Path, key: str, build: Callable[[Path], None]) -> Path:
    """Return the folder `cache/models/key`, which `build(folder)` fills if it is not there yet.

    `build` works in a temporary folder that is renamed when it returns; a process that dies before leaves nothing
    that is taken for a model. Others that want the same key wait at a lock that the kernel frees on death.

    Raises:
        ModelError: the cache cannot be written to.
    """
    final = cache / "models" / key
    if final.is_dir():
        return final
    with _writable(cache), _locked(cache / "locks" / f"{key}.lock"):
        if final.is_dir():
            return final
        final.parent.mkdir(parents=True, exist_ok=True)
        for leftover in final.parent.glob(f".{key}.*"):
            shutil.rmtree(leftover)
        work = Path(tempfile.mkdtemp(prefix=f".{key}.", dir=final.parent))
        try:
            build(work)
            work.chmod(0o755)
            work.rename(final)
        finally:
            if work.exists():
                shutil.rmtree(work)
    return final


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield


@contextmanager
def _writable(cache: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ModelError(
            f"the model cache {cache} cannot be written to ({error.strerror or error}): free some space or set "
            "FAIRSWEEP_CACHE to a folder that you may write to"
        ) from error
