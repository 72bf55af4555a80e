"""The generate stage: prompts in, completions out, one row a sample."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pyarrow as pa

from raylib.config.imported import ImportedOptions
from raylib.config.run import ModelConfig, RunConfig, UnitsConfig
from raylib.engines.base import Completion, Engine, EngineDeadError, Message, Request, Sampling
from raylib.engines.choices import SCORING_ENGINES
from raylib.engines.choices import VERSION as SCORING_VERSION
from raylib.errors import ConfigError
from raylib.ids import base_seed, digest, fingerprint, sample_id, unit_id
from raylib.pipeline.imported import plan_import
from raylib.pipeline.models import (
    build_engine,
    engine_environment,
    engine_facts,
    gpus_of,
    model_identity,
    units_to_fill,
)
from raylib.pipeline.unit import RestartWorker, StagePlan, Unit, WorkerResources
from raylib.schemas import CHOICES, COMPLETIONS
from raylib.store.open import StoreOptions, open_store
from raylib.store.parts import PartSpec, read_part

LOG = logging.getLogger(__name__)
STAGE = "generate"
_RETRY_PAUSE_S = 0.5
_MOST_SAMPLES = 5_000_000  # the driver holds every planned id: about 100 bytes and 25 microseconds each


def generation_identity(config: RunConfig) -> dict[str, Any]:
    """Return everything but the prompt that changes a text: it becomes the stage's fingerprint."""
    schema = [f"{field.name}:{field.type}" for field in COMPLETIONS]
    if isinstance(config.model.engine, ImportedOptions):  # nobody knows how its texts were drawn
        return {"study": config.study.name, "imported": model_identity(config), "schema": schema}
    return {
        "study": config.study.name,
        "model": model_identity(config),
        "sampling": config.sampling.drawing(),
        "seed": config.seed,
        "seeding": config.seeding,
        "schema": schema,
    }


PromptRow = tuple[str, str] | tuple[str, str, list[str]]
"""Id and text of a prompt, and the answers whose likelihood is asked for where it is."""


class Chunk(NamedTuple):
    """Samples `start` to `stop` (not included) of some prompts, in their order."""

    prompts: frozenset[str]
    """Ids."""
    start: int
    stop: int


def plan_generate(config: RunConfig, prompts: pa.Table, chunks: Sequence[Chunk] | None = None) -> StagePlan:
    """Return the stage: units of `units.prompts` consecutive prompts x at most `units.samples` samples.

    `chunks` are cut one after the other, each for itself (`sampling.until`); None: all samples of all prompts.
    """
    identity = generation_identity(config)
    stage = fingerprint(STAGE, identity)
    if prompts.num_rows * config.samples > _MOST_SAMPLES:
        raise ConfigError(
            f"{prompts.num_rows:,} prompts x {config.samples:,} samples are more than the {_MOST_SAMPLES:,} of one run: "
            "lower samples, or split the run into several with another --run and --set seed"
        )
    rows = _prompt_rows(config, prompts)
    if chunks is None:
        chunks = [Chunk(frozenset(row[0] for row in rows), 0, config.samples)]
    units = [
        unit
        for chunk in chunks
        for unit in cut_units(
            stage, [row for row in rows if row[0] in chunk.prompts], chunk.stop, config.units, chunk.start
        )
    ]
    plan = StagePlan(
        name=STAGE,
        fingerprint=stage,
        units=tuple(units),
        schema=COMPLETIONS,
        factory=GenerateFactory(
            model=config.model,
            sampling=Sampling(**config.sampling.model_dump(exclude={"until"})),
            per_sample_seeds=config.seeding == "per_sample",
            row_attempts=config.limits.row_attempts,
            stage=stage,
            store=StoreOptions(**config.store.model_dump()),
        ),
        resources=_resources(config, max((chunk.stop - chunk.start for chunk in chunks), default=1)),
        provenance={"identity": identity, "prompts_sha256": digest(rows)},
    )
    options = config.model.engine
    return plan_import(plan, config, options) if isinstance(options, ImportedOptions) else plan


