"""The invariants of a run, checked against its store: nothing lost, nothing twice, every byte as recorded."""

import logging

from raylib.errors import DataError
from raylib.ids import fingerprint
from raylib.pipeline.annotate import plan_annotate
from raylib.pipeline.arguments import Arguments
from raylib.pipeline.context import Context
from raylib.pipeline.judges import plan_combination, read_judges
from raylib.pipeline.reduce import reduce_identity, table_problems
from raylib.pipeline.rounds import decision_problems, drawn_plan
from raylib.pipeline.sweep import each_run
from raylib.pipeline.unit import StagePlan
from raylib.store.manifests import (
    Manifest,
    existing_manifest,
    manifest_reference,
    read_manifest,
    staleness,
    verify_manifest,
)

LOG = logging.getLogger(__name__)


def verify(arguments: Arguments) -> None:
    """Check the manifests of a run (or of each model's) part by part, its result tables too, and print one line a stage.

    Raises:
        DataError: anything does not hold; every finding is printed first.
    """
    each_run(arguments.sweep(), lambda config: _verify(Context(config, arguments.limit)))


def _verify(context: Context) -> None:
    run, store = context.config.run, context.store
    generation = read_manifest(store, run, "generate")
    generation_plan = drawn_plan(context, generation)
    findings = _check(context, generation_plan, generation)
    reference = manifest_reference(store, run, "generate")
    judges = read_judges(context)
    for name, judge in judges.items():
        findings += _check(context, plan_annotate(context, generation_plan, generation, reference, name), judge)
        findings += [stale] if (stale := staleness(store, judge, "generate")) else []
    annotation_plan = (
        plan_combination(context, generation_plan, generation, reference, judges)
        if judges
        else plan_annotate(context, generation_plan, generation, reference)
    )
    annotation = read_manifest(store, run, "annotate")
    findings += _check(context, annotation_plan, annotation)
    findings += decision_problems(context, generation, annotation) if not findings else []
    findings += [stale] if (stale := staleness(store, annotation, "generate")) else []
    findings += _check_reduce(context, annotation)
    if findings:
        for line in findings:
            print(line)
        raise DataError(
            f"run {run!r}: {len(findings)} findings, listed above; run jobs/audit.py with this config again"
        )
    print(f"run {run!r} holds: planned = committed + quarantined, ids unique and as planned, bytes as recorded")


def _check_reduce(context: Context, annotation: Manifest) -> list[str]:
    """Check the result tables, if there are any yet, and that they are of these very annotations."""
    reduction = existing_manifest(context.store, context.config.run, "reduce")
    if reduction is None:
        print("reduce    not run yet")
        return []
    problems = table_problems(context, reduction)
    if stale := staleness(context.store, reduction, "annotate"):
        problems.append(stale)
    elif reduction.fingerprint != fingerprint("reduce", reduce_identity(context, annotation)):
        problems.append("its fingerprint is not that of these annotations and settings; run jobs/metrics.py again")
    print(f"reduce    {len(reduction.parts)} tables, {len(problems)} problems")
    return [f"reduce: {problem}" for problem in problems]


def _check(context: Context, plan: StagePlan, manifest: Manifest) -> list[str]:
    specs = [plan.part_spec(unit) for unit in plan.units]
    problems = verify_manifest(context.store, manifest, specs, plan.schema)
    rows = sum(receipt.rows for receipt in manifest.parts)
    lost = sum(int(record["ids"]) for record in manifest.quarantined)
    print(
        f"{manifest.stage:<9} {len(manifest.parts)} parts, {rows:,} samples committed, "
        f"{lost:,} in {len(manifest.quarantined)} quarantined units, {len(problems)} problems"
    )
    return [f"{manifest.stage}: {problem}" for problem in problems]
