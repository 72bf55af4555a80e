"""How much of bare vLLM's speed the pipeline keeps, with the embedded model on this machine.

Pairs of runs, interleaved (bare, pipeline, bare, pipeline, ...), each in a process of its own: the same prompts, model,
sampling and seeds. Time counts from the loaded engine to the last text (bare) or the last committed part (pipeline).

    python benchmarks/generation_speed.py [--pairs 3] [--prompts 24] [--samples 4] [--max-tokens 64]
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from raylib.config.loading import load_config
from raylib.config.run import RunConfig
from raylib.pipeline.context import Context
from raylib.pipeline.generate import plan_generate
from raylib.pipeline.models import engine_environment, model_spec, prepare_model
from raylib.pipeline.session import RaySession
from raylib.pipeline.stage import run_stage
from raylib.pipeline.unit import Processor, ProcessorFactory


def configured(options: argparse.Namespace, store: str) -> Context:
    """Return the quickstart at the benchmark's size."""
    overrides = [
        f"samples={options.samples}", f"sampling.max_tokens={options.max_tokens}", f"store={store}",
        f"units={{prompts: 1, samples: {options.samples}}}",
    ]  # fmt: skip
    return Context(load_config("configs/runs/quickstart.yaml", RunConfig, overrides), limit=options.prompts)


def bare(options: argparse.Namespace) -> dict[str, Any]:
    """Generate with vllm.LLM alone."""
    from vllm import LLM, SamplingParams

    context = configured(options, "unused")
    config = context.config
    engine = config.model.engine
    assert engine.kind == "vllm"
    path = model_spec(config.model, context.store_options).path
    llm = LLM(
        model=path, dtype="float32", enforce_eager=True, max_model_len=engine.max_model_len,
        max_num_seqs=engine.max_num_seqs, enable_chunked_prefill=False, max_num_batched_tokens=engine.max_model_len,
    )  # fmt: skip
    tokenizer = llm.get_tokenizer()
    prompts = [
        tokenizer.apply_chat_template([{"role": "user", "content": text}], tokenize=False, add_generation_prompt=True)
        for text in context.prompts["prompt"].to_pylist()
    ]
    sampling = [
        SamplingParams(
            n=config.samples, seed=1000 * place, temperature=config.sampling.temperature, top_p=config.sampling.top_p,
            max_tokens=config.sampling.max_tokens,
        )
        for place in range(len(prompts))
    ]  # fmt: skip
    began = time.monotonic()
    outputs = llm.generate(prompts, sampling, use_tqdm=False)
    seconds = time.monotonic() - began
    return {"seconds": seconds, "tokens": sum(len(c.token_ids) for output in outputs for c in output.outputs)}


@dataclass(frozen=True)
class TimedFactory:
    """A factory that leaves the time at which its engine was loaded."""

    inner: ProcessorFactory
    path: str

    def build(self) -> Processor:
        """Build, then note the time."""
        processor = self.inner.build()
        Path(self.path).write_text(str(time.time()))
        return processor


def pipeline(options: argparse.Namespace) -> dict[str, Any]:
    """Generate through Ray Data, the worker and the commit protocol."""
    with tempfile.TemporaryDirectory() as folder:
        context = configured(options, folder)
        prepare_model(context.config)
        plan = plan_generate(context.config, context.prompts)
        loaded = Path(folder) / "loaded"
        plan = replace(plan, factory=TimedFactory(plan.factory, str(loaded)))
        with RaySession(context.config.resources) as session:
            manifest = run_stage(plan, context.begin(session))
            seconds = time.time() - float(loaded.read_text())
        tokens = sum(receipt.tokens for receipt in manifest.parts)
        return {"seconds": seconds, "tokens": tokens}


def one(kind: str, options: argparse.Namespace) -> dict[str, Any]:
    """Run one side in a process of its own and return what it measured."""
    environment = dict(os.environ)
    if kind == "bare":
        context = configured(options, "unused")
        environment |= engine_environment(context.config.model.engine, gpus=0)
    command = [sys.executable, __file__, "--one", kind, "--prompts", str(options.prompts), "--samples",
               str(options.samples), "--max-tokens", str(options.max_tokens)]  # fmt: skip
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{kind} failed: {done.stderr[-2000:]}")
    result: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return result


def main() -> None:
    """Print each pair and the best ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--prompts", type=int, default=24)
    parser.add_argument("--samples", type=int, default=4)
    parser.add_argument("--max-tokens", type=int, default=64)
    parser.add_argument("--one", choices=["bare", "pipeline"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps((bare if options.one == "bare" else pipeline)(options)))
        return
    ratios = []
    for pair in range(options.pairs):
        speeds = {}
        for kind in ("bare", "pipeline"):
            result = one(kind, options)
            speeds[kind] = result["tokens"] / result["seconds"]
        ratios.append(speeds["pipeline"] / speeds["bare"])
        print(f"pair {pair + 1}: bare {speeds['bare']:.1f} tok/s, pipeline {speeds['pipeline']:.1f} tok/s, "
              f"ratio {ratios[-1]:.3f}", flush=True)  # fmt: skip
    print(f"best ratio {max(ratios):.3f}")


if __name__ == "__main__":
    main()
