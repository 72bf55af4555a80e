"""Stages without Ray: the same units, workers, parts and tables in this process, for what Ray has no part in.

A worker process of Ray takes seconds to start, and a run has several. What would travel to a worker is pickled here too.
"""

import asyncio
import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from raylib.pipeline import map_reduce, stage, stream, worker
from raylib.pipeline.ledger import Attempts
from raylib.pipeline.session import RaySession
from raylib.pipeline.unit import Unit, WorkerJob, WorkerResources

HERE = "this process"


class Blocks:
    """What the pipeline asks of a Ray dataset; each block is worked on when it is read."""

    def __init__(self, blocks: Callable[[], Iterator[pa.Table]]) -> None:
        self._blocks = blocks

    def map_batches(self, function: Callable[[pa.Table], pa.Table], **_: Any) -> "Blocks":
        sent = pickle.loads(pickle.dumps(function))
        return Blocks(lambda: (sent(block) for block in self._blocks()))

    def repartition(self, number: int) -> "Blocks":
        def again() -> Iterator[pa.Table]:
            whole = pa.concat_tables(list(self._blocks()))
            size = -(-whole.num_rows // number)
            return (whole.slice(start, size) for start in range(0, whole.num_rows, size))

        return Blocks(again)

    def iter_batches(self, **_: Any) -> Iterator[pa.Table]:
        return self._blocks()


class _Called:
    """A method of an actor: `.remote(...)` gives what can be awaited."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self._method = method

    async def remote(self, *arguments: Any) -> Any:
        return self._method(*arguments)


def _ledger() -> SimpleNamespace:
    attempts = Attempts()
    return SimpleNamespace(
        lost=_Called(lambda unit_id: attempts.lost(unit_id, frozenset({HERE}))),
        begin=_Called(attempts.begin),
        note=_Called(attempts.note),
        end=_Called(attempts.end),
    )


def _units(units: Sequence[Unit], job: WorkerJob, _: WorkerResources) -> Blocks:
    sent: WorkerJob = pickle.loads(pickle.dumps(job))

    def answers() -> Iterator[pa.Table]:
        built = worker.UnitWorker(sent, _ledger())
        with asyncio.Runner() as runner:
            for unit in units:
                yield runner.run(built(pa.table({"unit": [unit.to_json()]})))

    return Blocks(answers)


def _rows(rows: Sequence[dict[str, Any]], blocks: int) -> Blocks:
    size = -(-len(rows) // blocks)
    return Blocks(lambda: (pa.Table.from_pylist(rows[at : at + size]) for at in range(0, len(rows), size)))


@contextmanager
def without_ray() -> Iterator[None]:
    """Run every stage in this process meanwhile; a fault that ends its process would end the tests."""
    here = SimpleNamespace(get_runtime_context=lambda: SimpleNamespace(get_node_id=lambda: HERE))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RaySession, "connect", lambda _session: None)
        patch.setattr(stage, "missing_resources", lambda *_: None)
        patch.setattr(stream, "_dataset", _units)
        patch.setattr(worker, "ray", here)
        patch.setattr(map_reduce, "_dataset", _rows)
        patch.setattr(map_reduce, "_cpus", lambda: 2)
        patch.setattr("ray.put", lambda value: value)
        patch.setattr("ray.get", lambda value: value)
        yield
