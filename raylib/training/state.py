"""A checkpoint: adapter, optimizer and history as safetensors and JSON, whole, whatever the number of workers.

DeepSpeed's own checkpoints are pickles that are cut by the number of workers. The adapter is small, so each tensor is
gathered instead: a training that lost a machine goes on with fewer workers, and nothing is ever unpickled.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from raylib.errors import DataError

ADAPTER = "adapter"
MOMENTS = ("exp_avg", "exp_avg_sq")
"""What AdamW keeps of a parameter beside its step."""
_STATE, _PROGRESS = "optimizer.safetensors", "progress.json"


class Point(NamedTuple):
    """How far a training is."""

    step: int
    """Updates made; the next step's number."""
    history: list[dict[str, float]]
    """One mapping a step: step, loss, rate, tokens, seconds; `held_out` where it was measured."""


def gathered(engine: Any, parameters: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the weights (key `weight`) and moments of the trained parameters, whole and in float32, on the CPU.

    All workers must call it: the pieces of a parameter lie on all of them under ZeRO.
    """
    from deepspeed.utils import safe_get_full_fp32_param, safe_get_full_optimizer_state

    found: dict[str, dict[str, Any]] = {"weight": {}, **{moment: {} for moment in MOMENTS}}
    for name, parameter in parameters.items():
        found["weight"][name] = safe_get_full_fp32_param(parameter).detach().cpu().contiguous().clone()
        for moment in MOMENTS:
            value = safe_get_full_optimizer_state(parameter, moment)
            found[moment][name] = value.detach().cpu().contiguous().clone()
    return found


def begin_optimizer(engine: Any, step: int) -> None:
    """Give AdamW its state at `step` with moments of zero, which DeepSpeed leaves for later or begins at 1."""
    import torch

    zero = engine.optimizer
    flat = getattr(zero, "fp32_partitioned_groups_flat", None) or zero.single_partition_of_fp32_groups
    for part in flat:
        state = zero.optimizer.state[part]
        state["step"] = torch.tensor(float(step))
        for moment in MOMENTS:
            state[moment] = torch.zeros_like(part)
    if hasattr(
        zero, "_lazy_init_hp_params_optimizer_state"
    ):  # ZeRO-2 ties parameters to their moments at the first step
        zero._lazy_init_hp_params_optimizer_state()


def set_weights(parameters: Mapping[str, Any], values: Mapping[str, Mapping[str, Any]]) -> None:
    """Put weights back into a model that DeepSpeed has not seen yet, rounded to its number type."""
    import torch

    with torch.no_grad():
        for name, parameter in parameters.items():
            parameter.copy_(values["weight"][name])


def restore(parameters: Mapping[str, Any], values: Mapping[str, Mapping[str, Any]]) -> None:
    """Put weights in float32 and moments back; all workers must call it, after `begin_optimizer`."""
    from deepspeed.utils import safe_set_full_fp32_param, safe_set_full_optimizer_state

    for name, parameter in parameters.items():
        safe_set_full_fp32_param(parameter, values["weight"][name])
        for moment in MOMENTS:
            safe_set_full_optimizer_state(parameter, values[moment][name], moment)


def save(folder: Path, model: Any, values: Mapping[str, Mapping[str, Any]], point: Point) -> None:
    """Write a checkpoint: `adapter/` in peft's format, the moments, and how far it is."""
    from peft import get_peft_model_state_dict
    from safetensors.torch import save_file

    adapter = folder / ADAPTER
    adapter.mkdir(parents=True)
    weights = get_peft_model_state_dict(model, state_dict=dict(values["weight"]))
    save_file(weights, adapter / "adapter_model.safetensors", metadata={"format": "pt"})
    model.peft_config["default"].save_pretrained(adapter)
    flat = {f"{kind}/{name}": tensor for kind, tensors in values.items() for name, tensor in tensors.items()}
    save_file(flat, folder / _STATE)
    (folder / _PROGRESS).write_text(json.dumps(point._asdict()), encoding="utf-8")


def read_point(folder: Path) -> Point:
    """Return how far a checkpoint is. Raises DataError if it cannot be read."""
    try:
        return Point(**json.loads((folder / _PROGRESS).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise DataError(
            f"the checkpoint in {folder} cannot be read ({error}): train under another name (--run NAME)"
        ) from error


def read_values(folder: Path) -> dict[str, dict[str, Any]]:
    """Return what `gathered` gave when the checkpoint was written."""
    from safetensors.torch import load_file

    values: dict[str, dict[str, Any]] = {}
    for name, tensor in load_file(folder / _STATE).items():
        kind, _, parameter = name.partition("/")
        values.setdefault(kind, {})[parameter] = tensor
    return values
