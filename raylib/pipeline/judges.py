"""Several labellers: each labels every text in a stage of its own, then the study makes one label of theirs.

The combination is the run's annotate stage: whatever comes after it sees one manifest, as with one labeller.
"""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import pyarrow as pa

from raylib.config.run import StudyConfig
from raylib.errors import ConfigError
from raylib.ids import digest, fingerprint, unit_id
from raylib.pipeline.annotate import STAGE, annotation_identity, annotation_unit_id, judge_stage, plain_resources
from raylib.pipeline.context import Context, load_study
from raylib.pipeline.imported import REPORT, excused
from raylib.pipeline.labellers import combining
from raylib.pipeline.unit import StagePlan, Unit
from raylib.store.base import ObjectStore
from raylib.store.manifests import Manifest, manifest_reference, read_manifest
from raylib.store.open import StoreOptions, open_store
from raylib.store.parts import PartSpec, Receipt, read_part
from raylib.studies.base import CombiningStudy, StudyOptions

LOG = logging.getLogger(__name__)
Judges = Mapping[str, Manifest]
"""The manifest of each labeller's stage, by the labeller's name; empty where one labels, or none."""
NO_JUDGES: Judges = MappingProxyType({})


class JudgedPart(NamedTuple):
    """A part of completions that every judge has labelled."""

    completions: Receipt
    verdicts: Mapping[str, Receipt]


def judges_identity(context: Context) -> dict[str, Any]:
    """Return by name what changes each judge's labels; {} where one labels, or none.

    Raises:
        ConfigError: two of them would give the same labels; or as `labelling.labeller_identity`.
    """
    found = {name: annotation_identity(context, labeller) for name, labeller in context.labellers.items()}
    names: dict[str, str] = {}
    for name, identity in found.items():
        if (other := names.setdefault(digest(identity), name)) != name:
            raise ConfigError(
                f"labellers {other} and {name} are the same: model, adapter, prompt and sampling are equal, so their answers "
                "are too, and would agree whatever they are worth. Change one of them, or take it out"
            )
    return found


def read_judges(context: Context) -> dict[str, Manifest]:
    """Return the manifests of the run's judges; {} where one labels, or none. Raises DataError where one is missing."""
    store, run = context.store, context.config.run
    return {name: read_manifest(store, run, judge_stage(name)) for name in context.labellers}


def judged_parts(generation: Manifest, judges: Judges) -> list[JudgedPart]:
    """Return the parts of completions that every judge has labelled; what a judge gave up is missing, as anywhere."""
    by_judge = {name: {part.unit_id: part for part in manifest.parts} for name, manifest in judges.items()}
    found = []
    for completions in generation.parts:
        verdicts = {
            name: parts[unit]
            for name, parts in by_judge.items()
            if (unit := annotation_unit_id(judges[name].fingerprint, completions)) in parts
        }
        if len(verdicts) == len(judges):
            found.append(JudgedPart(completions, verdicts))
    return found


def combined_unit_id(stage: str, part: JudgedPart) -> str:
    """Return the id of the unit that combines a part's labels: another text or label of any judge, another unit."""
    verdicts = [[name, receipt.sha256] for name, receipt in sorted(part.verdicts.items())]
    return unit_id(stage, [part.completions.unit_id, part.completions.sha256, verdicts])


def plan_combination(
    context: Context, generation: StagePlan, manifest: Manifest, manifest_ref: Mapping[str, str], judges: Judges
) -> StagePlan:
    """Return the annotate stage of a run with several judges: a unit a part of completions that all have labelled."""
    study = combining(context.study)
    identity = {
        "study": context.study.name,
        "version": context.study.version,
        "combination": dict(study.combination_identity(context.options)),
        "judges": judges_identity(context),
    }
    stage = fingerprint(STAGE, identity)
    ids = {unit.unit_id: unit.ids for unit in generation.units}
    stages = {name: manifest.fingerprint for name, manifest in judges.items()}
    parts = judged_parts(manifest, judges)
    if len(parts) < len(manifest.parts):
        LOG.warning(
            "%d of %d parts are not combined: a judge gave them up",
            len(manifest.parts) - len(parts),
            len(manifest.parts),
        )
    units = [
        Unit(
            combined_unit_id(stage, part),
            ids[part.completions.unit_id],
            {"verdicts": {name: receipt.to_dict() for name, receipt in part.verdicts.items()}},
        )
        for part in parts
    ]
    references = (manifest_reference(context.store, one.run, one.stage) for one in judges.values())
    return StagePlan(
        name=STAGE, fingerprint=stage, units=tuple(units), schema=context.annotation_schema,
        factory=CombineFactory(context.config.study, context.options, context.store_options, stages),
        resources=plain_resources(context.config), parents=(manifest_ref, *references),
        provenance={"identity": identity}, excused=excused(manifest.provenance.get(REPORT, {})),
    )  # fmt: skip


@dataclass(frozen=True)
class CombineFactory:
    """Builds inside a worker what combines labels."""

    study: StudyConfig
    options: StudyOptions
    store: StoreOptions
    stages: Mapping[str, str]
    """Each judge's fingerprint, by name."""

    def build(self) -> "CombineProcessor":
        """Open the store; no model is loaded."""
        study = load_study(self.study)
        info = {"annotator": "combination", "study_version": study.version}
        return CombineProcessor(
            combining(study), self.options, open_store(self.store), self.stages, study.annotation_schema, info
        )


class CombineProcessor:
    """Reads each judge's part of a unit and has the study combine them."""

    def __init__(
        self,
        study: CombiningStudy,
        options: StudyOptions,
        store: ObjectStore,
        stages: Mapping[str, str],
        schema: pa.Schema,
        info: Mapping[str, Any],
    ) -> None:
        self._study, self._options, self._store = study, options, store
        self._stages, self._schema, self.info = stages, schema, info

    async def process(self, unit: Unit) -> pa.Table:
        """Return one row a completion, in the order of the parts."""
        return await asyncio.to_thread(self._combine, unit)

    def _combine(self, unit: Unit) -> pa.Table:
        tables = {}
        for name in sorted(unit.payload["verdicts"]):
            receipt = Receipt.from_dict(unit.payload["verdicts"][name])
            spec = PartSpec(STAGE, self._stages[name], receipt.unit_id, unit.ids, "sample_id")
            tables[name] = read_part(self._store, receipt, spec, self._schema)
        return self._study.combine(self._options, tables)
