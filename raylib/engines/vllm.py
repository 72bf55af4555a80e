"""vLLM in the worker's own process, the same on a CPU and on a GPU.

vLLM gives child k of a request with n completions the seed `seed + k`, so a text depends on its own seed alone and n
may be cut into chunks at will.
"""

import asyncio
import copy
import gc
import os
import secrets
from collections.abc import Sequence
from typing import Any

from raylib.config.engine import VllmOptions
from raylib.engines.base import Completion, EngineInfo, Message, Request, errors
from raylib.engines.chat import Prompt, PromptRenderer
from raylib.engines.choices import FINISH_REASON, Likelihood, to_record
from raylib.engines.completions import ReasoningTags, to_completion
from raylib.engines.environment import environment, installed_device
from raylib.engines.reasoning import prompt_opens_reasoning
from raylib.engines.spec import ModelSpec
from raylib.engines.step_loop import RequestRefusedError, StepLoop
from raylib.engines.vllm_start import dtype_of, engine_arguments, engine_info, lora_requests, start
from raylib.errors import ConfigError, ModelError, nearest
from raylib.models.memory import check_fits

__all__ = ["VllmEngine", "environment"]

CHUNK = 64
"""Completions of one request to vLLM, at most; all chunks of a prompt are handed over at once."""

_GPU_KV_CACHE_GB = 1.0


