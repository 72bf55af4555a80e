"""Run one stage: find what is done, stream the rest through workers, verify, write the manifest.

Resume is planned units minus valid parts. It depends on nothing but the store: not on Ray, not on the number of
workers, not on who ran before.
"""

import asyncio
import logging
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass, replace

from raylib.config.run import LimitsConfig
from raylib.errors import ConfigError, DataError
from raylib.pipeline.limits import check_limits
from raylib.pipeline.records import StageRecords
from raylib.pipeline.session import RaySession, missing_resources
from raylib.pipeline.state import StageState
from raylib.pipeline.stream import Finished, stream_units
from raylib.pipeline.unit import StagePlan, Unit, WorkerJob
from raylib.pipeline.watch import Watch
from raylib.store.base import ObjectStore
from raylib.store.manifests import Manifest, write_manifest
from raylib.store.open import StoreOptions
from raylib.store.parts import commit, part_prefix, survey

LOG = logging.getLogger(__name__)
Action = Callable[[], None]
Stream = Callable[[Action], Generator[Finished, None, None]]
"""Does the units and yields what becomes of each; calls its argument often meanwhile."""


@dataclass(frozen=True)
class StageRun:
    """Everything around a plan that does not change its result."""

    run: str
    store: ObjectStore
    store_options: StoreOptions
    limits: LimitsConfig
    session: RaySession
    witness: str
    """Key of an object that every worker must see."""
    retry: bool = False
    """Try quarantined units and rows with status `error` again."""


def run_stage(
    plan: StagePlan, around: StageRun, before_work: Action | None = None, on_result: Action | None = None
) -> Manifest:
    """Bring a stage to its manifest, write and return it; where all parts are there, only verify them.

    Arguments and errors are those of `complete_units`.
    """
    manifest = complete_units(plan, around, before_work, on_result)
    write_manifest(around.store, manifest)
    return manifest


def complete_units(
    plan: StagePlan, around: StageRun, before_work: Action | None = None, on_result: Action | None = None
) -> Manifest:
    """Do what of a plan is not done yet, and return its manifest, which is not written.

    `before_work` is called once if there is anything to do, before a worker is started; `on_result` once there is a
    part, new or found.

    Raises:
        LimitError: more errors than `limits.error_rate`, or no unit finished within `limits.no_progress_s`.
        DataError: what the workers committed is not on the store, or prompts do not fit into the model.
        FairsweepError: what a worker reported as fatal, with that error's own exit code.
    """
    records = StageRecords(around.store, around.run, plan.name)
    state, todo = take_stock(plan, around, records)
    if todo:
        around.session.expect_work(f"{plan.name}: {len(todo)} of {len(plan.units)} units to do")
        if before_work is not None:
            before_work()
        _work(plan, around, records, state, todo, on_result)
    check_limits(plan, around.limits, state, around.store)
    if on_result is not None:
        on_result()
    return _manifest(plan, around, records, state)


def take_stock(plan: StagePlan, around: StageRun, records: StageRecords) -> tuple[StageState, list[Unit]]:
    """Return what the store holds of a plan, and the units that are still to be done."""
    specs = [plan.part_spec(unit) for unit in plan.units]
    found = survey(around.store, plan.parts_stage, plan.fingerprint, specs, plan.schema)
    for rejected in found.rejected:
        LOG.warning("%s: part %s is not used: %s", plan.name, rejected.key, rejected.reason)
    planned = {unit.unit_id for unit in plan.units}
    quarantined = {
        unit_id: record
        for unit_id, record in records.quarantined(plan.fingerprint).items()
        if unit_id in planned and unit_id not in found.valid
    }
    state = StageState(found.valid.values(), found.rejected, {} if around.retry else quarantined)
    todo = []
    for unit in plan.units:
        receipt = state.receipts.get(unit.unit_id)
        if receipt is None and unit.unit_id not in state.quarantined:
            todo.append(replace(unit, revision=found.next_revision.get(unit.unit_id, 0)))
        elif receipt is not None and around.retry and receipt.statuses.get("error"):
            state.set_aside(receipt)
            todo.append(replace(unit, revision=receipt.revision + 1, previous=receipt))
    return state, todo


