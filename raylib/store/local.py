"""A directory as an object store: a whole file appears under its name at once, or not at all."""

import errno
import os
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from raylib.errors import StoreError
from raylib.store.base import ObjectInfo
from raylib.store.keys import RESERVED, check_key, check_prefix

_STALE_S = 24 * 3600  # a temporary file this old was left by a process that was killed
_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS}


class LocalStore:
    """Objects as files below `root`. User metadata is not kept: a part carries the same values in its own footer.

    Where the disk is local this works on one machine only; a folder that all nodes mount (NFS) works for all of them.
    Unlike on S3, a key cannot be both an object and the beginning of another key ('a' and 'a/b').
    """

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self._root = Path(root).absolute()
        self._swept = False

    def __repr__(self) -> str:
        return f"LocalStore({self.url!r})"

    @property
    def url(self) -> str:
        """The root folder, absolute."""
        return str(self._root)

    def put_if_absent(self, key: str, data: bytes, metadata: Mapping[str, str] | None = None) -> bool:
        """Write a file whole unless there is one: build it in a hidden folder, sync it, link it to its name."""
        target = self._path(key)
        temporary = self._root / RESERVED / uuid.uuid4().hex
        try:
            if target.is_file():
                return False
            _make_folder(temporary.parent, self._root)
            _make_folder(target.parent, self._root)
            self._sweep(temporary.parent)
            _write(temporary, data)
            return _link(temporary, target)
        except OSError as error:
            raise self._explain("write", key, error) from error
        finally:
            with suppress(OSError):  # what remains is swept later; the error above is the one to show
                temporary.unlink(missing_ok=True)

    def get(self, key: str) -> bytes:
        """Return a file's bytes. Raises KeyError if there is none."""
        try:
            return self._path(key).read_bytes()
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            raise KeyError(f"{self.url}/{key}") from None
        except OSError as error:
            raise self._explain("read", key, error) from error

    def exists(self, key: str) -> bool:
        """Say whether there is a file under the key."""
        try:
            return self._path(key).is_file()
        except OSError as error:
            raise self._explain("look at", key, error) from error

    def list(self, prefix: str) -> Iterator[ObjectInfo]:
        """Yield the files whose key begins with `prefix`, in the byte order of whole keys, as S3 does."""
        folder = check_prefix(prefix).rpartition("/")[0]
        try:
            found = [info for info in _walk(self._root / folder, folder) if info.key.startswith(prefix)]
        except OSError as error:
            raise self._explain("list", prefix, error) from error
        yield from sorted(found)

    def local_path(self, key: str) -> str | None:
        """Return the path of the object's file, whether or not it exists yet."""
        return str(self._path(key))

    def _path(self, key: str) -> Path:
        return self._root / check_key(key)

    def _sweep(self, folder: Path) -> None:
        if self._swept:
            return
        self._swept = True
        oldest = time.time() - _STALE_S
        for entry in os.scandir(folder):
            with suppress(FileNotFoundError):  # its owner, or another sweeper, was faster
                if entry.stat().st_mtime < oldest:
                    os.unlink(entry)

    def _explain(self, verb: str, key: str, error: OSError) -> StoreError:
        where = f"cannot {verb} {self.url}/{key}"
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return StoreError(f"{where}: the disk is full or over quota; free some space or choose another store.url")
        if error.errno in (errno.EACCES, errno.EPERM):
            return StoreError(f"{where}: no permission; give this user access or choose another store.url")
        if error.errno == errno.EROFS:
            return StoreError(f"{where}: the file system is read-only; choose another store.url")
        if error.errno in (errno.ENOTDIR, errno.EEXIST, errno.EISDIR):
            return StoreError(f"{where}: a file stands where a folder should, or the reverse; choose another store.url")
        return StoreError(f"{where}: {error.strerror or error}; check the disk or choose another store.url")


def _write(path: Path, data: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _link(temporary: Path, target: Path) -> bool:
    try:
        os.link(temporary, target)
    except FileExistsError:
        if not target.is_file():
            raise
        # Over NFS the reply can be lost and the retry then finds our own link: two names mean that we made it.
        if temporary.stat().st_nlink < 2:
            return False
    except OSError as error:
        if error.errno in _NO_LINKS:
            raise OSError(errno.ENOTSUP, "this file system has no hard links, which put-if-absent needs") from error
        raise
    _sync_folder(target.parent)
    return True


def _make_folder(folder: Path, root: Path) -> None:
    if folder.is_dir():
        return
    folder.mkdir(parents=True, exist_ok=True)
    while folder != root:  # a name is on the disk only when its folder was synced
        folder = folder.parent
        _sync_folder(folder)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _walk(folder: Path, key: str) -> Iterator[ObjectInfo]:
    try:
        entries = list(os.scandir(folder))
    except FileNotFoundError:
        return
    for entry in entries:
        if not key and entry.name == RESERVED:
            continue
        name = f"{key}/{entry.name}" if key else entry.name
        if entry.is_dir():
            yield from _walk(Path(entry.path), name)
        elif entry.is_file():
            yield ObjectInfo(name, entry.stat().st_size)
