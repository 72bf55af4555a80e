"""The report stage: manifests and tables -> one HTML file and one CSV file on the store."""

import logging
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

import pyarrow as pa

import raylib
from raylib.config.run import LabellerConfig, RunConfig
from raylib.ids import digest
from raylib.pipeline.context import Context
from raylib.pipeline.imported import REPORT, findings
from raylib.pipeline.judges import NO_JUDGES, Judges
from raylib.pipeline.labelled import LabelledParts
from raylib.pipeline.report_until import drawing_sections, samples_drawn
from raylib.report.csv_export import to_csv
from raylib.report.page import RunHeader, render
from raylib.schemas import ESTIMATES, SUMS, TALLIES, UNPARSED
from raylib.store.base import ObjectStore
from raylib.store.manifests import Manifest
from raylib.store.parts import Receipt, read_rows
from raylib.studies.base import ReportInput

LOG = logging.getLogger(__name__)
_SAMPLE_PARTS = 6
_SAMPLES_A_PART = 2


class FinishedRun(NamedTuple):
    """A run whose stages are all there."""

    context: Context
    generation: Manifest
    annotation: Manifest
    reduction: Manifest
    judges: Judges = NO_JUDGES

    @property
    def before_reduce(self) -> tuple[Manifest, ...]:
        """The manifests of texts and labels, in the order in which they were made."""
        return (self.generation, *self.judges.values(), self.annotation)


def write_report(run: FinishedRun) -> str:
    """Write the report of a run and return where a person finds it: a path, or the object's address."""
    context, data = run.context, report_input(run)
    sections = [*context.study.sections(context.options, data), *drawing_sections(run.generation)]
    page = render(f"{context.config.study.name}: {context.config.shown_as}", _header(run, data.counts), sections)
    return put_report(context.store, context.prefix, page, data.estimates)


def report_input(run: FinishedRun) -> ReportInput:
    """Return what a study makes its sections of."""
    context = run.context
    estimates, sums, tallies = (
        read_rows(context.store, _named(run.reduction, name), schema)
        for name, schema in (("estimates", ESTIMATES), ("sums", SUMS), ("tallies", TALLIES))
    )
    counts = count_samples(run.generation, run.annotation)
    samples = _some_samples(run)
    return ReportInput(context.config.shown_as, estimates, sums, tallies, samples, counts)


def put_report(store: ObjectStore, prefix: str, page: str, estimates: pa.Table) -> str:
    """Put a page, and beside it its estimates as CSV, under `prefix`/report/; return where a person finds the page.

    The files' name holds the hash of the page, so that a report once cited is never replaced.
    """
    name = digest(page)[:12]
    store.put_if_absent(f"{prefix}/report/estimates-{name}.csv", to_csv(estimates).encode())
    key = f"{prefix}/report/report-{name}.html"
    store.put_if_absent(key, page.encode())
    return store.local_path(key) or f"{store.url}/{key}"


def count_samples(generation: Manifest, annotation: Manifest) -> dict[str, int]:
    """Return samples by status over a run, with `planned` and `missing` (in quarantined units of either stage)."""
    statuses: Counter[str] = Counter({"ok": 0, "refused": 0, "truncated": 0, "error": 0})
    for receipt in annotation.parts:
        statuses.update(receipt.statuses)
    return {"planned": generation.planned_rows, **statuses, "missing": generation.planned_rows - statuses.total()}


def _named(manifest: Manifest, name: str) -> Receipt:
    return next(receipt for receipt in manifest.parts if receipt.unit_id == name)


