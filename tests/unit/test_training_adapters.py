"""An adapter is refused where it is empty, untrained, torn, or another model's, in one line."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from raylib.errors import ModelError
from raylib.training.adapters import verify_adapter

pytest.importorskip("torch")
MODULE = "model.layers.0.self_attn.q_proj"


def write_base(folder: Path, shape: tuple[int, int] = (6, 4), module: str = MODULE) -> Path:
    from safetensors.numpy import save_file

    folder.mkdir()
    save_file({f"{module}.weight": np.zeros(shape, np.float32)}, folder / "model.safetensors")
    return folder


def write_adapter(folder: Path, rank: int = 2, **tensors: Any) -> Path:
    from safetensors.numpy import save_file

    folder.mkdir()
    pair = {"A": np.ones((2, 4), np.float32), "B": np.full((6, 2), 0.5, np.float32)} | tensors
    named = {
        f"base_model.model.{MODULE}.lora_{name}.weight": value for name, value in pair.items() if value is not None
    }
    save_file(named, folder / "adapter_model.safetensors")
    (folder / "adapter_config.json").write_text(json.dumps({"r": rank, "lora_alpha": 4}))
    return folder


def test_a_trained_adapter_of_this_model_passes_with_its_facts(tmp_path: Path) -> None:
    facts = verify_adapter(write_adapter(tmp_path / "a"), write_base(tmp_path / "m"))
    assert facts == (2, 2 * 4 + 6 * 2, 2, 0.5)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"B": np.zeros((6, 2), np.float32)}, "untrained: all 1 lora_B are zero"),
        ({"B": np.full((6, 2), np.nan, np.float32)}, "holds NaN or infinity"),
        ({"B": np.zeros((0,), np.float32)}, "are empty"),
        ({"B": None}, "1 lora_A and 0 lora_B among 1 tensors do not pair up"),
        ({"rank": 3}, "not of rank 3"),
    ],
    ids=["zero", "nan", "empty", "alone", "rank"],
)
def test_what_is_no_trained_adapter_is_told(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ModelError, match=said):
        verify_adapter(write_adapter(tmp_path / "a", **changes))


def test_a_pickle_beside_it_and_a_torn_file_are_told(tmp_path: Path) -> None:
    folder = write_adapter(tmp_path / "a")
    (folder / "optimizer.pt").write_bytes(b"x")
    with pytest.raises(ModelError, match=r"holds optimizer\.pt, a pickle"):
        verify_adapter(folder)
    (folder / "optimizer.pt").unlink()
    (folder / "adapter_model.safetensors").write_bytes(b"torn")
    with pytest.raises(ModelError, match="cannot be read"):
        verify_adapter(folder)


def test_an_adapter_of_another_model_is_told_by_the_first_module_that_does_not_fit(tmp_path: Path) -> None:
    adapter = write_adapter(tmp_path / "a")
    with pytest.raises(ModelError, match=r"does not belong to .*: model\.layers\.0\.self_attn\.q_proj is 8 -> 6 there"):
        verify_adapter(adapter, write_base(tmp_path / "wider", (6, 8)))
    with pytest.raises(ModelError, match=r"it changes model\.layers\.0\.self_attn\.q_proj, which that model does not"):
        verify_adapter(adapter, write_base(tmp_path / "other", module="h.0.attn"))
