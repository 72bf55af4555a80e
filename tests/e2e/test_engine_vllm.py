"""The real vLLM on a real model, in a worker process with the environment that the pipeline gives it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from raylib.config.engine import VllmOptions
from raylib.engines.environment import environment
from raylib.engines.spec import ModelSpec
from raylib.engines.vllm import VllmEngine
from raylib.errors import ModelError
from raylib.models.memory import parameters
from raylib.models.resolve import ResolvedModel, resolve
from raylib.models.template import chat_template

pytestmark = pytest.mark.vllm

MODEL = Path(__file__).parents[2] / "configs" / "models" / "smollm2-135m-instruct.yaml"

WORKER = """
import asyncio, json, sys
from raylib.config.engine import VllmOptions
from raylib.engines.base import Message, Request, Sampling
from raylib.engines.spec import ModelSpec
from raylib.engines.vllm import VllmEngine
from raylib.errors import ModelError

path, adapter = sys.argv[1:]
engine = VllmEngine(
    VllmOptions(max_model_len=256, adapters={"remedy": adapter}, max_lora_rank=8), ModelSpec(path, "You are brief.")
)

def ask(name, n=1, seed=1, max_tokens=8, **changes):
    sampling = Sampling(temperature=changes.pop("temperature", 0), max_tokens=max_tokens)
    messages = (Message("user", "Tell a story of a cook."),)
    return engine.complete(Request(name, messages, n, seed, sampling, **changes))

async def work():
    plain, adapted, chosen, refused, many = await asyncio.gather(
        ask("plain"), ask("adapted", adapter="remedy"), ask("logprobs", logprobs=3), ask("bad", logprobs=10**6, n=2),
        ask("many", n=40, temperature=1, max_tokens=3),
    )
    again = await ask("plain")
    busy = asyncio.create_task(ask("cancelled", n=4, temperature=1, max_tokens=200))
    await asyncio.sleep(0.5)
    age = engine.last_step_age
    busy.cancel()
    after = await ask("plain")
    return {
        "plain": plain[0].text, "again": again[0].text, "after": after[0].text, "adapted": adapted[0].text,
        "logprobs": [len(p) for p in chosen[0].logprobs], "prompt_tokens": plain[0].prompt_tokens,
        "refused": [[c.status, c.error_type, c.retryable] for c in refused], "different": len({c.text for c in many}),
        "age": age, "info": {"device": engine.info.device, "dtype": engine.info.dtype, **engine.info.details},
    }

result = asyncio.run(work())

def explode():
    raise MemoryError("no memory left")

engine._engine.step = explode
try:
    asyncio.run(ask("plain"))
except Exception as error:
    result["death"] = f"{type(error).__name__}: {error}"
engine.close()
print(json.dumps(result))
"""


@pytest.fixture(scope="module")
def model() -> ResolvedModel:
    values = yaml.safe_load(MODEL.read_text(encoding="utf-8"))
    try:
        return resolve(values["source"], values["sha256"])
    except ModelError as error:
        if "cannot download" not in str(error):
            raise
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def worker(model: ResolvedModel, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], str]:
    """What the worker found, and all that it printed beside that."""
    adapter = tmp_path_factory.mktemp("adapter")
    write_adapter(adapter)
    done = subprocess.run(
        [sys.executable, "-c", WORKER, str(model.path), str(adapter)],
        env=os.environ | environment(VllmOptions(), "cpu"),
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    *chatter, last = done.stdout.strip().splitlines()
    return json.loads(last), "\n".join(chatter) + done.stderr


def write_adapter(folder: Path) -> None:
    """Write a LoRA adapter of rank 8 with random weights that are large enough to change what the model says."""
    from safetensors.numpy import save_file

    draw = np.random.default_rng(0)
    tensors = {}
    for layer in range(30):
        name = f"base_model.model.model.layers.{layer}.self_attn.o_proj"
        tensors[f"{name}.lora_A.weight"] = draw.normal(0, 0.05, (8, 576)).astype(np.float32)
        tensors[f"{name}.lora_B.weight"] = draw.normal(0, 0.05, (576, 8)).astype(np.float32)
    save_file(tensors, folder / "adapter_model.safetensors")
    config = {"peft_type": "LORA", "task_type": "CAUSAL_LM", "r": 8, "lora_alpha": 16, "target_modules": ["o_proj"]}
    (folder / "adapter_config.json").write_text(json.dumps(config | {"bias": "none"}), encoding="utf-8")


def test_the_converted_model_knows_its_special_tokens_and_template(model: ResolvedModel) -> None:
    folder = Path(model.path or "")
    tokenizer = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
    generation = json.loads((folder / "generation_config.json").read_text(encoding="utf-8"))
    assert (tokenizer["bos_token"], tokenizer["eos_token"]) == ("<|im_start|>", "<|im_end|>")
    assert [generation[f"{kind}_token_id"] for kind in ("bos", "eos", "pad")] == [1, 2, 2]
    assert "<|im_start|>assistant" in (chat_template(folder) or "")
    assert parameters(folder) == 134_515_008


def test_an_adapter_changes_the_answer(worker: tuple[dict[str, Any], str]) -> None:
    result, _ = worker
    assert result["adapted"] != result["plain"]


def test_the_base_model_in_a_batch_with_an_adapter_answers_as_it_does_alone(worker: tuple[dict[str, Any], str]) -> None:
    result, _ = worker  # vLLM's CPU operators gave it the adapter's weights
    assert result["plain"] == result["again"]


def test_a_cancelled_request_does_not_disturb_the_next(worker: tuple[dict[str, Any], str]) -> None:
    result, _ = worker
    assert result["after"] == result["plain"]
    assert 0 <= result["age"] < 30


def test_log_probabilities_hold_the_top_tokens_and_the_chosen_one(worker: tuple[dict[str, Any], str]) -> None:
    result, _ = worker
    assert all(size in (3, 4) for size in result["logprobs"])


def test_parameters_that_vllm_refuses_are_rows_not_a_dead_engine(worker: tuple[dict[str, Any], str]) -> None:
    result, _ = worker
    assert result["refused"] == [["error", "bad_request", False]] * 2


def test_seeds_draw_different_texts(worker: tuple[dict[str, Any], str]) -> None:
    result, _ = worker
    assert result["different"] > 5


def test_the_engine_reports_what_ran(worker: tuple[dict[str, Any], str]) -> None:
    info = worker[0]["info"]
    assert (info["device"], info["dtype"], info["max_model_len"]) == ("cpu", "float32", 256)
    assert info["max_num_batched_tokens"] >= 256


def test_a_dead_engine_says_so_to_whoever_asks(worker: tuple[dict[str, Any], str]) -> None:
    assert worker[0]["death"] == "EngineDeadError: the engine died: MemoryError: no memory left"


def test_vllm_keeps_quiet(worker: tuple[dict[str, Any], str]) -> None:
    chatter = worker[1]
    assert "INFO" not in chatter
    assert "WARNING" not in chatter


def test_a_model_that_does_not_fit_is_refused_before_vllm_is_imported(model: ResolvedModel) -> None:
    with pytest.raises(ModelError, match=r"needs about 10000\d\.\d GB of memory and .* lower engine\.kv_cache_gb"):
        VllmEngine(VllmOptions(kv_cache_gb=100_000), ModelSpec(model.path))
