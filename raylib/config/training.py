"""What one training of a LoRA adapter is: a base model, data, how it is learnt, where it runs and where it goes."""

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from raylib.config.base import Frozen
from raylib.config.run import ActorRange, ModelConfig, ResourcesConfig, StoreConfig
from raylib.ids import check_name


class LoraOptions(Frozen):
    """The adapter's form. Every key changes it."""

    rank: int = Field(
        16, ge=1, le=512, description="Rank of the two matrices; more learns more, and takes more memory."
    )
    alpha: float = Field(32, gt=0, description="The adapter's output is multiplied by alpha / rank.")
    dropout: float = Field(0.0, ge=0, lt=1, description="Share of inputs dropped while learning; 0 for small data.")
    targets: Literal["all-linear"] | tuple[str, ...] = Field(
        "all-linear", description="Modules that get an adapter, by the end of their names, or all linear ones."
    )


class TrainingOptions(Frozen):
    """How it is learnt. Every key but micro_batch, save_every, zero_stage and gradient_checkpointing changes the adapter."""

    learning_rate: float = Field(1e-4, gt=0, description="Of AdamW, at the end of the warm-up.")
    epochs: float | None = Field(None, gt=0, description="Passes over the examples; give this or steps.")
    steps: int | None = Field(None, ge=1, description="Updates of the weights; give this or epochs.")
    batch: int = Field(8, ge=1, description="Examples of one update, over all workers.")
    micro_batch: int = Field(
        1, ge=1, description="Examples that a worker holds at once; more is faster and takes more memory."
    )
    max_length: int = Field(
        2048, ge=8, description="Tokens of prompt and answer together; a longer example is refused, never cut."
    )
    warmup: float = Field(0.03, ge=0, lt=1, description="Share of the steps over which the learning rate rises from 0.")
    schedule: Literal["cosine", "constant"] = Field("cosine", description="What the rate does after the warm-up.")
    weight_decay: float = Field(0.0, ge=0, description="Of AdamW.")
    clip: float = Field(1.0, gt=0, description="Largest norm of a gradient; a longer one is shortened to it.")
    seed: int = Field(0, ge=0, description="Of the adapter's first weights, the order of examples, and dropout.")
    save_every: int = Field(50, ge=1, description="Steps between checkpoints; what a crash costs at most.")
    zero_stage: Literal[2, 3] = Field(
        2, description="DeepSpeed's: 2 for a model that fits on each worker; 3 shares the model out, and is slower."
    )
    precision: Literal["auto", "bf16", "fp32"] = Field("auto", description="auto: bf16 on a GPU, fp32 on a CPU.")
    gradient_checkpointing: bool = Field(False, description="Compute activations twice: slower, much less memory.")

    @model_validator(mode="after")
    def _one_length(self) -> "TrainingOptions":
        if (self.epochs is None) == (self.steps is None):
            raise ValueError("give epochs or steps, one of the two (set the other to null)")
        return self


class TrainingResources(ResourcesConfig):
    """What a training takes of a machine or cluster. Never part of a fingerprint."""

    workers: ActorRange = Field(
        (1, 1), description="Workers, or [fewest, most]: after a loss it goes on with as many as there is room for."
    )
    cpus_per_worker: float = Field(1, gt=0, description="Logical CPUs that Ray reserves for a worker.")
    gpus_per_worker: Literal[0, 1] = Field(0, description="GPUs of a worker; 0 trains on the CPU.")
    failures: int = Field(3, ge=0, description="Deaths of workers after which the training is given up.")
    verify_with_vllm: bool = Field(
        True, description="Load the adapter into vLLM at the end and compare its answers with the base model's."
    )

    @field_validator("workers", mode="before")
    @classmethod
    def _one_number(cls, value: Any) -> Any:
        return (value, value) if isinstance(value, int) else value


class TrainConfig(Frozen):
    """One training, whole. A job's own class adds `data`: where its examples come from."""

    run: str = Field(description="Name of the training, and of the adapter: a-z, 0-9, '.', '_', '-'.")
    model: ModelConfig = Field(description="The base model.")
    lora: LoraOptions = LoraOptions()
    training: TrainingOptions
    resources: TrainingResources = TrainingResources()
    store: Annotated[StoreConfig, Field(description="A path or s3 address, or a mapping with endpoint and keys.")]

    @field_validator("run")
    @classmethod
    def _run(cls, value: str) -> str:
        return check_name(value, "run")

    @field_validator("store", mode="before")
    @classmethod
    def _store(cls, value: Any) -> Any:
        return {"url": value} if isinstance(value, str) else value

    @model_validator(mode="after")
    def _trains(self) -> "TrainConfig":
        if self.model.engine.kind != "vllm":
            raise ValueError(
                f"model {self.model.name} has an engine of kind {self.model.engine.kind!r}; only a model with weights "
                "(engine: {kind: vllm}) can be trained"
            )
        if self.model.adapter is not None:
            raise ValueError("a training begins from the base model: leave out model.adapter")
        fewest, most = self.resources.workers
        for workers in range(fewest, most + 1):
            if self.training.batch % workers:
                raise ValueError(
                    f"training.batch {self.training.batch} does not divide by {workers} workers: give a multiple of every "
                    f"number of workers from {fewest} to {most}"
                )
        return self
