"""What is particular to a folder as a store: its errors, its hidden unfinished files, its paths."""

import errno
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from raylib.errors import StoreError
from raylib.store.local import LocalStore
from raylib.store.open import StoreOptions, open_store
from raylib.store.probe import probe


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_nothing_but_the_object_is_left_after_a_write(tmp_path: Path) -> None:
    LocalStore(tmp_path).put_if_absent("a/b", b"x")
    LocalStore(tmp_path).put_if_absent("a/b", b"y")
    assert files(tmp_path) == ["a/b"]


def test_a_full_disk_is_one_line_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    calls = []

    def full(descriptor: int, data: memoryview) -> int:
        calls.append(len(data))
        if len(calls) > 1:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(descriptor, data[:10])

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(StoreError, match="the disk is full or over quota; free some space") as error:
        LocalStore(tmp_path).put_if_absent("a", b"x" * 100)
    assert "\n" not in str(error.value)
    assert files(tmp_path) == []


def test_a_really_full_file_system_is_one_line_and_leaves_nothing(tmp_path: Path) -> None:
    mount = shutil.which("mount")
    small = tmp_path / "small"
    small.mkdir()
    if (
        mount is None
        or subprocess.run([mount, "-t", "tmpfs", "-o", "size=64k", "tmpfs", small], capture_output=True).returncode
    ):
        pytest.skip("mounting a small tmpfs needs root and a kernel that allows it")
    try:
        store = LocalStore(small)
        assert store.put_if_absent("a", b"x" * 1000)
        with pytest.raises(StoreError, match="the disk is full"):
            store.put_if_absent("b", b"x" * 200_000)
        assert files(small) == ["a"]
    finally:
        subprocess.run(["umount", small], check=True)


def test_a_short_write_is_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:3]))
    LocalStore(tmp_path).put_if_absent("a", b"0123456789")
    assert (tmp_path / "a").read_bytes() == b"0123456789"


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (errno.EACCES, "no permission"),
        (errno.EROFS, "read-only"),
        (errno.EIO, "check the disk"),
        (errno.EDQUOT, "over quota"),
    ],
)
def test_the_operating_systems_refusal_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, message: str
) -> None:
    def refuse(*_arguments: object, **_more: object) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(StoreError, match=message):
        LocalStore(tmp_path).put_if_absent("a", b"x")


def test_a_folder_of_another_user_is_refused_in_one_line(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    tmp_path.chmod(0o500)
    user = os.geteuid()
    if user == 0:  # permission bits do not stop root
        os.seteuid(65534)
    try:
        with pytest.raises(StoreError, match="no permission; give this user access"):
            probe(store)
    finally:
        os.seteuid(user)


def test_a_root_that_is_a_file_or_below_one_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for root in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(StoreError, match="a file stands where a folder should"):
            probe(LocalStore(root))


def test_a_file_system_without_hard_links_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_arguments: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    with pytest.raises(StoreError, match="no hard links, which put-if-absent needs"):
        LocalStore(tmp_path).put_if_absent("a", b"x")
    assert files(tmp_path) == []


def test_a_link_whose_reply_was_lost_counts_as_created(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link = os.link

    def lose_reply(source: Path, target: Path) -> None:
        link(source, target)
        raise FileExistsError(errno.EEXIST, "File exists")  # what NFS says when it repeats a link that had worked

    monkeypatch.setattr(os, "link", lose_reply)
    assert LocalStore(tmp_path).put_if_absent("a", b"x") is True


def test_a_key_that_is_a_folder_is_refused_and_holds_no_object(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    store.put_if_absent("a/b", b"x")
    with pytest.raises(StoreError, match="a file stands where a folder should, or the reverse"):
        store.put_if_absent("a", b"x")
    assert not store.exists("a")
    with pytest.raises(KeyError):
        store.get("a")


def test_files_that_a_killed_writer_left_are_never_listed_and_swept_after_a_day(tmp_path: Path) -> None:
    hidden = tmp_path / ".tmp"
    hidden.mkdir()
    (hidden / "old").write_bytes(b"half")
    (hidden / "new").write_bytes(b"half")
    os.utime(hidden / "old", (time.time() - 90_000,) * 2)
    store = LocalStore(tmp_path)
    assert list(store.list("")) == []
    store.put_if_absent("a", b"x")
    assert [info.key for info in store.list("")] == ["a"]
    assert files(hidden) == ["new"]


def test_a_store_whose_folder_does_not_exist_yet_is_empty(tmp_path: Path) -> None:
    store = LocalStore(tmp_path / "not" / "yet")
    assert list(store.list("parts/")) == []
    assert not store.exists("a")


def test_the_local_path_is_the_file_itself(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    store.put_if_absent("a/b", b"x")
    assert Path(store.local_path("a/b") or "").read_bytes() == b"x"


def test_a_relative_folder_means_the_one_of_the_process_that_read_the_config(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    options = StoreOptions("runs")
    monkeypatch.chdir("/")
    assert open_store(options).url == str(tmp_path / "runs")


@pytest.mark.parametrize("url", ["file:///data/runs", "file://localhost/data/runs", "/data/runs", "/data/x/../runs/"])
def test_a_folder_can_be_written_as_a_path_or_as_a_file_address(url: str) -> None:
    assert open_store(StoreOptions(url)).url == "/data/runs"