class VllmEngine:
    """An engine on vLLM's `LLMEngine`, stepped by a thread, with any number of requests in flight.

    Raises:
        ConfigError: vLLM is not installed, or twice.
        ModelError: the model has no path, does not fit into memory, or vLLM cannot load it.
    """

    def __init__(self, options: VllmOptions, spec: ModelSpec) -> None:
        if spec.path is None:
            raise ModelError("the vLLM engine needs a model with weights: set `source:`, or `engine: {kind: scripted}`")
        device = installed_device()
        dtype = dtype_of(options, device)
        cache_gb = options.kv_cache_gb if device == "cpu" else _GPU_KV_CACHE_GB
        check_fits(
            spec.path, cache_gb, 4 if dtype == "float32" else 2, device,
            options.gpu_memory_utilization, options.tensor_parallel,
        )  # fmt: skip
        # LD_PRELOAD works at the start of a process only; the rest still does, before vllm is imported.
        os.environ.update({name: value for name, value in environment(options, device).items() if name != "LD_PRELOAD"})
        os.environ["HF_HUB_OFFLINE"] = "1"  # the model is on the disk: nothing is to be asked of the hub any more
        self._adapters = lora_requests(options)
        seed = secrets.randbits(31) if options.fast_seed is None else options.fast_seed
        engine = start(engine_arguments(options, spec, device) | {"seed": seed})
        self._engine = engine
        self._max_len = int(engine.model_config.max_model_len)
        # A copy of our own: the engine's thread uses the other one for turning tokens into text.
        tokenizer = copy.deepcopy(engine.get_tokenizer())
        self._renderer = PromptRenderer(tokenizer, spec)
        self._tags = ReasoningTags(tokenizer, spec.reasoning_tags)
        self._options = options
        self._info = engine_info(engine, device, seed, self._renderer.system_folded)
        self._loop = StepLoop(engine)

    @property
    def info(self) -> EngineInfo:
        """What runs here."""
        return self._info

    @property
    def capacity(self) -> int:
        """Completions that vLLM works on at once."""
        return self._options.max_num_seqs

    @property
    def last_step_age(self) -> float:
        """Seconds since the engine last finished a step; 0 while it has nothing to do. A watchdog reads it."""
        return self._loop.last_step_age

    async def complete(self, request: Request) -> tuple[Completion, ...]:
        """Return exactly `request.n` completions, in the order of their seeds.

        Raises:
            ConfigError: the request names an adapter that the engine was not given, or `choices` of a model whose prompt
                makes it think aloud first.
            EngineDeadError: the engine died; end this process.
        """
        lora = self._adapter(request.adapter)
        prompt = self._renderer.render(request.messages)
        size = len(prompt.token_ids)
        if size == 0:
            return errors(request, "empty_prompt", "the prompt has no tokens", 0, retryable=False)
        if size >= self._max_len:
            reason = f"the prompt has {size} tokens and the model's context {self._max_len}: raise engine.max_model_len"
            return errors(request, "prompt_too_long", reason, size, retryable=False)
        try:
            if request.choices is not None:
                return await self._score(request, request.choices, lora)
            return await self._generate(request, prompt, lora)
        except RequestRefusedError as error:
            return errors(request, "bad_request", str(error), size, retryable=False)

    async def score(
        self, messages: Sequence[Message], answer: str, adapter: str | None = None, most: int = 12
    ) -> list[float]:
        """Return the log probability of each of an answer's first `most` tokens, given the prompt and those before it.

        Raises:
            ConfigError: the engine was not given that adapter.
            ModelError: prompt and answer do not fit into the context.
            EngineDeadError: the engine died; end this process.
        """
        lora = self._adapter(adapter)
        prompt, answer_ids = self._renderer.exchange(messages, answer)
        if len(prompt.token_ids) + len(answer_ids) >= self._max_len:
            raise ModelError("prompt and answer to score do not fit into the context: raise engine.max_model_len")
        return await self._log_probabilities(prompt.token_ids, answer_ids[:most], lora)

    def close(self) -> None:
        """Stop the thread and free the model's memory."""
        self._loop.close()
        engine, self._engine = self._engine, None
        if engine is not None:
            engine.engine_core.shutdown()
        del engine
        gc.collect()

    async def _generate(self, request: Request, prompt: Prompt, lora: Any) -> tuple[Completion, ...]:
        from vllm.inputs import tokens_input

        # Greedy samples of a prompt are all the same one; vLLM refuses n > 1 for them.
        greedy = request.sampling.temperature == 0
        wanted = 1 if greedy else request.n
        futures = [
            self._loop.submit(
                tokens_input(prompt.token_ids),
                self._parameters(request, min(CHUNK, wanted - offset), offset),
                lora,
            )
            for offset in range(0, wanted, CHUNK)
        ]
        outputs = await asyncio.gather(*(asyncio.wrap_future(future) for future in futures))
        opened = prompt_opens_reasoning(prompt.text, self._tags.tags)
        rows = tuple(
            to_completion(sample, len(prompt.token_ids), self._tags, opened, request.logprobs is not None)
            for output in outputs
            for sample in output.outputs
        )
        return rows * request.n if greedy else rows

    async def _score(self, request: Request, choices: tuple[str, ...], lora: Any) -> tuple[Completion, ...]:
        """Return how likely each choice is as the answer, as a record."""
        pairs = [self._renderer.exchange(request.messages, choice) for choice in choices]
        prompt = pairs[0].prompt
        if prompt_opens_reasoning(prompt.text, self._tags.tags):
            raise ConfigError(
                "the model's prompt makes it think aloud first, so the likelihood of an answer right behind the prompt means "
                "nothing: have it write its answer (bbq: --set study.options.scoring=letter)"
            )
        size, longest = len(prompt.token_ids), max(len(pair.answer_ids) for pair in pairs)
        if size + longest >= self._max_len:
            reason = (
                f"prompt and answer have {size + longest} tokens and the model's context {self._max_len}: raise "
                "engine.max_model_len"
            )
            return errors(request, "prompt_too_long", reason, size, retryable=False)
        found = await asyncio.gather(
            *(self._log_probabilities(pair.prompt.token_ids, pair.answer_ids, lora) for pair in pairs)
        )
        likelihoods = [Likelihood(sum(of_tokens), len(of_tokens)) for of_tokens in found]
        return (Completion(to_record(likelihoods), "ok", FINISH_REASON, size, completion_tokens=0),) * request.n

    async def _log_probabilities(self, prompt: Sequence[int], answer: Sequence[int], lora: Any) -> list[float]:
        """Return the log probability of each of an answer's tokens, given the prompt and those before it.

        The engine reads both at once. Only where an adapter reads on a CPU it is asked once a token, and may draw that token
        alone: vLLM 0.29 dies of the log probabilities of a prompt there.
        """
        from vllm import SamplingParams
        from vllm.inputs import tokens_input
        from vllm.sampling_params import RequestOutputKind

        final = RequestOutputKind.FINAL_ONLY
        if lora is None or self._info.device != "cpu":
            read = SamplingParams(temperature=0, max_tokens=1, prompt_logprobs=0, detokenize=False, output_kind=final)
            output = await asyncio.wrap_future(self._loop.submit(tokens_input([*prompt, *answer]), read, lora))
            positions = output.prompt_logprobs[-len(answer) :]
            return [float(found[token].logprob) for token, found in zip(answer, positions, strict=True)]
        futures = [
            self._loop.submit(
                tokens_input([*prompt, *answer[:place]]),
                SamplingParams(max_tokens=1, logprobs=0, allowed_token_ids=[token], output_kind=final),
                lora,
            )
            for place, token in enumerate(answer)
        ]
        outputs = await asyncio.gather(*(asyncio.wrap_future(future) for future in futures))
        return [
            float(output.outputs[0].logprobs[0][token].logprob) for output, token in zip(outputs, answer, strict=True)
        ]

    def _parameters(self, request: Request, n: int, offset: int) -> Any:
        from vllm import SamplingParams
        from vllm.exceptions import VLLMError
        from vllm.sampling_params import RequestOutputKind, StructuredOutputsParams

        drawn = request.sampling
        schema = request.json_schema
        try:
            return SamplingParams(
                n=n,
                seed=None if request.seed is None else request.seed + offset,
                temperature=drawn.temperature,
                top_p=drawn.top_p,
                top_k=drawn.top_k,
                min_p=drawn.min_p,
                repetition_penalty=drawn.repetition_penalty,
                max_tokens=drawn.max_tokens,
                stop=list(drawn.stop),
                logprobs=request.logprobs,
                skip_special_tokens=not self._tags.are_special,
                structured_outputs=None if schema is None else StructuredOutputsParams(json=dict(schema)),
                output_kind=RequestOutputKind.FINAL_ONLY,
            )
        except (ValueError, TypeError, VLLMError) as error:
            raise RequestRefusedError(str(error)) from error

    def _adapter(self, name: str | None) -> Any:
        if name is None:
            return None
        if name not in self._adapters:
            raise ConfigError(f"no adapter {name!r} in engine.adapters.{nearest(name, self._adapters)}")
        return self._adapters[name]
