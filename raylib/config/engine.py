"""Options of the engines: the `engine:` part of a model's YAML file. One class an engine, told apart by `kind`."""

import re
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Field, JsonValue, field_validator, model_validator

from raylib.config.base import Frozen
from raylib.config.imported import ImportedOptions
from raylib.ids import check_name

Device = Literal["cpu", "cuda"]

_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]{0,63}")

FaultKind = Literal["crash", "hang", "slow", "error", "refuse", "truncate", "garble"]

TEXT_FAULTS: frozenset[str] = frozenset({"refuse", "truncate", "garble"})
"""Faults that change what a text says, and so belong to its fingerprint; the others only disturb the run."""


class VllmOptions(Frozen):
    """vLLM in the worker's own process, on a CPU or on the GPUs that the worker was given."""

    kind: Literal["vllm"] = "vllm"
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = Field(
        "auto",
        description="Number type of the weights. auto: float32 on a CPU (several times faster there than bfloat16 "
        "without AMX), bfloat16 on a GPU (half the memory). Changes texts in the last digits of probabilities.",
    )
    max_model_len: int | None = Field(
        None,
        ge=8,
        description="Tokens of prompt and completion together; smaller needs less memory. None: the model's.",
    )
    max_num_seqs: int = Field(
        64, ge=1, description="Completions worked on at once; more is faster until the key-value cache is full."
    )
    gpu_memory_utilization: float = Field(
        0.9, gt=0, le=1, description="Share of a GPU's memory to take, weights and cache; lower it beside other users."
    )
    kv_cache_gb: int = Field(
        1, ge=1, description="GB of memory for the key-value cache on a CPU; more lets more completions run at once."
    )
    tensor_parallel: int = Field(
        1, ge=1, description="GPUs that share one model; only for a model that does not fit on one (it costs speed)."
    )
    enforce_eager: bool | None = Field(
        None, description="Skip CUDA graphs: a faster start, slower tokens. None: on for a CPU, off for a GPU."
    )
    adapters: dict[str, str] = Field(
        default_factory=dict, description="LoRA adapters: name -> folder. Requests name the one they want."
    )
    max_lora_rank: int = Field(16, ge=1, description="Largest rank among the adapters; memory grows with it.")
    fast_seed: int | None = Field(
        None, ge=0, description="Seed of requests without one (the `fast` mode). None: drawn anew for each worker, so "
        "that two workers never repeat each other's texts.",
    )  # fmt: skip

    @property
    def in_parallel(self) -> int:
        """Completions worked on at once."""
        return self.max_num_seqs

    @field_validator("adapters")
    @classmethod
    def _names(cls, value: dict[str, str]) -> dict[str, str]:
        for name in value:
            check_name(name, "engine.adapters")
        return value


class Fault(Frozen):
    """A failure to order from the scripted engine. Which requests it hits follows from their prompt and seed alone."""

    kind: FaultKind = Field(
        description="crash: the process dies; hang: no answer for ever; slow: an answer after delay_s; error: a row "
        "with status error; refuse, truncate, garble: another text."
    )
    match: str | None = Field(None, description="Hit prompts that hold this text. None: all.")
    rate: float = Field(1.0, ge=0, le=1, description="Share of the matching requests (or samples) that are hit.")
    times: int | None = Field(
        None, ge=1, description="Fire this often in all, across processes, then never again. None: always."
    )
    marker_dir: str | None = Field(None, description="Folder in which firings are counted; needed for `times`.")
    delay_s: float = Field(1.0, ge=0, description="Seconds that a slow answer takes.")
    retryable: bool = Field(True, description="Whether an error says that asking again may help.")
    signal: Literal["exit", "kill"] = Field("kill", description="crash by SIGKILL or by an exit with code 1.")

    @model_validator(mode="after")
    def _counted_faults_need_a_folder(self) -> "Fault":
        if self.times is not None and self.marker_dir is None:
            raise ValueError("`times` needs `marker_dir`: a folder where firings are counted across processes")
        if self.times is not None and self.kind in TEXT_FAULTS:
            raise ValueError(
                f"a {self.kind} fault changes texts, so it cannot depend on `times`; use `rate` or `match`"
            )
        return self


class ScriptedAnswer(Frozen):
    """What the scripted engine says to some prompts, in the place of what it would make up."""

    match: str = Field("", description="Regular expression that a prompt must hold; empty: any prompt.")
    answer: JsonValue = Field(description="The text, or a value that is written as JSON.")

    @field_validator("match")
    @classmethod
    def _compiles(cls, value: str) -> str:
        try:
            re.compile(value)
        except re.error as error:
            raise ValueError(f"{value!r} is not a regular expression: {error}") from None
        return value


class ScriptedOptions(Frozen):
    """Deterministic stories and essays from seed and prompt alone, for tests of everything around a model."""

    kind: Literal["scripted"] = "scripted"
    version: int = Field(1, ge=1, description="Changes every text, as another model would.")
    words_per_text: int = Field(80, ge=10, le=2000, description="Words of a story, about.")
    max_model_len: int = Field(4096, ge=8, description="Words of prompt and completion together.")
    capacity: int = Field(64, ge=1, description="Completions that it says it works on at once.")
    answers: tuple[ScriptedAnswer, ...] = Field(
        (), description="What to say: one of those that match the prompt, drawn by the seed. None matches: made up."
    )
    faults: tuple[Fault, ...] = Field((), description="Failures to order.")

    @property
    def in_parallel(self) -> int:
        """Completions worked on at once."""
        return self.capacity


class OpenAIOptions(Frozen):
    """A model behind an endpoint that speaks OpenAI's chat completions: a vendor's, or a server of your own."""

    kind: Literal["openai"] = "openai"
    base_url: str = Field(description="http(s) address of the API, for example https://api.openai.com/v1.")
    model: str = Field(min_length=1, description="The model's name there; take a dated one, an alias moves.")
    api_key_env: str | None = Field(
        None, description="NAME of the environment variable that holds the key; None: the server asks for none."
    )
    max_concurrency: int = Field(
        16, ge=1, description="Requests on their way at once; more is faster until the server's rate limit."
    )
    timeout_s: float = Field(120, gt=0, description="Seconds to wait for an answer; then the sample is tried again.")
    max_model_len: int | None = Field(
        None, ge=8, description="Tokens of prompt and completion together that the model takes. None: not known here."
    )

    @property
    def in_parallel(self) -> int:
        """Completions worked on at once."""
        return self.max_concurrency

    @field_validator("base_url")
    @classmethod
    def _address(cls, value: str) -> str:
        parts = urlsplit(value)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("give the address of an API, for example https://api.openai.com/v1")
        if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
            raise ValueError("an address without user, password or query; a key goes into the variable of api_key_env")
        return value.rstrip("/")

    @field_validator("api_key_env")
    @classmethod
    def _variable(cls, value: str | None) -> str | None:
        if value is not None and not _VARIABLE.fullmatch(value):
            raise ValueError("give the NAME of an environment variable (A-Z, 0-9, _), never the key itself")
        return value


EngineConfig = Annotated[VllmOptions | ScriptedOptions | ImportedOptions | OpenAIOptions, Field(discriminator="kind")]
