"""A finished run of LTF-Test as calibration reads it. Nothing is written to its store."""

from argparse import Namespace
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from raylib.errors import ConfigError, DataError
from raylib.pipeline.arguments import Arguments
from raylib.pipeline.chain import run_identity
from raylib.pipeline.context import Context, check_claim
from raylib.pipeline.judges import read_judges
from raylib.pipeline.labelled import LabelledParts
from raylib.store.manifests import Manifest, read_manifest, staleness

_STUDY = "ltf"


class AnnotatedRun(NamedTuple):
    """A run whose essays were judged."""

    context: Context
    generation: Manifest
    annotation: Manifest
    parts: LabelledParts
    annotations: pa.Table
    """One row a sample, in the run's order."""

    def essays(self, ids: Collection[str]) -> dict[str, Mapping[str, Any]]:
        """Return question and text (None: there is none) of some samples; one part at a time is in memory."""
        prompts = self.context.prompts
        questions = dict(zip(prompts["prompt_id"].to_pylist(), prompts["question"].to_pylist(), strict=True))
        names, found = pa.array(sorted(ids), pa.string()), dict[str, Mapping[str, Any]]()
        for receipt in self.parts.receipts:
            if len(found) == len(names):
                break
            table = self.parts.read(receipt).completions
            table = table.filter(pc.is_in(table["sample_id"], names))
            for row in table.select(["sample_id", "prompt_id", "status", "text"]).to_pylist():
                text = row["text"] if row["status"] != "refused" else None
                found[row["sample_id"]] = {"question": questions[row["prompt_id"]], "text": text}
        return found


def open_annotated(arguments: Namespace) -> AnnotatedRun:
    """Return the run that a config names, through its manifests.

    Raises:
        ConfigError: another study, or other settings than the run was started with.
        DataError: the run is not annotated yet, or its annotations are of older texts.
    """
    asked = Arguments(arguments.config, tuple(arguments.overrides), arguments.run, arguments.limit, False, False)
    context = Context(asked.load(), asked.limit)
    name, run = context.config.study.name, context.config.run
    if name != _STUDY:
        raise ConfigError(f"study {name!r} has no judge to calibrate; give a run of {_STUDY}")
    check_claim(context, run_identity(context))
    generation = read_manifest(context.store, run, "generate")
    annotation = read_manifest(context.store, run, "annotate")
    if stale := staleness(context.store, annotation, "generate"):
        raise DataError(f"run {run!r}: {stale}")
    schema = context.annotation_schema
    parts = LabelledParts(context.store, schema, generation, annotation, read_judges(context))
    tables = [parts.annotations(receipt) for receipt in parts.receipts]
    return AnnotatedRun(context, generation, annotation, parts, pa.concat_tables([schema.empty_table(), *tables]))
