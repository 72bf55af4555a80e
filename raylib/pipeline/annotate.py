"""The annotate stage: completions in, labels out; one unit for each part of the generate stage."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import pyarrow as pa

from raylib.config.run import LabellerConfig, RunConfig, StudyConfig
from raylib.errors import DataError
from raylib.ids import fingerprint, unit_id
from raylib.pipeline.context import Context, load_study
from raylib.pipeline.imported import REPORT, excused
from raylib.pipeline.labellers import worded
from raylib.pipeline.labelling import LabellerFactory, LabellingModel, labeller_identity, labelling_resources
from raylib.pipeline.unit import StagePlan, Unit, WorkerResources
from raylib.schemas import COMPLETIONS
from raylib.store.base import ObjectStore
from raylib.store.manifests import Manifest
from raylib.store.open import StoreOptions, open_store
from raylib.store.parts import PartSpec, Receipt, read_part
from raylib.studies.base import Annotator, AskingAnnotator, StudyOptions

STAGE = "annotate"


def plan_annotate(
    context: Context,
    generation: StagePlan,
    manifest: Manifest,
    manifest_ref: Mapping[str, str],
    judge: str | None = None,
) -> StagePlan:
    """Return the stage: a unit a committed part of `manifest`, whose `generation` plan says which samples it holds.

    `judge` names one of several labellers. Its stage has a name of its own; its parts lie where they would lie if it were the
    only one, so that a run which adds a second labeller asks the first one nothing again.
    """
    study, labeller = context.study, context.labeller if judge is None else context.labellers[judge]
    options = worded(study, context.options, labeller)
    identity = annotation_identity(context, labeller)
    stage = fingerprint(STAGE, identity)
    ids = {unit.unit_id: unit.ids for unit in generation.units}
    until = manifest.provenance.get("until")
    units = []
    for receipt in manifest.parts:
        if receipt.unit_id not in ids:
            raise DataError(
                f"{manifest.stage} manifest of run {manifest.run!r} holds unit {receipt.unit_id}, which this config does not "
                "plan: use the config that the run was generated with, or another --run name"
            )
        payload = {"generation": generation.fingerprint, "receipt": receipt.to_dict()}
        units.append(Unit(annotation_unit_id(stage, receipt), ids[receipt.unit_id], payload))
    return StagePlan(
        name=STAGE if judge is None else judge_stage(judge), parts_of=STAGE, fingerprint=stage, units=tuple(units),
        schema=study.annotation_schema,
        factory=AnnotateFactory(
            context.config.study, options, context.store_options,
            LabellerFactory(labeller, stage, context.config.limits.row_attempts, context.store_options) if labeller else None,
        ),
        resources=labelling_resources(labeller, context.config) if labeller else plain_resources(context.config),
        parents=(manifest_ref,),
        provenance={"identity": identity} | ({"samples": until["samples"]} if until else {}),
        excused=excused(manifest.provenance.get(REPORT, {})),
    )  # fmt: skip


def judge_stage(name: str) -> str:
    """Return the name of the stage in which one of several labellers labels."""
    return f"{STAGE}-{name}"


def annotation_identity(context: Context, labeller: LabellerConfig | None) -> dict[str, Any]:
    """Return everything but the text that changes a label: it becomes the stage's fingerprint. Raises as `labeller_identity`."""
    study = context.study
    return {
        "study": study.name,
        "version": study.version,
        "annotation": dict(study.annotation_identity(worded(study, context.options, labeller))),
        **labeller_identity(context.config, labeller),
    }


def annotation_unit_id(stage: str, completions: Receipt) -> str:
    """Return the id of the unit that labels a part of completions: another text, another unit."""
    return unit_id(stage, [completions.unit_id, completions.sha256])


def plain_resources(config: RunConfig) -> WorkerResources:
    """Return what workers of the annotate stage take when they hold no model."""
    return WorkerResources(actors=config.resources.annotate_actors, cpus=1, gpus=0, in_flight=2)


@dataclass(frozen=True)
class AnnotateFactory:
    """Builds the study's annotator inside a worker."""

    study: StudyConfig
    options: StudyOptions
    store: StoreOptions
    labeller: LabellerFactory | None = None

    def build(self) -> "AnnotateProcessor":
        """Load the study's tables and lexicons on this machine, and the labelling model if there is one."""
        study = load_study(self.study)
        return AnnotateProcessor(
            study.annotator(self.options), study.prompts(self.options), open_store(self.store), study.version,
            self.labeller.build() if self.labeller else None,
        )  # fmt: skip


class AnnotateProcessor:
    """Reads a part of completions and labels it, with the labelling model where the annotator asks one."""

    def __init__(
        self,
        annotator: Annotator | AskingAnnotator,
        prompts: pa.Table,
        store: ObjectStore,
        version: str,
        labeller: LabellingModel | None = None,
    ) -> None:
        self._annotator = annotator
        self._prompts = prompts
        self._store = store
        self._version = version
        self._labeller = labeller

    @property
    def info(self) -> Mapping[str, Any]:
        """The study's version that labelled, and the model that it asked."""
        own: dict[str, Any] = {"annotator": type(self._annotator).__name__, "study_version": self._version}
        return own | ({"labeller": dict(self._labeller.info)} if self._labeller is not None else {})

    async def process(self, unit: Unit) -> pa.Table:
        """Return one row a completion, in the order of the part."""
        completions = await asyncio.to_thread(self._read, unit)
        if self._labeller is not None:
            return await cast(AskingAnnotator, self._annotator).annotate(completions, self._prompts, self._labeller)
        return await asyncio.to_thread(cast(Annotator, self._annotator).annotate, completions, self._prompts)

    def _read(self, unit: Unit) -> pa.Table:
        receipt = Receipt.from_dict(unit.payload["receipt"])
        spec = PartSpec("generate", unit.payload["generation"], receipt.unit_id, unit.ids, "sample_id")
        return read_part(self._store, receipt, spec, COMPLETIONS)