def _work(
    plan: StagePlan,
    around: StageRun,
    records: StageRecords,
    state: StageState,
    todo: list[Unit],
    on_result: Action | None,
) -> None:
    stream = _in_driver(plan, around, todo) if plan.in_driver else _on_ray(plan, around, todo)
    with Watch(plan, state, records) as watch, closing(stream(watch.tick)) as events:
        for event in events:
            if event.receipt is not None and on_result is not None:
                on_result()
                on_result = None
            _record(event, plan, records, state)
            watch.update()
            check_limits(plan, around.limits, state, around.store)


def _in_driver(plan: StagePlan, around: StageRun, todo: list[Unit]) -> Stream:
    """Do the units in this process, one after the other."""
    processor = plan.factory.build()

    def stream(tick: Action) -> Generator[Finished, None, None]:
        for unit in todo:
            tick()
            table = asyncio.run(processor.process(unit))
            receipt = commit(around.store, plan.part_spec(unit), table, plan.schema, unit.revision)
            yield Finished(receipt=receipt, info=processor.info)

    return stream


def _on_ray(plan: StagePlan, around: StageRun, todo: list[Unit]) -> Stream:
    """Join Ray and send the units through workers."""
    limits = around.limits
    job = WorkerJob(
        stage=plan.name, fingerprint=plan.fingerprint, id_column=plan.id_column, run=around.run, schema=plan.schema,
        factory=plan.factory, store=around.store_options, witness=around.witness, attempts=limits.unit_attempts,
        timeout_s=limits.unit_timeout_s, in_flight=plan.resources.in_flight, parts_of=plan.parts_of,
    )  # fmt: skip
    around.session.connect()
    lacking = missing_resources(plan.resources.cpus, plan.resources.gpus, plan.resources.actors[0])
    if lacking and around.session.local:
        raise ConfigError(
            f"{plan.name}: {lacking}: take another resources file (--set resources={{use: laptop}}) or set RAY_ADDRESS"
        )
    if lacking:
        LOG.warning("%s: %s now; waiting for more nodes, at most limits.no_progress_s", plan.name, lacking)
    return lambda tick: stream_units(todo, job, plan.resources, limits.no_progress_s, tick)


def _record(event: Finished, plan: StagePlan, records: StageRecords, state: StageState) -> None:
    if event.receipt is not None:
        state.commit(event.receipt)
        records.add_info(event.info)
    else:
        record = dict(event.quarantine, fingerprint=plan.fingerprint)
        state.quarantine(record)
        records.add_quarantined(record)
        LOG.error(
            "%s: unit %s (%s samples) is quarantined after %s attempts: %s",
            plan.name, record["unit_id"], record["ids"], record["attempts"], record["reason"],
        )  # fmt: skip


def _manifest(plan: StagePlan, around: StageRun, records: StageRecords, state: StageState) -> Manifest:
    sizes = {info.key: info.size for info in around.store.list(part_prefix(plan.parts_stage, plan.fingerprint))}
    parts = []
    for unit in plan.units:
        receipt = state.receipts.get(unit.unit_id)
        if receipt is None and unit.unit_id not in state.quarantined:
            raise DataError(
                f"{plan.name}: unit {unit.unit_id} was neither committed nor quarantined; run the same command again"
            )
        if receipt is not None:
            if sizes.get(receipt.key) != receipt.size:
                raise DataError(
                    f"{plan.name}: part {receipt.key} has {sizes.get(receipt.key)} bytes on the store, {receipt.size} "
                    "were committed: something else writes there. Run the same command again"
                )
            parts.append(receipt)
    quarantined = [state.quarantined[unit.unit_id] for unit in plan.units if unit.unit_id in state.quarantined]
    return Manifest(
        stage=plan.name, fingerprint=plan.fingerprint, run=around.run, parts=tuple(parts),
        quarantined=tuple(quarantined), rejected=tuple(state.rejected), planned_units=len(plan.units),
        planned_rows=plan.samples, parents=plan.parents, provenance={**plan.provenance, "workers": records.infos()},
    )  # fmt: skip
