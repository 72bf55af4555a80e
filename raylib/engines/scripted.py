"""A deterministic engine without a model: stories, essays, answers and failures, from seed and prompt alone."""

import json
import random
import re
import secrets

from raylib.config.engine import ScriptedOptions
from raylib.engines.base import Completion, EngineDeadError, EngineInfo, Request, errors
from raylib.engines.choices import FINISH_REASON, Likelihood, to_record
from raylib.engines.essays import asked_for, essay
from raylib.engines.faults import Faults
from raylib.engines.schema_values import draw_value
from raylib.engines.spec import ModelSpec
from raylib.engines.stories import story
from raylib.errors import ConfigError
from raylib.ids import canonical_json

_TOKEN = re.compile(r"\s*\S+")
"""A token is a word with the space before it: their number is what a reader counts as words."""


class ScriptedEngine:
    """Answers at once; sample k of a request is what seed + k alone would get."""

    def __init__(self, options: ScriptedOptions, spec: ModelSpec | None = None) -> None:
        self._options = options
        self._system = spec.system_prompt if spec is not None else None
        self._faults = Faults(options.faults)
        self._closed = False

    @property
    def info(self) -> EngineInfo:
        """What runs here."""
        return EngineInfo(kind="scripted", version=str(self._options.version), device="cpu", dtype="none")

    @property
    def capacity(self) -> int:
        """Completions that it says it works on at once."""
        return self._options.capacity

    @property
    def last_step_age(self) -> float:
        """Always 0: a scripted engine that hangs shows itself by the unit's time-out."""
        return 0.0

    async def complete(self, request: Request) -> tuple[Completion, ...]:
        """Return exactly `request.n` completions, in the order of their seeds.

        Raises:
            ConfigError: the request names an adapter (there are none).
            EngineDeadError: the engine was closed.
        """
        if self._closed:
            raise EngineDeadError("the engine was closed")
        if request.adapter is not None:
            raise ConfigError(f"no adapter {request.adapter!r}: the scripted engine has none")
        prompt = self._prompt(request)
        await self._faults.before(prompt, request.seed)
        size = max(1, len(_TOKEN.findall(prompt)))
        if size >= self._options.max_model_len:
            reason = f"the prompt has {size} words and the context {self._options.max_model_len}"
            return errors(request, "prompt_too_long", reason, size, retryable=False)
        first = secrets.randbits(40) if request.seed is None else request.seed
        if request.choices is not None:
            scored = self._scored(request.choices, prompt, size)
            return tuple(self._faults.on_sample(prompt, first + index, scored) for index in range(request.n))
        return tuple(self._sample(request, prompt, size, first + index) for index in range(request.n))

    def close(self) -> None:
        """Refuse all further requests."""
        self._closed = True

    def _prompt(self, request: Request) -> str:
        parts = [message.content for message in request.messages]
        if self._system is not None and not any(message.role == "system" for message in request.messages):
            parts.insert(0, self._system)
        return "\n\n".join(part for part in parts if part)

    def _sample(self, request: Request, prompt: str, size: int, seed: int) -> Completion:
        drawn = request.sampling
        # Greedy sampling has no randomness, so all seeds give one text; other settings give other texts, as they do
        # with a model. max_tokens and stop are left out: they cut a text short and change none of what comes before.
        setting = [drawn.temperature, drawn.top_p, drawn.top_k, drawn.min_p, drawn.repetition_penalty]
        key = canonical_json([self._options.version, 0 if drawn.temperature == 0 else seed, prompt, setting])
        draw = random.Random(key)  # noqa: S311 - not for secrets
        text = self._text(draw, request, prompt)
        return self._faults.on_sample(prompt, seed, _cut(request, text, size))

    def _scored(self, choices: tuple[str, ...], prompt: str, size: int) -> Completion:
        """Return made-up likelihoods of answers, from prompt and answer alone: a word costs 0.5 to 3."""
        found = []
        for choice in choices:
            draw = random.Random(canonical_json([self._options.version, prompt, choice]))  # noqa: S311 - not for secrets
            tokens = len(_TOKEN.findall(choice)) + 1
            found.append(Likelihood(-sum(draw.uniform(0.5, 3) for _ in range(tokens)), tokens))
        return Completion(to_record(found), "ok", FINISH_REASON, prompt_tokens=size, completion_tokens=0)

    def _text(self, draw: random.Random, request: Request, prompt: str) -> str:
        answers = [one.answer for one in self._options.answers if re.search(one.match, prompt)]
        if answers:
            answer = draw.choice(answers)
            return answer if isinstance(answer, str) else json.dumps(answer)
        if request.json_schema is not None:
            return json.dumps(draw_value(draw, request.json_schema))
        question = asked_for(prompt)
        return story(draw, prompt, self._options.words_per_text) if question is None else essay(draw, question)


def _cut(request: Request, text: str, prompt_tokens: int) -> Completion:
    """Return the text as far as `stop` and `max_tokens` let it come."""
    ends = [text.find(mark) for mark in request.sampling.stop if mark in text]
    text = text[: min(ends)] if ends else text
    tokens = _TOKEN.findall(text)
    kept = tokens[: request.sampling.max_tokens]
    whole = len(kept) == len(tokens)
    return Completion(
        text="".join(kept),
        status="ok" if whole else "truncated",
        finish_reason="stop" if whole else "length",
        prompt_tokens=prompt_tokens,
        completion_tokens=len(kept),
        logprobs=None if request.logprobs is None else tuple({token: -1.0} for token in kept),
    )
