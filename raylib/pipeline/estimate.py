"""What a run would do, from its configuration alone: units, samples, tokens. Every plan begins with it."""

from typing import NamedTuple, cast

from raylib.config.imported import ImportedOptions
from raylib.config.run import UntilConfig
from raylib.pipeline.context import Context
from raylib.pipeline.generate import plan_generate
from raylib.pipeline.imported import ImportFactory, findings
from raylib.pipeline.unit import WorkerResources
from raylib.pipeline.until import Drawing, chunks_of

WORDS_TO_TOKENS = 1.35
"""A rule of thumb for English prompts; the models' own tokenizers are not loaded for a plan."""


class Size(NamedTuple):
    """How much a run asks for."""

    prompts: int
    samples_per_prompt: int
    samples: int
    units: int
    prompt_tokens: int
    """About, by `WORDS_TO_TOKENS`; each sample's prompt is counted."""
    new_tokens: int
    """At most: every completion as long as sampling.max_tokens lets it be."""
    resources: WorkerResources
    fingerprint: str


def size_of(context: Context) -> Size:
    """Return the size of a run, with `sampling.until` the largest that it may have; no model is loaded.

    Raises:
        ConfigError: the study watches nothing that `sampling.until` could wait for.
    """
    config = context.config
    chunks = None
    if until := config.sampling.until:
        everything = dict.fromkeys(_drawing(context, until).samples, until.max)
        chunks = chunks_of(until, everything)
    plan = plan_generate(config, context.prompts, chunks)
    words = sum(len(text.split()) for text in context.prompts["prompt"].to_pylist())
    return Size(
        prompts=context.prompts.num_rows,
        samples_per_prompt=config.samples,
        samples=plan.samples,
        units=len(plan.units),
        prompt_tokens=round(words * WORDS_TO_TOKENS) * config.samples,
        new_tokens=plan.samples * config.sampling.max_tokens,
        resources=plan.resources,
        fingerprint=plan.fingerprint,
    )


def import_rows(context: Context) -> list[tuple[str, str]]:
    """Return what an import would do; the files are read and checked for it. [] for a run that asks a model."""
    if not isinstance(context.config.model.engine, ImportedOptions):
        return []
    plan = plan_generate(context.config, context.prompts)
    report = cast(ImportFactory, plan.factory).read().report
    return [
        ("run", context.config.run),
        ("study", f"{context.study.name} (version {context.study.version})"),
        ("files", ", ".join(file["name"] for file in report["files"])),
        ("rows", f"{report['imported']:,} of {report['rows']:,} are imported"),
        *(("", line) for line in findings(report)),
        ("samples", f"{plan.samples:,} ({context.config.samples:,} of {context.prompts.num_rows:,} prompts)"),
        ("store", context.config.store.url),
        ("fingerprint", plan.fingerprint),
    ]


def actors_in_words(workers: WorkerResources) -> str:
    """Return how many actors there are and what each takes."""
    device = f"{workers.gpus:g} GPU" if workers.gpus else f"{workers.cpus:g} CPU"
    return f"{workers.actors[0]} to {workers.actors[1]}, each {device}"


def samples_in_words(context: Context, size: Size) -> str:
    """Return how many samples there are of a prompt and in all; with `sampling.until` at most, and the looks."""
    until = context.config.sampling.until
    if until is None:
        return f"{size.samples:,} ({size.samples_per_prompt:,} a prompt)"
    looks = ", ".join(f"{look:,}" for look in _drawing(context, until).looks)
    return f"at most {size.samples:,} ({looks} a prompt)"


def _drawing(context: Context, until: UntilConfig) -> Drawing:
    return Drawing(context.study, context.options, context.prompts, until)
