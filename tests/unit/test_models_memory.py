"""A model that does not fit is one clear line before anything is loaded."""

import json
import struct
from pathlib import Path

import pytest

from raylib.errors import ModelError
from raylib.models import memory
from raylib.models.memory import GB, check_fits, needed_gb, parameters


def safetensors(path: Path, **shapes: list[int]) -> None:
    """Write a file with bfloat16 tensors of zeros."""
    header, offset = {}, 0
    for name, shape in shapes.items():
        size = 2
        for length in shape:
            size *= length
        header[name] = {"dtype": "BF16", "shape": shape, "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(header | {"__metadata__": {"format": "pt"}}).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + bytes(offset))


def test_weights_are_counted_over_all_files(tmp_path: Path) -> None:
    safetensors(tmp_path / "model-1.safetensors", a=[3, 4], b=[5])
    safetensors(tmp_path / "model-2.safetensors", c=[2, 2, 2])
    assert parameters(tmp_path) == 12 + 5 + 8


def test_need_is_weights_in_the_loaded_type_cache_and_runtime(tmp_path: Path) -> None:
    safetensors(tmp_path / "model.safetensors", a=[1024, 512])
    assert needed_gb(tmp_path, 2, 4, "cpu") == pytest.approx(1024 * 512 * 4 / GB + 2 + 1.5)


def test_a_model_that_does_not_fit_says_need_have_and_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    safetensors(tmp_path / "model.safetensors", a=[8, 8])
    monkeypatch.setattr(memory, "available_ram_gb", lambda: 2.25)
    with pytest.raises(
        ModelError, match=r"needs about 2\.5 GB of memory and 2\.2 GB are free: lower engine\.kv_cache_gb"
    ):
        check_fits(tmp_path, 1, 4, "cpu")
    check_fits(tmp_path, 0.5, 4, "cpu")


def test_gpus_share_the_weights_and_only_their_share_of_memory_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "parameters", lambda _: 20 * GB)  # 40 GB as bfloat16
    monkeypatch.setattr(memory, "_gpu_gb", lambda: 40.0)
    with pytest.raises(ModelError, match=r"needs about 43\.0 GB of GPU memory and 36\.0 GB.*tensor_parallel"):
        check_fits(tmp_path, 1, 2, "cuda")
    check_fits(tmp_path, 1, 2, "cuda", tensor_parallel=2)


def test_a_containers_limit_counts_and_its_file_cache_does_not(tmp_path: Path) -> None:
    (tmp_path / "memory.max").write_text(f"{8 * GB}\n")
    (tmp_path / "memory.current").write_text(f"{5 * GB}\n")
    (tmp_path / "memory.stat").write_text(f"anon {3 * GB}\ninactive_file {2 * GB}\n")
    assert memory._cgroup_free(tmp_path) == 5 * GB


def test_a_container_without_a_limit_leaves_the_machines_memory(tmp_path: Path) -> None:
    (tmp_path / "memory.max").write_text("max\n")
    (tmp_path / "memory.current").write_text("1\n")
    assert memory._cgroup_free(tmp_path) == float("inf")


def test_a_torn_weights_file_is_found_before_an_engine_loads_it(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    safetensors(path, a=[100])
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ModelError, match="not a whole safetensors file"):
        parameters(tmp_path)
    path.write_bytes(b"version https://git-lfs")
    with pytest.raises(ModelError, match="not a whole safetensors file"):
        parameters(tmp_path)
