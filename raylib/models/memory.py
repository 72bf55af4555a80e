"""Whether a model fits into memory, asked before an engine is started: a clear line instead of a kill."""

import json
import math
import struct
from pathlib import Path

from raylib.config.engine import Device
from raylib.errors import ModelError

GB = 1024**3
_CPU_RUNTIME_GB = 1.5
"""What torch, vLLM and a batch's activations take beside weights and cache (measured: 1.3 GB with SmolLM2)."""
_GPU_RUNTIME_GB = 2.0
_UNLIMITED = 1 << 60


def parameters(folder: str | Path) -> int:
    """Return the number of weights in the folder's safetensors, read from their headers.

    Raises:
        ModelError: a file is torn or not in the safetensors format.
    """
    return sum(_elements(path) for path in sorted(Path(folder).glob("*.safetensors")))


def needed_gb(folder: str | Path, kv_cache_gb: float, dtype_bytes: int, device: Device) -> float:
    """Return an estimate of the GB that an engine takes: weights, key-value cache, runtime."""
    runtime = _CPU_RUNTIME_GB if device == "cpu" else _GPU_RUNTIME_GB
    return parameters(folder) * dtype_bytes / GB + kv_cache_gb + runtime


def check_fits(
    folder: str | Path,
    kv_cache_gb: float,
    dtype_bytes: int,
    device: Device,
    gpu_memory_utilization: float = 0.9,
    tensor_parallel: int = 1,
) -> None:
    """Check that the model fits into the memory that is free now.

    Args:
        folder: a resolved model.
        kv_cache_gb: GB of key-value cache (on a GPU: the least that is useful).
        dtype_bytes: bytes of a weight as it is loaded, 4 for float32.
        device: `cpu` counts free RAM within the container's limit; `cuda` the first visible GPU.
        gpu_memory_utilization: share of a GPU that may be taken.
        tensor_parallel: GPUs that share the weights.

    Raises:
        ModelError: it does not fit; says what is needed, what there is and what to change.
    """
    need = needed_gb(folder, kv_cache_gb, dtype_bytes, device)
    if device == "cpu":
        have = available_ram_gb()
        advice = "lower engine.kv_cache_gb, set engine.dtype: bfloat16 (half the weights, slower on a CPU)"
    else:
        weights = need - kv_cache_gb - _GPU_RUNTIME_GB
        need = weights / tensor_parallel + kv_cache_gb + _GPU_RUNTIME_GB
        have = _gpu_gb() * gpu_memory_utilization
        advice = "raise engine.tensor_parallel (more GPUs share the weights) or engine.gpu_memory_utilization"
    if need > have:
        raise ModelError(
            f"the model needs about {need:.1f} GB of {'memory' if device == 'cpu' else 'GPU memory'} and {have:.1f} GB "
            f"are free: {advice}, free some memory, or take a smaller model"
        )


def available_ram_gb() -> float:
    """Return the GB of memory that this process may still take: the machine's or its container's, the smaller."""
    import psutil

    return min(float(psutil.virtual_memory().available), _cgroup_free()) / GB


def _cgroup_free(root: Path = Path("/sys/fs/cgroup")) -> float:
    for limit, usage, stat, inactive in (
        ("memory.max", "memory.current", "memory.stat", "inactive_file"),
        ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes", "memory/memory.stat", "total_inactive_file"),
    ):
        most = _read_int(root / limit)
        used = _read_int(root / usage)
        if most is not None and used is not None and most < _UNLIMITED:
            # Cached files count as used, but the kernel gives them up before it kills anybody.
            return float(most - used + _stat(root / stat, inactive))
    return math.inf


def _read_int(path: Path) -> int | None:
    if not path.is_file():
        return None
    text = path.read_text(encoding="ascii").strip()
    return int(text) if text.isdigit() else None


def _stat(path: Path, name: str) -> int:
    if not path.is_file():
        return 0
    pairs = (line.split() for line in path.read_text(encoding="ascii").splitlines())
    return next((int(pair[1]) for pair in pairs if len(pair) == 2 and pair[0] == name), 0)


def _gpu_gb() -> float:
    import torch

    if not torch.cuda.is_available():
        raise ModelError("no GPU is visible to this process: check resources.gpus_per_actor and CUDA_VISIBLE_DEVICES")
    return float(torch.cuda.get_device_properties(0).total_memory) / GB


def _elements(path: Path) -> int:
    try:
        with path.open("rb") as stream:
            (length,) = struct.unpack("<Q", stream.read(8))
            if length > path.stat().st_size:
                raise ValueError("its header is longer than the file")
            header = json.loads(stream.read(length))
        end = (
            8
            + length
            + max((item["data_offsets"][1] for name, item in header.items() if name != "__metadata__"), default=0)
        )
        if end > path.stat().st_size:
            raise ValueError(f"it ends at {path.stat().st_size} bytes of {end}")
        return sum(math.prod(item["shape"]) for name, item in header.items() if name != "__metadata__")
    except (struct.error, ValueError, KeyError, TypeError) as error:
        raise ModelError(f"{path} is not a whole safetensors file ({error}): fetch the model again") from error
