"""Units and stages: what is planned, what a worker is told, what it answers."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import pyarrow as pa

from raylib.store.open import StoreOptions
from raylib.store.parts import PartSpec, Receipt


@dataclass(frozen=True)
class Unit:
    """A piece of work that becomes one part. `payload` is JSON: it travels through Ray, texts do not."""

    unit_id: str
    ids: tuple[str, ...]
    payload: Mapping[str, Any]
    revision: int = 0
    previous: Receipt | None = None
    """An earlier part of this unit whose rows with status `error` are to be tried again."""

    def to_json(self) -> str:
        """Return the unit as the text that Ray carries."""
        previous = self.previous.to_dict() if self.previous else None
        return json.dumps([self.unit_id, list(self.ids), self.payload, self.revision, previous])

    @classmethod
    def from_json(cls, text: str) -> "Unit":
        """Return the unit that `to_json` wrote."""
        unit_id, ids, payload, revision, previous = json.loads(text)
        return cls(unit_id, tuple(ids), payload, revision, Receipt.from_dict(previous) if previous else None)


class Processor(Protocol):
    """Turns units into tables. Lives in a worker; answers several units at once where it can."""

    @property
    def info(self) -> Mapping[str, Any]:
        """What ran here, for the manifest: engine, versions, device."""
        ...

    async def process(self, unit: Unit) -> pa.Table:
        """Return the unit's table: one row for each of `unit.ids`, in that order."""
        ...


class RestartWorker(Exception):
    """Raised by a processor whose process cannot go on (a dead engine); the unit counts one lost attempt."""


class ProcessorFactory(Protocol):
    """What Ray sends to a worker so that it can build its processor there. Must be picklable and small."""

    def build(self) -> Processor:
        """Load whatever the work needs. Raises FairsweepError with one line that ends the whole stage."""
        ...


@dataclass(frozen=True)
class WorkerResources:
    """How many workers, and what each takes of its machine."""

    actors: tuple[int, int]
    cpus: float
    gpus: float
    in_flight: int
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class StagePlan:
    """A stage, whole: enough to run it, to resume it, and to check it afterwards."""

    name: str
    fingerprint: str
    units: tuple[Unit, ...]
    schema: pa.Schema
    factory: ProcessorFactory
    resources: WorkerResources
    parents: tuple[Mapping[str, str], ...] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict)
    id_column: str = "sample_id"
    in_driver: bool = False
    """The units are done one after the other in the process that plans them, without Ray."""
    excused: int = 0
    """Rows with status `error` that the configuration declares: they do not count against `limits.error_rate`."""
    parts_of: str | None = None
    """The stage under whose name its parts lie, where other runs know the same work by another name; None: its own."""

    @property
    def parts_stage(self) -> str:
        """The stage that the keys of its parts name."""
        return self.parts_of or self.name

    def part_spec(self, unit: Unit) -> PartSpec:
        """Return what the store must hold for a unit."""
        return PartSpec(self.parts_stage, self.fingerprint, unit.unit_id, unit.ids, self.id_column)

    @property
    def samples(self) -> int:
        """Rows that the stage plans."""
        return sum(len(unit.ids) for unit in self.units)


@dataclass(frozen=True)
class WorkerJob:
    """The part of a stage that every worker needs, without its units."""

    stage: str
    fingerprint: str
    id_column: str
    run: str
    schema: pa.Schema
    factory: ProcessorFactory
    store: StoreOptions
    witness: str
    """Key of an object that the driver wrote: a worker that does not see it sits on another disk."""
    attempts: int
    timeout_s: float
    in_flight: int
    parts_of: str | None = None
    """As in `StagePlan`."""
