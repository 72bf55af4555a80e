"""A finished run on its way into a comparison: its study and options as they were, its prompts, its sums."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from raylib.config.run import StudyConfig
from raylib.errors import ConfigError, DataError
from raylib.ids import canonical_json
from raylib.pipeline.context import load_study
from raylib.pipeline.weights import mixed_cells, samples_by_cluster, weighted
from raylib.results import RunResults
from raylib.studies.base import Study, StudyOptions
from raylib.studies.comparing import ComparableStudy
from raylib.studies.differences import Draws

STAGES = ("generate", "annotate", "reduce")


@dataclass(frozen=True)
class ComparedRun:
    """One of the two runs."""

    results: RunResults
    study: Study
    identity: Mapping[str, Any]
    """What its reduce stage recorded: study, version, options, data, statistics."""
    draws: Draws
    """Shared by both runs."""

    @property
    def name(self) -> str:
        """The run's name."""
        return self.results.run

    @property
    def comparable(self) -> ComparableStudy:
        """The study as one whose runs can be compared."""
        if not isinstance(self.study, ComparableStudy):
            raise ConfigError(
                f"study {self.study.name!r} cannot compare runs: it has no raylib.studies.comparing methods"
            )
        return self.study

    @property
    def options(self) -> StudyOptions:
        """The study's options as the run had them, with the bootstrap of the comparison."""
        return StudyOptions(self.study.name, self.identity["options"], self.draws.replicates, self.draws.seed)

    @cached_property
    def prompts(self) -> pa.Table:
        """The prompts that the run asked.

        Raises:
            DataError: the study has other prompts by now.
        """
        known = self.results.provenance
        asked = known.filter(pc.equal(known["kind"], "cluster"))["name"].combine_chunks()
        table = self.study.prompts(self.options)
        found = table.filter(pc.is_in(table["prompt_id"], asked))
        if found.num_rows != len(asked):
            raise DataError(
                f"run {self.name!r} asked {len(asked):,} prompts, of which the study has {found.num_rows:,} by now: its "
                "wording changed since; run jobs/audit.py with its config under a new --run name"
            )
        return found

    @cached_property
    def sums(self) -> pa.Table:
        """The run's sums (schema SUMS), prompts weighed alike as in its estimates."""
        samples = samples_by_cluster(self.prompts, self.identity.get("samples"))
        return weighted(self.results.sums, mixed_cells(self.results.sums, samples))

    def same_samples(self, other: "ComparedRun") -> bool:
        """Say whether both runs hold the very same samples with the same labels."""
        return all(
            [part.sha256 for part in self.results.manifest(stage).parts]
            == [part.sha256 for part in other.results.manifest(stage).parts]
            for stage in ("generate", "annotate")
        )


def finished(results: RunResults) -> Mapping[str, Any]:
    """Return what the reduce stage of a run recorded of itself.

    Raises:
        DataError: a stage has not run, or is older than what it was made from; or the record is of an older fairsweep.
    """
    manifests = [results.manifest(stage) for stage in STAGES]
    identity = manifests[-1].provenance.get("identity", {})
    missing = [name for name in ("study", "version", "options", "data", "statistics") if name not in identity]
    if missing:
        raise DataError(
            f"run {results.run!r} does not say its {missing[0]}: it was reduced by another fairsweep; run jobs/metrics.py again"
        )
    return dict(identity)


def same_study(a: RunResults, b: RunResults) -> Mapping[str, Any]:
    """Return what A's reduce stage recorded, after checking that both runs are finished and of one study.

    Raises:
        ConfigError: they are of two studies.
        DataError: as `finished`.
    """
    first, second = finished(a), finished(b)
    if first["study"] != second["study"]:
        raise ConfigError(
            f"run {a.run!r} is of study {first['study']}, {b.run!r} of {second['study']}: compare runs of one study"
        )
    return first


def compared_run(results: RunResults, draws: Draws) -> ComparedRun:
    """Return a finished run, checked against the study as it is now.

    Raises:
        ConfigError: the study does not compare runs, or the options name a file that is not there.
        DataError: the run is not finished, or its numbers rest on an older version of the study or of its data.
    """
    identity = finished(results)
    study = load_study(StudyConfig(name=str(identity["study"])))
    run = ComparedRun(results, study, identity, draws)
    _ = run.comparable
    if identity["version"] != study.version:
        raise DataError(
            f"run {run.name!r} is of version {identity['version']} of study {study.name}, this fairsweep has "
            f"{study.version}: run jobs/annotate.py and jobs/metrics.py again"
        )
    study.check(run.options)
    now = study.data_identity(run.options)
    if canonical_json(dict(now)) != canonical_json(identity["data"]):
        raise DataError(
            f"run {run.name!r}: the data that its options name (axes, names, baseline) changed since; run jobs/metrics.py again"
        )
    return run