def _prompt_rows(config: RunConfig, prompts: pa.Table) -> list[PromptRow]:
    """Return the prompts with what is asked of them.

    Raises:
        ConfigError: answers are to be scored, and the run's engine scores none.
    """
    columns = ["prompt_id", "prompt"]
    if CHOICES.name in prompts.column_names:
        kind = config.model.engine.kind
        if kind not in SCORING_ENGINES:
            raise ConfigError(
                f"engine kind {kind!r} gives no likelihoods of answers, and study {config.study.name} asks for them: take a "
                f"model of kind {' or '.join(SCORING_ENGINES)}, or --set study.options.scoring=letter"
            )
        columns.append(CHOICES.name)
    return list(zip(*(prompts[name].to_pylist() for name in columns), strict=True))


def cut_units(stage: str, prompts: Sequence[PromptRow], samples: int, size: UnitsConfig, begin: int = 0) -> list[Unit]:
    """Cut prompts x samples from `begin` on into units. Sample ids and seeds do not depend on the cut."""
    units = []
    for first in range(0, len(prompts), size.prompts):
        group = prompts[first : first + size.prompts]
        for start in range(begin, samples, size.samples):
            count = min(size.samples, samples - start)
            keys = [prompt_key(*row) for row in group]
            ids = tuple(sample_id(stage, key, start + k) for key in keys for k in range(count))
            payload = {"prompts": [list(row) for row in group], "start": start, "count": count}
            units.append(Unit(unit_id(stage, [keys, start, count]), ids, payload))
    return units


def prompt_key(prompt_id: str, prompt: str, choices: Sequence[str] | None = None) -> str:
    """Return what a sample's identity is built on: a prompt whose text or choices were edited is another prompt."""
    asked: object = prompt if choices is None else [prompt, list(choices), SCORING_VERSION]
    return f"{prompt_id}:{digest(asked)[:16]}"


def _resources(config: RunConfig, samples: int) -> WorkerResources:
    resources, options = config.resources, config.model.engine
    if isinstance(options, ImportedOptions):
        return WorkerResources(actors=(1, 1), cpus=0, gpus=0, in_flight=1)
    rows = config.units.prompts * min(config.units.samples, samples)
    in_flight = resources.units_in_flight or units_to_fill(options, rows)
    gpus = gpus_of(options, resources.gpus_per_actor)
    return WorkerResources(
        actors=resources.actors, cpus=resources.cpus_per_actor, gpus=gpus, in_flight=in_flight,
        environment=engine_environment(options, gpus=gpus),
    )  # fmt: skip


@dataclass(frozen=True)
class GenerateFactory:
    """Builds the engine inside a worker."""

    model: ModelConfig
    sampling: Sampling
    per_sample_seeds: bool
    row_attempts: int
    stage: str
    store: StoreOptions

    def build(self) -> "GenerateProcessor":
        """Resolve the model on this machine and load it."""
        return GenerateProcessor(self, build_engine(self.model, self.store))


