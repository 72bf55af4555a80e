"""What a training will be, checked whole before anything is started: the model, every example, the number of steps."""

import json
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from raylib.config.training import TrainConfig
from raylib.engines.chat import PromptRenderer
from raylib.engines.spec import ModelSpec
from raylib.errors import ConfigError, DataError, ModelError
from raylib.ids import fingerprint
from raylib.models.resolve import identity
from raylib.pipeline.models import model_spec, prepare_model
from raylib.store.base import ObjectStore
from raylib.store.open import StoreOptions, open_store
from raylib.training.examples import Encoded, encode_all
from raylib.training.loop import Order
from raylib.training.loss import answer_tokens
from raylib.training.training_set import TrainingSet

_HOW_NOT_WHAT = {"micro_batch", "save_every", "zero_stage", "gradient_checkpointing"}
"""Training options that change an adapter by float noise at most, so that a fingerprint leaves them out."""


@dataclass(frozen=True)
class TrainPlan:
    """A checked training. Made by `plan_training`."""

    config: TrainConfig
    training_set: TrainingSet
    spec: ModelSpec
    order: Order
    identity: dict[str, Any]

    @property
    def fingerprint(self) -> str:
        """Of all that changes the adapter, and of nothing else: not the workers, not the machine."""
        return fingerprint("train", self.identity)

    @property
    def folder(self) -> Path:
        """The base model's folder on this machine."""
        assert self.spec.path is not None  # noqa: S101 - plan_training saw to it
        return Path(self.spec.path)

    @property
    def context(self) -> int | None:
        """Tokens that the base model's context holds, where its configuration says so."""
        return _context(self.folder)

    @cached_property
    def store_options(self) -> StoreOptions:
        """Where everything goes; holds names of environment variables, no secrets."""
        return StoreOptions(**self.config.store.model_dump())

    @cached_property
    def store(self) -> ObjectStore:
        """The opened store."""
        return open_store(self.store_options)

    def lines(self) -> list[str]:
        """Return what `--dry-run` prints: examples, tokens, steps, workers, memory."""
        order, options = self.order, self.config.training
        lengths = [len(one.input_ids) for one in order.examples]
        fewest, most = self.config.resources.workers
        resources = self.config.resources
        size = sum(path.stat().st_size for path in self.folder.glob("*.safetensors")) / 2**30
        return [
            f"training {self.config.run}: {self.config.model.name}, LoRA of rank {self.config.lora.rank} "
            f"(fingerprint {self.fingerprint})",
            f"examples: {len(lengths):,}, {len(order.held_out):,} more held out",
            f"tokens: {sum(lengths):,} ({min(lengths)} to {max(lengths)} an example), "
            f"{answer_tokens(order.examples):,} of answers",
            f"steps: {order.steps:,} of {options.batch} examples, about {order.steps * options.batch / len(lengths):.1f} epochs",
            f"workers: {fewest if fewest == most else f'{fewest} to {most}'}, each {resources.cpus_per_worker:g} CPUs and "
            f"{resources.gpus_per_worker} GPUs; ZeRO-{options.zero_stage}, {options.precision}",
            f"memory of a worker: the model's {size:.2f} GiB of weights as stored (twice that in fp32 from bf16), and "
            "activations of "
            f"{options.micro_batch} x {max(lengths)} tokens",
        ]


def plan_training(config: TrainConfig, training_set: TrainingSet) -> TrainPlan:
    """Return the plan. Reads the base model's tokenizer, not its weights.

    Raises:
        ConfigError: a setting does not fit the model or the data.
        ModelError: the model cannot be found, or cannot be spoken to.
        DataError: an example is empty or too long (names it), or there is none.
    """
    if not training_set.examples:
        raise DataError("the training set is empty: give at least one row")
    prepare_model(config)
    store = StoreOptions(**config.store.model_dump())
    spec = model_spec(config.model, store)
    if spec.path is None:
        raise ModelError(f"model {config.model.name} has no weights to train: give `source:` a model with weights")
    tokenizer = _tokenizer(spec)
    _check_context(Path(spec.path), config)
    renderer = PromptRenderer(tokenizer, spec)
    longest = config.training.max_length
    examples = encode_all(training_set.examples, renderer, longest)
    held_out: list[Encoded] = encode_all(training_set.held_out, renderer, longest) if training_set.held_out else []
    if config.training.batch > len(examples):
        raise ConfigError(
            f"training.batch is {config.training.batch}, but there are {len(examples)} examples: lower it to "
            f"{len(examples)} or fewer"
        )
    padding = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else tokenizer.eos_token_id
    order = Order(
        config.lora, config.training, examples, held_out, int(padding), trust_remote_code=spec.trust_remote_code
    )
    return TrainPlan(config, training_set, spec, order, _identity(config, training_set, store))


def _identity(config: TrainConfig, training_set: TrainingSet, store: StoreOptions) -> dict[str, Any]:
    model = config.model
    weights = identity(model.source, model.sha256, open_store=lambda url: open_store(replace(store, url=url)))
    return {
        "model": {
            "weights": dict(weights), "system_prompt": model.system_prompt, "chat_template": model.chat_template,
            "prompt_format": model.prompt_format,
        },
        "lora": config.lora.model_dump(mode="json"),
        "training": config.training.model_dump(mode="json", exclude=_HOW_NOT_WHAT),
        "examples": training_set.sha256(),
        "held_out": replace(training_set, examples=training_set.held_out).sha256(),
    }  # fmt: skip


def _tokenizer(spec: ModelSpec) -> Any:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(spec.path, local_files_only=True, trust_remote_code=spec.trust_remote_code)


def _context(folder: Path) -> int | None:
    """Return the tokens that a model's context holds, where its configuration says so."""
    context = json.loads((folder / "config.json").read_text(encoding="utf-8")).get("max_position_embeddings")
    return context if isinstance(context, int) else None


def _check_context(folder: Path, config: TrainConfig) -> None:
    context = _context(folder)
    if context is not None and config.training.max_length > context:
        raise ConfigError(
            f"training.max_length is {config.training.max_length}, but {config.model.name} has a context of {context} "
            f"tokens: --set training.max_length={context}"
        )
