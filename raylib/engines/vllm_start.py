"""Start vLLM: its arguments from ours, its errors in one line, what runs in the end."""

import os
from collections.abc import Mapping
from typing import Any

from raylib.config.engine import Device, VllmOptions
from raylib.engines.base import EngineInfo
from raylib.engines.spec import ModelSpec
from raylib.errors import ModelError


def engine_arguments(options: VllmOptions, spec: ModelSpec, device: Device) -> dict[str, Any]:
    """Return the arguments of vLLM's engine that follow from the configuration."""
    eager = device == "cpu" if options.enforce_eager is None else options.enforce_eager
    values: dict[str, Any] = {
        "model": spec.path,
        # Small models spend their tokens on blank lines where a schema lets them.
        "structured_outputs_config": {"backend": "xgrammar", "disable_any_whitespace": True},
        "dtype": dtype_of(options, device),
        "max_model_len": options.max_model_len,
        "max_num_seqs": options.max_num_seqs,
        "tensor_parallel_size": options.tensor_parallel,
        "distributed_executor_backend": "uni" if options.tensor_parallel == 1 else "mp",
        "enforce_eager": eager,
        "trust_remote_code": spec.trust_remote_code,
        "load_format": "safetensors",
        "use_tqdm_on_load": False,
        "disable_log_stats": True,
        # Our sampling parameters are all there is; a model's own defaults would change texts behind their back.
        "generation_config": "vllm",
    }
    if device == "cuda":
        values["gpu_memory_utilization"] = options.gpu_memory_utilization
    else:
        # A prompt cut in two rewinds the random generator of a seeded request, which CPU generators cannot: the
        # engine dies. Without cutting, vLLM makes room for a whole context in each step by itself.
        values["enable_chunked_prefill"] = False
    if options.adapters:
        values |= {
            "enable_lora": True,
            # One slot more than adapters, on a CPU: vLLM 0.29 marks requests for the base model with slot -1, and its
            # CPU operators take that for the last slot. It must be an empty one, or the adapter's texts leak into them.
            "max_loras": len(options.adapters) + (device == "cpu"),
            "max_lora_rank": options.max_lora_rank,
        }
    return values


def dtype_of(options: VllmOptions, device: Device) -> str:
    """Return the number type of the weights: as configured, or what is fastest on the device."""
    if options.dtype != "auto":
        return options.dtype
    return "float32" if device == "cpu" else "bfloat16"


def start(arguments: Mapping[str, Any]) -> Any:
    """Return a started `LLMEngine`.

    Raises:
        ModelError: vLLM cannot load the model; one line with its own reason.
    """
    from vllm.engine.arg_utils import EngineArgs
    from vllm.exceptions import VLLMError
    from vllm.v1.engine.llm_engine import LLMEngine

    try:
        return LLMEngine.from_engine_args(EngineArgs(**arguments))
    except (ValueError, RuntimeError, OSError, VLLMError) as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        raise ModelError(
            f"vLLM cannot load {arguments['model']}: {' '.join(lines[:3]) or type(error).__name__}"
        ) from error


def lora_requests(options: VllmOptions) -> dict[str, Any]:
    """Return what a request to vLLM names an adapter by, for each adapter.

    Raises:
        ModelError: an adapter's folder holds no safetensors.
    """
    from vllm.lora.request import LoRARequest

    for name, path in options.adapters.items():
        if not os.path.isfile(os.path.join(path, "adapter_model.safetensors")):
            raise ModelError(f"adapter {name!r}: {path} holds no adapter_model.safetensors")
    return {name: LoRARequest(name, number, path) for number, (name, path) in enumerate(options.adapters.items(), 1)}


def engine_info(engine: Any, device: Device, seed: int, folded: bool) -> EngineInfo:
    """Return what runs, read from the started engine."""
    import torch
    import vllm

    config = engine.vllm_config
    return EngineInfo(
        kind="vllm",
        version=vllm.__version__,
        device="cpu" if device == "cpu" else str(torch.cuda.get_device_name(0)),
        dtype=str(config.model_config.dtype).removeprefix("torch."),
        system_folded=folded,
        details={
            "torch": torch.__version__,
            "max_model_len": config.model_config.max_model_len,
            "max_num_seqs": config.scheduler_config.max_num_seqs,
            "max_num_batched_tokens": config.scheduler_config.max_num_batched_tokens,
            "tensor_parallel": config.parallel_config.tensor_parallel_size,
            "fast_seed": seed,
        },
    )