def _some_samples(run: FinishedRun) -> pa.Table:
    """Return a few annotated samples with their texts, evenly over the run and the same ones every time."""
    context, annotation = run.context, run.annotation
    parts = LabelledParts(context.store, context.annotation_schema, run.generation, annotation, run.judges)
    step = max(1, len(annotation.parts) // _SAMPLE_PARTS)
    tables = []
    for receipt in annotation.parts[::step][:_SAMPLE_PARTS]:
        part = parts.read(receipt)
        tables.append(part.annotations.append_column("text", part.completions["text"]).slice(0, _SAMPLES_A_PART))
    return pa.concat_tables(tables)


def provenance_rows(run: FinishedRun) -> list[tuple[str, str]]:
    """Return name and value of what a reader must know of how a run's texts and numbers came about."""
    context, config, generation = run.context, run.context.config, run.generation
    manifests = (*run.before_reduce, run.reduction)
    return [
        ("Model", f"{config.model.name}: {config.model.source}"),
        ("Licence of the model", config.model.license or "not stated"),
        *([("Note on the model", config.model.note)] if config.model.note else []),
        *(_imported(generation) if REPORT in generation.provenance else _drawn(config, generation)),
        *_labelled_by(run),
        ("Prompts x samples", f"{context.prompts.num_rows} x {samples_drawn(generation) or config.samples}"),
        ("Study version", f"{context.study.name} {context.study.version}"),
        ("Bootstrap", f"{config.statistics.replicates:,} replicates, seed {config.statistics.seed}"),
        ("Fingerprints", ", ".join(f"{m.stage} {m.fingerprint}" for m in manifests)),
        ("fairsweep", raylib.__version__),
    ]  # fmt: skip


def _header(run: FinishedRun, counts: Mapping[str, int]) -> RunHeader:
    config = run.context.config
    return RunHeader(
        run=config.run, study=config.study.name, model=config.shown_as, when=run.reduction.created, counts=counts,
        provenance=tuple(provenance_rows(run)), warnings=tuple(warning_lines(run, counts)),
        recompute=(
            f"python jobs/verify.py --config CONFIG --run {config.run}",
            f"python jobs/metrics.py --config CONFIG --run {config.run}",
        ),
    )  # fmt: skip


def _drawn(config: RunConfig, generation: Manifest) -> list[tuple[str, str]]:
    """Return how the texts came to be."""
    workers = generation.provenance.get("workers", [])
    return [
        *((f"Engine {place}", _engine(worker)) for place, worker in enumerate(workers, start=1)),
        ("Sampling", ", ".join(f"{name} {value}" for name, value in config.sampling.drawing().items() if value)),
        ("Seeds", f"run seed {config.seed}, {config.seeding.replace('_', ' ')}"),
    ]


def _imported(generation: Manifest) -> list[tuple[str, str]]:
    """Return where imported texts came from, and what did not fit."""
    report = generation.provenance[REPORT]
    files = [
        (f"File {place}", f"{file['name']}, sha256 {file['sha256']}") for place, file in enumerate(report["files"], 1)
    ]
    taken = f"{report['imported']:,} of {report['rows']:,} rows" + (f" of {report['model']}" if report["model"] else "")
    return [*files, ("Imported", taken), *(("Import", line) for line in findings(report)), ("Sampling", "not known")]


def _labelled_by(run: FinishedRun) -> list[tuple[str, str]]:
    """Return which models labelled, on what; nothing where none did."""
    one = run.context.labeller
    rows = _labeller_rows("", one, run.annotation) if one is not None else []
    for name, labeller in run.context.labellers.items():
        rows += _labeller_rows(f" {name}", labeller, run.judges[name])
    return rows


def _labeller_rows(name: str, labeller: LabellerConfig, labels: Manifest) -> list[tuple[str, str]]:
    adapter = f", adapter {labeller.adapter}" if labeller.adapter else ""
    prompt = f", prompt {labeller.prompt}" if labeller.prompt else ""
    facts = (worker["labeller"] for worker in labels.provenance.get("workers", []) if "labeller" in worker)
    return [
        (f"Labelling model{name}", f"{labeller.model.name}: {labeller.model.source}{adapter}{prompt}"),
        *((f"Labelling engine{name} {place}", _engine(worker)) for place, worker in enumerate(facts, start=1)),
    ]


def _engine(worker: Mapping[str, object]) -> str:
    text = f"{worker.get('engine')} {worker.get('version')} on {worker.get('device')}, {worker.get('dtype')}"
    return text + ("; the system prompt was folded into the user turn" if worker.get("system_folded") else "")


def warning_lines(run: FinishedRun, counts: Mapping[str, int]) -> list[str]:
    """Return what is missing from a run, and why."""
    lines = []
    if counts["missing"]:
        lines.append(
            f"{counts['missing']:,} of {counts['planned']:,} planned samples are missing: their units were given up."
        )
    for manifest in run.before_reduce:
        lines += [
            f"{manifest.stage}: unit {record['unit_id']} ({record['ids']} samples) was given up: {record['reason']}"
            for record in manifest.quarantined
        ]
    if counts.get(UNPARSED):
        lines.append(
            f"{counts[UNPARSED]:,} texts have no label, since the labelling model's answer could not be read; they are in no "
            "estimate, and may differ from the others."
        )
    if counts["error"]:
        lines.append(f"{counts['error']:,} samples ended in an error and are in no estimate.")
    return lines
