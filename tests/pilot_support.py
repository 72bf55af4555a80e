"""A pilot without Ray: the stages' own processors called one unit after the other, their parts committed as ever."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from raylib.ids import canonical_json
from raylib.pipeline.annotate import plan_annotate
from raylib.pipeline.chain import run_identity
from raylib.pipeline.context import Context
from raylib.pipeline.generate import plan_generate
from raylib.pipeline.records import StageRecords
from raylib.pipeline.rounds import UNTIL
from raylib.pipeline.unit import StagePlan
from raylib.pipeline.until import chunks_of
from raylib.store.manifests import Manifest, manifest_reference, read_tables, write_manifest
from raylib.store.parts import commit
from raylib.store.tables import write_table
from raylib.studies.sums import add_up
from tests.pipeline_support import arguments

SNAPSHOT = {"tokens_per_s": 500.0, "seconds": 60.0, "actors": [1, 2], "gpus_per_actor": 0}


def make_pilot(config: Path, *, units: int | None = None, stopped: Mapping[str, int] | None = None) -> None:
    """Leave on the store what a run leaves: whole, or only its first `units` units of completions.

    `stopped` says how many samples of each prompt `sampling.until` drew before it stopped.
    """
    context = Context(arguments(config).sweep().runs[0], arguments(config).limit)
    until = context.config.sampling.until
    chunks = chunks_of(until, stopped) if until and stopped else None
    store, run = context.store, context.config.run
    store.put_if_absent(f"runs/{run}/run.json", canonical_json(run_identity(context)).encode())
    StageRecords(store, run, "generate").add_progress(SNAPSHOT)
    StageRecords(store, run, "generate").add_info({"device": "cpu"})
    plan = plan_generate(context.config, context.prompts, chunks)
    generation = _work(context, plan, units)
    if units is not None:
        return
    if stopped:
        generation = replace(generation, provenance={UNTIL: {"samples": dict(stopped)}})
    write_manifest(store, generation)
    reference = manifest_reference(store, run, "generate")
    annotation_plan = plan_annotate(context, plan, generation, reference)
    annotation = _work(context, annotation_plan)
    write_manifest(store, annotation)
    tables = read_tables(store, annotation, annotation_plan.schema)
    summed = [context.study.sums(context.options, table, context.prompts) for table in tables]
    receipt = write_table(store, f"results/{run}/sums.parquet", add_up(summed, context.study.measures))
    write_manifest(store, _manifest(context, "reduce", "test", (receipt,), 1, receipt.rows))


def _work(context: Context, plan: StagePlan, units: int | None = None) -> Manifest:
    processor = plan.factory.build()
    receipts = tuple(
        commit(context.store, plan.part_spec(unit), asyncio.run(processor.process(unit)), plan.schema)
        for unit in plan.units[:units]
    )
    return _manifest(context, plan.name, plan.fingerprint, receipts, len(plan.units), plan.samples, plan.parents)


def _manifest(
    context: Context, stage: str, fingerprint: str, parts: tuple, units: int, rows: int, parents: tuple = ()
) -> Manifest:
    return Manifest(
        stage=stage, fingerprint=fingerprint, run=context.config.run, parts=parts, quarantined=(), rejected=(),
        planned_units=units, planned_rows=rows, parents=parents,
    )  # fmt: skip
