"""A model is built once, by one process, and appears whole or not at all."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from raylib.errors import ModelError
from raylib.models.cache import build_once, cache_dir
from raylib.models.hashing import folder_sha256

BUILD_SLOWLY = """
import sys, time
from pathlib import Path
from raylib.models.cache import build_once

def build(folder):
    with open(sys.argv[2], "a") as log:
        log.write("built\\n")
    time.sleep(0.5)
    (folder / "config.json").write_text("{}")

build_once(Path(sys.argv[1]), "model", build)
"""


def test_two_processes_build_it_once(tmp_path: Path) -> None:
    log = tmp_path / "log"
    command = [sys.executable, "-c", BUILD_SLOWLY, str(tmp_path), str(log)]
    both = [subprocess.Popen(command) for _ in range(2)]
    assert [process.wait(30) for process in both] == [0, 0]
    assert log.read_text() == "built\n"


def test_a_build_that_is_killed_leaves_nothing_and_the_next_one_is_whole(tmp_path: Path) -> None:
    program = (
        "import os, sys; from pathlib import Path; from raylib.models.cache import build_once\n"
        "def build(folder):\n"
        "    (folder / 'half').write_text('x'); os.kill(os.getpid(), 9)\n"
        "build_once(Path(sys.argv[1]), 'model', build)"
    )
    killed = subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=False)
    assert killed.returncode == -9
    assert not (tmp_path / "models" / "model").exists()

    folder = build_once(tmp_path, "model", lambda path: (path / "whole").touch())
    assert os.listdir(folder) == ["whole"]
    assert os.listdir(tmp_path / "models") == ["model"]


def test_a_build_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def build(folder: Path) -> None:
        (folder / "half").touch()
        raise ModelError("no")

    with pytest.raises(ModelError, match="no"):
        build_once(tmp_path, "model", build)
    assert os.listdir(tmp_path / "models") == []


def test_a_cache_that_cannot_be_written_says_what_to_set(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ModelError, match="set FAIRSWEEP_CACHE"):
        build_once(tmp_path / "file", "model", lambda _: None)


def test_the_environment_names_the_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FAIRSWEEP_CACHE", str(tmp_path))
    assert cache_dir() == tmp_path
    monkeypatch.setenv("FAIRSWEEP_CACHE", "")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_dir() == tmp_path / ".cache" / "fairsweep"


def model(folder: Path, weights: bytes = b"weights") -> Path:
    folder.mkdir(parents=True)
    (folder / "model.safetensors").write_bytes(weights)
    (folder / "config.json").write_text("{}")
    return folder


def test_a_folders_hash_is_its_content_wherever_it_lies(tmp_path: Path) -> None:
    one, two = model(tmp_path / "one"), model(tmp_path / "two")
    (two / "README.md").write_text("no part of the model")
    assert folder_sha256(one) == folder_sha256(two) == folder_sha256(one, tmp_path / "cache")


def test_changed_weights_change_the_hash_although_it_is_cached(tmp_path: Path) -> None:
    folder = model(tmp_path / "one")
    before = folder_sha256(folder, tmp_path / "cache")
    (folder / "model.safetensors").write_bytes(b"weightz")
    os.utime(folder / "model.safetensors", ns=(1, 2))
    assert folder_sha256(folder, tmp_path / "cache") != before


def test_a_file_is_read_once_as_long_as_it_is_not_touched(tmp_path: Path) -> None:
    folder = model(tmp_path / "one")
    first = folder_sha256(folder, tmp_path / "cache")
    entries = list((tmp_path / "cache" / "hashes").iterdir())
    assert len(entries) == 2
    for entry in entries:
        entry.write_text("0" * 64)
    assert folder_sha256(folder, tmp_path / "cache") != first, "the cache was not read"


def test_names_count_as_well_as_contents(tmp_path: Path) -> None:
    one, two = model(tmp_path / "one"), model(tmp_path / "two")
    (two / "model.safetensors").rename(two / "other.safetensors")
    assert folder_sha256(one) != folder_sha256(two)
