"""Rounds of `sampling.until`: generate and annotate up to a look, decide who goes on, and again; one manifest at the end.

A round is a plan like any other, so what is done is found on the store and a run killed anywhere goes on. The decision
after a look follows from the committed parts of the looks so far and from nothing else: not from time, nor from who
worked. So it is computed again at each start, by `verify` too, and never stored before the end.
"""

import itertools
import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from raylib.config.run import UntilConfig
from raylib.errors import DataError
from raylib.pipeline.annotate import annotation_unit_id, plan_annotate
from raylib.pipeline.context import Context
from raylib.pipeline.generate import plan_generate
from raylib.pipeline.labelling import prepare_labeller
from raylib.pipeline.stage import Action, StageRun, complete_units
from raylib.pipeline.unit import StagePlan
from raylib.pipeline.until import Drawing, chunks_of, differences
from raylib.stats.sequential import looks
from raylib.store.manifests import Manifest, read_tables, write_manifest
from raylib.store.parts import read_rows

LOG = logging.getLogger(__name__)
_PARTS_AT_ONCE = 32
UNTIL = "until"
"""The key of the generate manifest's provenance that holds looks, samples and intervals."""


def draw_until(context: Context, around: StageRun, before_work: Action, on_result: Action) -> Manifest:
    """Draw until the watched cells are narrow enough; write and return the manifest of all completions.

    `before_work` is called in each round with work to do, `on_result` once a round has a part.

    Raises:
        ConfigError: the study watches nothing.
        LimitError, DataError, FairsweepError: as `complete_units`.
    """
    drawing = _begin(context)
    rounds = []
    while (chunk := drawing.chunk) is not None:
        plan = plan_generate(context.config, context.prompts, [chunk])
        generation = complete_units(plan, around, before_work, on_result)
        labels = plan_annotate(context, plan, generation, {})
        annotation = complete_units(labels, around, lambda: prepare_labeller(context.config, context.labeller))
        _add(drawing, read_tables(context.store, annotation, context.study.annotation_schema))
        LOG.info("%s", drawing.decide())
        rounds.append(generation)
    manifest = _joined(context, drawing, rounds)
    write_manifest(context.store, manifest)
    return manifest


def drawn_plan(context: Context, generation: Manifest) -> StagePlan:
    """Return the generate stage as it was planned: by the configuration, and by the decisions that a manifest records.

    Raises:
        DataError: the configuration has `sampling.until`, and the manifest does not say how many samples were drawn.
    """
    until = context.config.sampling.until
    if until is None:
        return plan_generate(context.config, context.prompts)
    samples = _recorded(context, generation).get("samples")
    prompts = context.prompts["prompt_id"].to_pylist()
    ends = looks(until.first, until.growth, until.max)
    if not isinstance(samples, Mapping) or set(samples) != set(prompts) or not set(samples.values()) <= set(ends):
        raise DataError(
            f"the generate manifest of run {generation.run!r} does not say how many samples each of these prompts has; "
            "run jobs/audit.py with this config again"
        )
    return plan_generate(context.config, context.prompts, chunks_of(until, samples))


def decision_problems(context: Context, generation: Manifest, annotation: Manifest) -> Sequence[str]:
    """Decide again from the annotations, and return what the generate manifest records otherwise; [] without `until`."""
    if context.config.sampling.until is None:
        return []
    drawing = _begin(context)
    texts = {receipt.unit_id: receipt for receipt in generation.parts}
    labels = {receipt.unit_id: receipt for receipt in annotation.parts}
    while (chunk := drawing.chunk) is not None:
        units = plan_generate(context.config, context.prompts, [chunk]).units
        found = [texts[unit.unit_id] for unit in units if unit.unit_id in texts]
        parts = [labels.get(annotation_unit_id(annotation.fingerprint, text)) for text in found]
        schema = context.study.annotation_schema
        _add(drawing, (read_rows(context.store, part, schema) for part in parts if part is not None))
        drawing.decide()
    return differences(_recorded(context, generation), drawing.record())


def _add(drawing: Drawing, parts: Iterator[pa.Table]) -> None:
    """Add parts, several at once: a study takes a tenth of a second for a call, however few rows it has."""
    while tables := list(itertools.islice(parts, _PARTS_AT_ONCE)):
        drawing.add(pa.concat_tables(tables))


def _begin(context: Context) -> Drawing:
    until = context.config.sampling.until
    assert isinstance(until, UntilConfig)  # noqa: S101 - for the type checker; the callers looked
    return Drawing(context.study, context.options, context.prompts, until)


def _recorded(context: Context, generation: Manifest) -> Mapping[str, Any]:
    record = generation.provenance.get(UNTIL)
    return record if isinstance(record, Mapping) else {}


def _joined(context: Context, drawing: Drawing, rounds: Sequence[Manifest]) -> Manifest:
    """Return one manifest of all rounds, as a fixed run would have it: parts in the order of the whole plan."""
    record, last = drawing.record(), rounds[-1]
    return Manifest(
        stage=last.stage, fingerprint=last.fingerprint, run=last.run,
        parts=tuple(part for one in rounds for part in one.parts),
        quarantined=tuple(unit for one in rounds for unit in one.quarantined),
        rejected=tuple(part for one in rounds for part in one.rejected),
        planned_units=sum(one.planned_units for one in rounds), planned_rows=sum(one.planned_rows for one in rounds),
        parents=last.parents, provenance={**last.provenance, UNTIL: record},
    )  # fmt: skip
