"""The engine interface: requests in, completions out, whatever runs the model.

An engine is built inside the worker that uses it (its constructor loads the model) and answers requests
concurrently: `await engine.complete(request)` may be called many times at once, which is what keeps a batching
engine full. An engine never invents text: what went wrong is a `Completion` with status `error` and a reason.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from raylib.errors import FairsweepError

Status = Literal["ok", "refused", "truncated", "error"]


class EngineDeadError(FairsweepError):
    """The engine cannot answer any more, now or later: its process must be ended and another one started."""


@dataclass(frozen=True)
class Message:
    """One turn of a chat."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True)
class Sampling:
    """How tokens are drawn. Everything here changes the text, so all of it is in the fingerprint."""

    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = 0
    """0: no limit."""
    min_p: float = 0.0
    repetition_penalty: float = 1.0
    max_tokens: int = 200
    """Most new tokens of a completion, reasoning included."""
    stop: tuple[str, ...] = ()


@dataclass(frozen=True)
class Request:
    """n completions of one prompt. Completion k is drawn with `seed + k`, whatever is in the batch beside it."""

    request_id: str
    messages: tuple[Message, ...]
    n: int
    seed: int | None
    """None: the engine's own random state (the `fast` mode); texts then depend on the batch."""
    sampling: Sampling
    json_schema: Mapping[str, object] | None = None
    """Constrain the answer to this schema. Engines without structured output raise ConfigError when built for it."""
    adapter: str | None = None
    """Name of a LoRA adapter that the engine was given, or None for the base model."""
    logprobs: int | None = None
    """Return the log probabilities of this many top tokens at each position (0: of the chosen token alone)."""
    choices: tuple[str, ...] | None = None
    """Write nothing: say how likely each of these answers is. The n completions' text is the record of
    `raylib.engines.choices`, all the same; sampling and seed have no effect. Engines that cannot raise ConfigError."""


@dataclass(frozen=True)
class Completion:
    """One answer. `text` is what the model says to the reader; `reasoning` is what it thinks aloud before that."""

    text: str
    status: Status
    finish_reason: str | None
    """As the engine says: 'stop', 'length', 'content_filter', 'scored' (given answers); None for an error."""
    prompt_tokens: int
    completion_tokens: int
    """Tokens generated, reasoning included."""
    reasoning: str | None = None
    reasoning_tokens: int = 0
    logprobs: tuple[Mapping[str, float], ...] | None = None
    """A mapping token -> log probability for each position, where the request asked for it."""
    error_type: str | None = None
    error: str | None = None
    retryable: bool = False
    """Whether asking again may help (a time-out, an overloaded server), as against a prompt that is too long."""


@dataclass(frozen=True)
class EngineInfo:
    """What a run's provenance says of the engine: what ran, not what was asked for."""

    kind: str
    version: str
    device: str
    dtype: str
    system_folded: bool = False
    """The chat template has no system role, so the system prompt was put in front of the first user turn."""
    details: Mapping[str, object] = field(default_factory=dict)


class Engine(Protocol):
    """What every engine can do. The conformance tests in `tests/unit/test_engine_conformance.py` say it exactly."""

    @property
    def info(self) -> EngineInfo:
        """What runs here."""
        ...

    @property
    def capacity(self) -> int:
        """Completions that the engine works on at once; fewer in flight leave it idle."""
        ...

    async def complete(self, request: Request) -> tuple[Completion, ...]:
        """Return exactly `request.n` completions, in the order of their seeds."""
        ...

    def close(self) -> None:
        """Free the model's memory. The engine cannot be used afterwards."""
        ...


def errors(
    request: Request, error_type: str, error: str, prompt_tokens: int, retryable: bool
) -> tuple[Completion, ...]:
    """Return the n error completions of a request that could not be answered."""
    row = Completion(
        text="", status="error", finish_reason=None, prompt_tokens=prompt_tokens, completion_tokens=0,
        error_type=error_type, error=error, retryable=retryable,
    )  # fmt: skip
    return (row,) * request.n
