"""Is this an adapter, of this base model, that was trained? Asked of the files, before and after anything loads them."""

import json
from pathlib import Path
from typing import Any, NamedTuple

from raylib.errors import ModelError

WEIGHTS, CONFIG = "adapter_model.safetensors", "adapter_config.json"
_PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl")


class AdapterFacts(NamedTuple):
    """What was found in an adapter's files."""

    tensors: int
    parameters: int
    rank: int
    largest_b: float
    """Largest weight of all lora_B, which begin at zero: how far it has learnt."""


def verify_adapter(folder: Path, base: Path | None = None) -> AdapterFacts:
    """Check an adapter's files: safetensors alone, pairs of the right shapes, finite, and trained.

    Args:
        folder: holds adapter_model.safetensors and adapter_config.json.
        base: the base model's folder; given, every adapted module must be one of its own, of its shape.

    Raises:
        ModelError: one line that says what is wrong; an adapter whose lora_B are all zero was never trained (ZeRO-3 is
            known to save such ones).
    """
    import torch
    from safetensors.torch import load_file

    config = _config(folder)
    pickles = sorted(path.name for pattern in _PICKLES for path in folder.glob(pattern))
    if pickles:
        raise ModelError(f"adapter {folder} holds {pickles[0]}, a pickle, which can run code: keep safetensors only")
    if not (folder / WEIGHTS).is_file():
        raise ModelError(f"adapter {folder} holds no {WEIGHTS}: train it again, or name the folder that has it")
    try:
        tensors = load_file(folder / WEIGHTS)
    except Exception as error:  # safetensors raises a class of its own for every damage
        raise ModelError(f"adapter {folder}: {WEIGHTS} cannot be read ({error}); copy it again") from error
    pairs = _pairs(tensors, folder)
    rank = int(config["r"])
    for module, (first, second) in pairs.items():
        if first.shape[0] != rank or second.shape[1] != rank:
            raise ModelError(
                f"adapter {folder}: {module} has shapes {tuple(first.shape)} and {tuple(second.shape)}, not of rank {rank}"
            )
    for name, tensor in tensors.items():
        if not torch.isfinite(tensor).all():
            raise ModelError(f"adapter {folder}: {name} holds NaN or infinity: train with a lower learning_rate")
    untrained = [module for module, (_, second) in pairs.items() if not second.any()]
    if len(untrained) == len(pairs):
        raise ModelError(f"adapter {folder} is untrained: all {len(pairs)} lora_B are zero, so it changes nothing")
    if base is not None:
        check_matches_base(folder, base)
    return AdapterFacts(
        len(tensors), sum(tensor.numel() for tensor in tensors.values()), rank,
        float(max(second.abs().max() for _, second in pairs.values())),
    )  # fmt: skip


def check_matches_base(folder: Path, base: Path) -> None:
    """Check that every module that an adapter changes is one of the base model's, of its shape. Only headers are read.

    Raises:
        ModelError: it was trained on another model; names the first module that does not fit.
    """
    if not (folder / WEIGHTS).is_file():
        raise ModelError(f"adapter {folder} holds no {WEIGHTS}: train it again, or name the folder that has it")
    shapes = _shapes(base)
    for module, (inputs, outputs) in _adapted(folder).items():
        if module not in shapes:
            raise ModelError(
                f"adapter {folder} does not belong to {base}: it changes {module}, which that model does not have; "
                "take the base model that the adapter was trained on"
            )
        if shapes[module] != (outputs, inputs):
            raise ModelError(
                f"adapter {folder} does not belong to {base}: {module} is {shapes[module][1]} -> {shapes[module][0]} there, "
                f"the adapter's is {inputs} -> {outputs}; take the base model that the adapter was trained on"
            )


def _config(folder: Path) -> dict[str, Any]:
    try:
        config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
        _ = int(config["r"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(f"adapter {folder}: {CONFIG} is missing or says no rank `r` ({error})") from error
    return dict(config)


def _pairs(tensors: dict[str, Any], folder: Path) -> dict[str, tuple[Any, Any]]:
    if not tensors:
        raise ModelError(f"adapter {folder} is empty: it holds no tensors")
    first = {_module(name): value for name, value in tensors.items() if ".lora_A." in name}
    second = {_module(name): value for name, value in tensors.items() if ".lora_B." in name}
    if first.keys() != second.keys() or len(first) + len(second) != len(tensors):
        raise ModelError(
            f"adapter {folder}: {len(first)} lora_A and {len(second)} lora_B among {len(tensors)} tensors do not pair up"
        )
    empty = [module for module in first if not first[module].numel() or not second[module].numel()]
    if empty:
        raise ModelError(f"adapter {folder}: the tensors of {empty[0]} are empty ({len(empty)} such modules)")
    return {module: (first[module], second[module]) for module in sorted(first)}


def _module(name: str) -> str:
    return name.removeprefix("base_model.model.").partition(".lora_")[0]


def _adapted(folder: Path) -> dict[str, tuple[int, int]]:
    """Return inputs and outputs of each module that an adapter changes."""
    from safetensors import safe_open

    found: dict[str, dict[str, tuple[int, ...]]] = {}
    with safe_open(folder / WEIGHTS, framework="numpy") as stream:
        for name in stream.keys():  # noqa: SIM118 - not a mapping
            found.setdefault(_module(name), {})["A" if ".lora_A." in name else "B"] = tuple(
                stream.get_slice(name).get_shape()
            )
    return {module: (pair["A"][1], pair["B"][0]) for module, pair in sorted(found.items()) if len(pair) == 2}


def _shapes(base: Path) -> dict[str, tuple[int, ...]]:
    """Return the shape of every weight matrix of a model, by its module's name."""
    from safetensors import safe_open

    shapes: dict[str, tuple[int, ...]] = {}
    for path in sorted(base.glob("*.safetensors")):
        with safe_open(path, framework="numpy") as stream:
            for name in stream.keys():  # noqa: SIM118 - not a mapping
                shapes[name.removesuffix(".weight")] = tuple(stream.get_slice(name).get_shape())
    return shapes
