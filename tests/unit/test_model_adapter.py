"""`model.adapter` names who writes the texts: part of their identity where it is set, and of nothing where it is not."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from raylib.config.loading import validate
from raylib.config.run import LabellerConfig, RunConfig
from raylib.errors import ConfigError, ModelError
from raylib.pipeline.generate import generation_identity
from raylib.pipeline.models import prepare_model
from tests.pipeline_support import run_tree

pytest.importorskip("safetensors")
MODULE = "model.layers.0.mlp.up_proj"


def write(folder: Path, weight: float = 0.5, inputs: int = 4) -> dict[str, Any]:
    """Write a model of one matrix and an adapter, and return the model's section."""
    from safetensors.numpy import save_file

    (folder / "a").mkdir(parents=True)
    (folder / "m").mkdir()
    (folder / "m" / "config.json").write_text("{}")
    save_file({f"{MODULE}.weight": np.zeros((6, 4), np.float32)}, folder / "m" / "model.safetensors")
    pair = {"A": np.ones((2, inputs), np.float32), "B": np.full((6, 2), weight, np.float32)}
    named = {f"base_model.model.{MODULE}.lora_{name}.weight": value for name, value in pair.items()}
    save_file(named, folder / "a" / "adapter_model.safetensors")
    (folder / "a" / "adapter_config.json").write_text(json.dumps({"r": 2}))
    engine = {"kind": "vllm", "adapters": {"fair": str(folder / "a")}}
    return {"name": "m", "source": str(folder / "m"), "engine": engine}


def run(folder: Path, model: dict[str, Any]) -> RunConfig:
    return validate(run_tree(folder / "store", model=model), RunConfig, "test")


def test_the_texts_identity_holds_the_adapters_content_only_where_one_writes(tmp_path: Path) -> None:
    model, again = write(tmp_path / "one"), write(tmp_path / "two", weight=0.7)
    plain = generation_identity(run(tmp_path, model))
    fair = generation_identity(run(tmp_path, model | {"adapter": "fair"}))
    assert "adapter" not in plain["model"]
    assert {name for name in fair["model"] if fair["model"][name] != plain["model"].get(name)} == {"adapter"}
    other = generation_identity(run(tmp_path, again | {"adapter": "fair"}))
    assert other["model"]["adapter"] != fair["model"]["adapter"]


def test_an_adapter_that_the_engine_lacks_is_told(tmp_path: Path) -> None:
    model = write(tmp_path / "one")
    with pytest.raises(ConfigError, match=r"adapter 'fare' is none of engine\.adapters\. Did you mean 'fair'"):
        run(tmp_path, model | {"adapter": "fare"})
    with pytest.raises(ConfigError, match=r"model\.adapter is for texts; a labeller names its adapter"):
        validate({"model": model | {"adapter": "fair"}}, LabellerConfig, "test")


def test_an_adapter_of_another_model_ends_the_run_before_workers_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("raylib.pipeline.models.installed_device", lambda: "cpu")
    prepare_model(run(tmp_path, write(tmp_path / "one")))
    with pytest.raises(ModelError, match=r"does not belong to .*up_proj is 4 -> 6 there, the adapter's is 8 -> 6"):
        prepare_model(run(tmp_path, write(tmp_path / "two", inputs=8)))
