"""The actor that Ray Data streams units through: build once, then unit in, part committed, receipt out.

It answers with rows, never with exceptions: a user's error (a wrong key, a full disk) becomes a `fatal` row that the
driver raises in one line, a unit that cannot be done becomes a `quarantined` row, and everything else a `committed` one.
"""

import asyncio
import json
import os
import traceback
from typing import Any, NoReturn

import pyarrow as pa
import ray

from raylib.errors import FairsweepError
from raylib.pipeline.gate import Gate
from raylib.pipeline.reported import reported
from raylib.pipeline.unit import Processor, RestartWorker, Unit, WorkerJob
from raylib.store.open import open_store
from raylib.store.parts import PartSpec, commit
from raylib.store.probe import check_shared

RECEIPT_SCHEMA = pa.schema([("kind", pa.string()), ("json", pa.string())])
_EXIT_FOR_RESTART = 75


class UnitWorker:
    """One worker of one stage. Several units are in flight at once, so that a batching engine stays full."""

    def __init__(self, job: WorkerJob, ledger: Any) -> None:
        self._job = job
        self._ledger = ledger
        self._gate = Gate()
        self._node = ray.get_runtime_context().get_node_id()
        self._fatal: FairsweepError | None = None
        self._processor: Processor | None = None
        try:
            self._store = open_store(job.store)
            check_shared(self._store, job.witness)
            self._processor = job.factory.build()
        except FairsweepError as error:
            self._fatal = error
        except Exception as error:  # noqa: BLE001 - an exception here would have Ray build workers for ever
            self._fatal = FairsweepError(
                f"{job.stage}: a worker cannot be built: {_describe(error)}; see FAIRSWEEP_DEBUG=1"
            )

    async def __call__(self, batch: pa.Table) -> pa.Table:
        """Work on the one unit of a batch; return its receipt row (columns kind, json)."""
        if batch.num_rows != 1:
            raise AssertionError(f"one unit a block was asked for, got {batch.num_rows}")
        unit = Unit.from_json(batch.column("unit")[0].as_py())
        kind, answer = await self._answer(unit)
        return pa.table({"kind": [kind], "json": [json.dumps(answer)]}, schema=RECEIPT_SCHEMA)

    async def _answer(self, unit: Unit) -> tuple[str, dict[str, Any]]:
        if self._processor is None:
            return _fatal(self._fatal or FairsweepError("the worker was not built"))
        lost = await self._ledger.lost.remote(unit.unit_id)
        while len(lost) < self._job.attempts:
            try:
                async with self._gate.enter(alone=self._is_suspect(lost)):
                    await self._ledger.begin.remote(unit.unit_id, self._node)
                    receipt = await self._one_attempt(self._processor, unit)
            except FairsweepError as error:
                return _fatal(error)
            except Exception as error:  # noqa: BLE001 - a defect in one unit must not stop the others
                lost = [*lost, _describe(error)]
                continue
            finally:
                await self._ledger.end.remote(unit.unit_id)
            return "committed", {"receipt": receipt, "info": dict(self._processor.info)}
        return "quarantined", {
            "unit_id": unit.unit_id, "reason": lost[-1], "attempts": len(lost), "ids": len(unit.ids),
        }  # fmt: skip

    def _is_suspect(self, lost: list[str]) -> bool:
        """Say whether the next loss would quarantine the unit: then it runs alone, so that the loss is its own."""
        return bool(lost) and len(lost) >= self._job.attempts - 1

    async def _one_attempt(self, processor: Processor, unit: Unit) -> dict[str, Any]:
        job = self._job
        try:
            async with asyncio.timeout(job.timeout_s):
                table = await processor.process(unit)
        except TimeoutError:
            await self._end_process(unit, f"no answer within limits.unit_timeout_s = {job.timeout_s:g} s")
        except RestartWorker as error:
            await self._end_process(unit, str(error))
        spec = PartSpec(job.parts_of or job.stage, job.fingerprint, unit.unit_id, unit.ids, job.id_column)
        receipt = await asyncio.to_thread(commit, self._store, spec, table, job.schema, unit.revision)
        return dict(receipt.to_dict())

    async def _end_process(self, unit: Unit, reason: str) -> NoReturn:
        """Leave a process whose engine is stuck or dead; Ray starts another and gives it the same units."""
        await self._ledger.note.remote(unit.unit_id, reason)
        os._exit(_EXIT_FOR_RESTART)


def _fatal(error: FairsweepError) -> tuple[str, dict[str, Any]]:
    return "fatal", reported(error)


def _describe(error: Exception) -> str:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({os.path.basename(frame.filename)}:{frame.lineno})"
