"""A model that labels texts inside the annotate stage: what it is, and how annotators ask it."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from raylib.config.run import LabellerConfig, RunConfig
from raylib.engines.base import Completion, Engine, EngineDeadError, Request, Sampling
from raylib.engines.identity import adapter_identity
from raylib.ids import base_seed
from raylib.pipeline.models import (
    build_engine,
    engine_environment,
    engine_facts,
    gpus_of,
    model_identity,
    prepare_model,
    units_to_fill,
)
from raylib.pipeline.unit import RestartWorker, WorkerResources
from raylib.store.open import StoreOptions
from raylib.studies.base import Question

_RETRY_PAUSE_S = 0.5


def labeller_identity(config: RunConfig, labeller: LabellerConfig | None) -> dict[str, Any]:
    """Return `labeller` -> what changes its answers beside the question: model, adapter, sampling; {} without one.

    Raises:
        ConfigError: model and engine do not go together, or the engine has no such adapter.
        ModelError: the model or the adapter cannot be found.
    """
    if labeller is None:
        return {}
    facts = {
        "model": model_identity(_in_its_place(config, labeller)),
        "adapter": adapter_identity(labeller.model.engine, labeller.adapter),
        "sampling": labeller.sampling.drawing(),
    }
    return {"labeller": facts}


def prepare_labeller(config: RunConfig, labeller: LabellerConfig | None) -> None:
    """Do for a labelling model what `prepare_model` does for the audited one; nothing without one."""
    if labeller is not None:
        prepare_model(_in_its_place(config, labeller))


def _in_its_place(config: RunConfig, labeller: LabellerConfig) -> RunConfig:
    """Return the run with the labelling model as its model: same store, same way to resolve it."""
    return config.model_copy(update={"model": labeller.model})


def labelling_resources(labeller: LabellerConfig, config: RunConfig) -> WorkerResources:
    """Return what workers of the annotate stage take when they hold the labelling model."""
    rows = config.units.prompts * min(config.units.samples, config.samples)
    gpus = gpus_of(labeller.model.engine, labeller.gpus_per_actor)
    return WorkerResources(
        actors=labeller.actors, cpus=labeller.cpus_per_actor, gpus=gpus,
        in_flight=labeller.units_in_flight or units_to_fill(labeller.model.engine, rows),
        environment=engine_environment(labeller.model.engine, gpus=gpus),
    )  # fmt: skip


@dataclass(frozen=True)
class LabellerFactory:
    """Builds the labelling model inside a worker."""

    labeller: LabellerConfig
    stage: str
    """Fingerprint of the annotate stage: answers of another stage have other seeds."""
    attempts: int
    """Tries of a question whose error may pass."""
    store: StoreOptions

    def build(self) -> "LabellingModel":
        """Resolve the model on this machine and load it."""
        return LabellingModel(self, build_engine(self.labeller.model, self.store))


class LabellingModel:
    """Answers an annotator's questions (`studies.base.Ask`), all at once; asks again where an error may pass."""

    def __init__(self, order: LabellerFactory, engine: Engine) -> None:
        self._order = order
        self._engine = engine
        self._sampling = Sampling(**order.labeller.sampling.model_dump(exclude={"until"}))

    @property
    def info(self) -> Mapping[str, Any]:
        """The model's name and adapter, and the engine as it ran."""
        return {"model": self._order.labeller.model.name, "adapter": self._order.labeller.adapter} | engine_facts(
            self._engine
        )

    async def __call__(self, questions: Sequence[Question]) -> list[Completion]:
        """Return one answer a question, in the same order.

        Raises:
            RestartWorker: the engine died.
        """
        return list(await asyncio.gather(*(self._answer(question) for question in questions)))

    async def _answer(self, question: Question) -> Completion:
        attempt = 1
        answer = await self._once(question, attempt)
        while answer.status == "error" and answer.retryable and attempt < self._order.attempts:
            await asyncio.sleep(_RETRY_PAUSE_S * 2**attempt)
            attempt += 1
            answer = await self._once(question, attempt)
        return answer

    async def _once(self, question: Question, attempt: int) -> Completion:
        request = Request(
            request_id=f"{self._order.stage}.{question.key}.{attempt}",
            messages=question.messages,
            n=1,
            seed=base_seed(self._order.stage, question.key),
            sampling=self._sampling,
            json_schema=question.json_schema,
            adapter=self._order.labeller.adapter,
        )
        try:
            (completion,) = await self._engine.complete(request)
        except EngineDeadError as error:
            raise RestartWorker(f"the engine died: {error}") from error
        return completion
