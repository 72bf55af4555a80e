"""The generate stage of texts that somebody else generated: read and checked whole, then committed like any others."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

import raylib
from raylib.config.imported import ImportedOptions
from raylib.config.run import LimitsConfig, RunConfig, StudyConfig
from raylib.errors import ConfigError, DataError, LimitError
from raylib.imported.match import Matched, match
from raylib.imported.texts import ImportedText, read_texts
from raylib.pipeline.context import load_study
from raylib.pipeline.unit import StagePlan, Unit
from raylib.schemas import COMPLETIONS
from raylib.store.base import ObjectStore
from raylib.store.manifests import existing_manifest
from raylib.studies.base import StudyOptions

LOG = logging.getLogger(__name__)
REPORT = "import"
"""The key of the generate manifest's provenance that holds what was imported and what did not fit."""


@dataclass(frozen=True)
class ImportFactory:
    """Reads, checks and matches all files before the first part is written."""

    study: StudyConfig
    options: ImportedOptions
    samples: int
    planned: tuple[str, ...]
    """Ids of the run's prompts."""
    matched: Matched | None = None

    def read(self) -> Matched:
        """Return the texts of each planned prompt. Raises as `read_texts` and `match`; nothing is written."""
        if self.matched is not None:
            return self.matched
        table = load_study(self.study).prompts(StudyOptions(self.study.name, self.study.options))
        prompts = list(zip(table["prompt_id"].to_pylist(), table["prompt"].to_pylist(), strict=True))
        return match(read_texts(self.options), prompts, self.planned, self.samples, self.options)

    def build(self) -> "ImportProcessor":
        """Return what turns matched texts into parts."""
        return ImportProcessor(self.read().texts)


class ImportProcessor:
    """Turns a unit into completions: sample k of a prompt is the k-th of its rows."""

    def __init__(self, texts: Mapping[str, Any]) -> None:
        self._texts = texts

    @property
    def info(self) -> Mapping[str, Any]:
        """That these texts were imported, and by which version."""
        return {"engine": "imported", "version": raylib.__version__}

    async def process(self, unit: Unit) -> pa.Table:
        """Return the unit's completions (schema COMPLETIONS); a text that the files do not have is an error row."""
        start, count = unit.payload["start"], unit.payload["count"]
        places = [(prompt_id, start + k) for prompt_id, *_ in unit.payload["prompts"] for k in range(count)]
        rows = []
        for sample_id, (prompt_id, index) in zip(unit.ids, places, strict=True):
            texts = self._texts.get(prompt_id, ())
            outcome = _outcome(texts[index]) if index < len(texts) else _MISSING
            rows.append(_UNKNOWN | outcome | {"sample_id": sample_id, "prompt_id": prompt_id, "sample_index": index})
        return pa.Table.from_pylist(rows, schema=COMPLETIONS)


def plan_import(plan: StagePlan, config: RunConfig, options: ImportedOptions) -> StagePlan:
    """Return the generate stage as one that reads files instead of asking a model."""
    planned = dict.fromkeys(prompt_id for unit in plan.units for prompt_id, *_ in unit.payload["prompts"])
    factory = ImportFactory(config.study, options, config.samples, tuple(planned))
    return replace(plan, factory=factory, in_driver=True)


def checked_import(plan: StagePlan, store: ObjectStore, run: str, limits: LimitsConfig) -> StagePlan:
    """Return the plan with what was found in the files; files that this run has imported already are not read again.

    Raises:
        DataError: the files are broken or do not fit; nothing was written.
        LimitError: more rows have no text than `limits.error_rate` allows; nothing was written.
    """
    factory = plan.factory
    if not isinstance(factory, ImportFactory):
        return plan
    report = _earlier(plan, store, run, factory.options)
    if report is None:
        matched = factory.read()
        factory, report = replace(factory, matched=matched), matched.report
    for line in findings(report):
        LOG.warning("import: %s", line)
    empty = report["without_text"]["rows"]
    if empty > limits.error_rate * plan.samples:
        raise LimitError(
            f"{empty} of {plan.samples} samples have no text ({'; '.join(report['without_text']['first'])}): more than "
            f"limits.error_rate {limits.error_rate:g}; allow it with --set limits.error_rate={empty / plan.samples + 0.005:.2f}"
        )
    return replace(plan, factory=factory, excused=excused(report), provenance={**plan.provenance, REPORT: dict(report)})


def import_options(config: RunConfig) -> ImportedOptions:
    """Return the options of a run that imports. Raises ConfigError for one that has a model."""
    if not isinstance(config.model.engine, ImportedOptions):
        raise ConfigError(
            f"run {config.run!r} has a model of engine kind {config.model.engine.kind!r}: use jobs/generate.py, or "
            "'source: imported' and 'engine: {kind: imported, files: [...], columns: {...}}'"
        )
    return config.model.engine


def excused(report: Mapping[str, Any]) -> int:
    """Return how many texts are missing by declaration (`gaps: allow`)."""
    return int(report.get("gaps", {}).get("texts", 0))


def findings(report: Mapping[str, Any]) -> list[str]:
    """Return what did not fit, in words, the first three of each kind named; [] where everything did."""
    unknown, gaps = report["unknown"], report["gaps"]
    kinds = (
        (unknown["rows"], f"{unknown['rows']:,} rows of {unknown['prompts']:,} unknown prompts were left out", unknown),
        (report["duplicates"]["rows"], f"{report['duplicates']['rows']:,} rows repeat an earlier one of their prompt (kept)",
         report["duplicates"]),
        (report["without_text"]["rows"], f"{report['without_text']['rows']:,} rows have no text", report["without_text"]),
        (gaps["texts"], f"{gaps['texts']:,} texts of {gaps['prompts']:,} prompts are missing", gaps),
    )  # fmt: skip
    return [f"{text}: {'; '.join(found['first'])}" for count, text, found in kinds if count]


def _earlier(plan: StagePlan, store: ObjectStore, run: str, options: ImportedOptions) -> Mapping[str, Any] | None:
    """Return what an earlier, finished import of the same files under the same rules has reported."""
    try:
        manifest = existing_manifest(store, run, plan.name)
    except DataError:
        return None
    if manifest is None or (manifest.fingerprint, manifest.planned_rows) != (plan.fingerprint, plan.samples):
        return None
    report: Mapping[str, Any] = manifest.provenance.get(REPORT, {})
    return report if report.get("policy") == {"unknown": options.unknown, "gaps": options.gaps} else None


_UNKNOWN = {"prompt_tokens": 0, "completion_tokens": 0, "reasoning_tokens": 0, "attempt": 1}
_MISSING = {"status": "error", "error_type": "missing", "error": "the imported files have no such text"}
_REASONS = {False: ("empty", "the row has no text"), True: ("failed", "the row says that the text failed")}


def _outcome(text: ImportedText) -> dict[str, Any]:
    row: dict[str, Any] = {"status": text.status, "finish_reason": text.finish_reason, "given": text.given}
    if text.status == "error":
        kind, why = _REASONS[text.text is not None]
        return row | {"error_type": kind, "error": f"{text.place}: {why}"}
    return row | {"text": text.text}
