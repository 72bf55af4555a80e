"""What is no model is refused before anything is converted."""

import subprocess
import sys
from pathlib import Path

import pytest

from raylib.errors import ModelError
from raylib.models import gguf
from raylib.models.gguf import convert


def test_what_is_no_gguf_file_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "x.gguf").write_bytes(b"PK zip")
    with pytest.raises(ModelError, match=r"x\.gguf is not a GGUF file"):
        convert(tmp_path / "x.gguf", tmp_path)


def test_a_converter_that_fails_ends_in_its_last_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.gguf").write_bytes(b"GGUF torn")
    failing = [sys.executable, "-c", "import sys; sys.exit('Traceback ...\\nValueError: no such architecture')"]
    real = subprocess.run
    monkeypatch.setattr(gguf.subprocess, "run", lambda _, **options: real(failing, **options))
    with pytest.raises(ModelError) as caught:
        convert(tmp_path / "x.gguf", tmp_path)
    assert str(caught.value) == "cannot convert x.gguf to safetensors: ValueError: no such architecture"


def test_a_converter_that_is_killed_is_taken_for_out_of_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.gguf").write_bytes(b"GGUF torn")
    killed = [sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"]
    real = subprocess.run
    monkeypatch.setattr(gguf.subprocess, "run", lambda _, **options: real(killed, **options))
    with pytest.raises(ModelError, match=r"ended with code -9 \(out of memory\?\)"):
        convert(tmp_path / "x.gguf", tmp_path)
