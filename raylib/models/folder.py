"""What a model folder must hold before an engine is started on it."""

import json
from pathlib import Path

from raylib.errors import ModelError

_PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt")


def check_folder(folder: Path, source: str) -> None:
    """Check that the folder holds a configuration and all of its safetensors.

    Raises:
        ModelError: something is missing, or the weights are pickles, which run code when they are loaded.
    """
    if not (folder / "config.json").is_file():
        raise ModelError(f"model {source}: {folder} holds no config.json, so it is not a model in transformers' format")
    if not any(folder.glob("*.safetensors")):
        if any(path for pattern in _PICKLES for path in folder.glob(pattern)):
            raise ModelError(
                f"model {source} has pickled weights only, which can run code when loaded: convert them to safetensors "
                "(model.save_pretrained of transformers) or take a revision that has them"
            )
        raise ModelError(f"model {source}: {folder} holds no *.safetensors")
    missing = sorted(name for name in _shards(folder) if not (folder / name).is_file())
    if missing:
        raise ModelError(
            f"model {source} is incomplete: {folder} lacks {missing[0]} ({len(missing)} missing); fetch it again"
        )


def _shards(folder: Path) -> set[str]:
    index = folder / "model.safetensors.index.json"
    if not index.is_file():
        return set()
    try:
        return {str(name) for name in json.loads(index.read_text(encoding="utf-8"))["weight_map"].values()}
    except (ValueError, KeyError, AttributeError) as error:
        raise ModelError(f"{index} is not an index of safetensors ({error!r}): fetch the model again") from error