class GenerateProcessor:
    """Asks the engine for a unit's completions; asks again for those whose error may pass."""

    def __init__(self, order: GenerateFactory, engine: Engine) -> None:
        self._order = order
        self._engine = engine

    @property
    def info(self) -> Mapping[str, Any]:
        """Engine, version, device and dtype, as they ran."""
        return engine_facts(self._engine)

    async def process(self, unit: Unit) -> pa.Table:
        """Return the unit's completions (schema COMPLETIONS), prompts in order, samples in order."""
        samples = _samples(self._order.stage, unit)
        rows: list[dict[str, Any] | None] = [None] * len(samples)
        if unit.previous is not None:
            rows = await asyncio.to_thread(self._rows_kept, unit)
        first = 1 + max((row["attempt"] for row in rows if row is not None), default=0)
        wanted = [place for place, row in enumerate(rows) if row is None]
        for attempt in range(first, first + self._order.row_attempts):
            if attempt > first:
                await asyncio.sleep(_RETRY_PAUSE_S * 2 ** (attempt - first))
            answers = await asyncio.gather(*(self._ask(unit, group, attempt) for group in _runs(samples, wanted)))
            again = []
            for sample, completion in (pair for group in answers for pair in group):
                rows[sample.place] = _row(sample, completion, attempt)
                if completion.status == "error" and completion.retryable:
                    again.append(sample.place)
            wanted = again
            if not wanted:
                break
        return pa.Table.from_pylist([row for row in rows if row is not None], schema=COMPLETIONS)

    async def _ask(self, unit: Unit, group: "list[_Sample]", attempt: int) -> "list[tuple[_Sample, Completion]]":
        request = Request(
            request_id=f"{unit.unit_id}.{group[0].place}.{attempt}",
            messages=(Message("user", group[0].prompt),),
            n=len(group),
            seed=group[0].seed if self._order.per_sample_seeds else None,
            sampling=self._order.sampling,
            adapter=self._order.model.adapter,
            choices=group[0].choices,
        )
        try:
            completions = await self._engine.complete(request)
        except EngineDeadError as error:
            raise RestartWorker(f"the engine died: {error}") from error
        return list(zip(group, completions, strict=True))

    def _rows_kept(self, unit: Unit) -> list[dict[str, Any] | None]:
        assert unit.previous is not None  # noqa: S101 - for the type checker; the caller looked
        spec = PartSpec(STAGE, self._order.stage, unit.unit_id, unit.ids, "sample_id")
        table = read_part(open_store(self._order.store), unit.previous, spec, COMPLETIONS)
        return [row if row["status"] != "error" else None for row in table.to_pylist()]


@dataclass(frozen=True)
class _Sample:
    """One sample of a unit: its place there, its prompt, and its seed."""

    place: int
    sample_id: str
    prompt_id: str
    prompt: str
    index: int
    seed: int
    choices: tuple[str, ...] | None


def _samples(stage: str, unit: Unit) -> list[_Sample]:
    samples: list[_Sample] = []
    start, count = unit.payload["start"], unit.payload["count"]
    for row in unit.payload["prompts"]:
        prompt_id, prompt, *rest = row
        choices = tuple(rest[0]) if rest else None
        seed = base_seed(stage, prompt_key(*row))
        for index in range(start, start + count):
            place = len(samples)
            samples.append(_Sample(place, unit.ids[place], prompt_id, prompt, index, seed + index, choices))
    return samples


def _runs(samples: Sequence[_Sample], wanted: Sequence[int]) -> list[list[_Sample]]:
    """Group the wanted samples into requests: neighbours of one prompt, whose seeds follow each other."""
    groups: list[list[_Sample]] = []
    for place in wanted:
        sample = samples[place]
        last = groups[-1][-1] if groups else None
        if last is not None and last.prompt_id == sample.prompt_id and last.index + 1 == sample.index:
            groups[-1].append(sample)
        else:
            groups.append([sample])
    return groups


def _row(sample: _Sample, completion: Completion, attempt: int) -> dict[str, Any]:
    failed = completion.status == "error"
    return {
        "sample_id": sample.sample_id,
        "prompt_id": sample.prompt_id,
        "sample_index": sample.index,
        "seed": sample.seed,
        "status": completion.status,
        "text": None if failed else completion.text,
        "reasoning": completion.reasoning,
        "finish_reason": completion.finish_reason,
        "prompt_tokens": completion.prompt_tokens,
        "completion_tokens": completion.completion_tokens,
        "reasoning_tokens": completion.reasoning_tokens,
        "attempt": attempt,
        "error_type": completion.error_type,
        "error": completion.error,
    }
