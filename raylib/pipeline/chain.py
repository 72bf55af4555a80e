"""The stages of a run, each from the manifest of the one before; `audit` is all of them."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from raylib.config.run import RunConfig
from raylib.errors import DataError
from raylib.pipeline.annotate import STAGE as ANNOTATE
from raylib.pipeline.annotate import annotation_identity, plan_annotate
from raylib.pipeline.arguments import Arguments
from raylib.pipeline.comparison import write_comparison
from raylib.pipeline.context import Context, check_claim, claim_run
from raylib.pipeline.generate import STAGE as GENERATE
from raylib.pipeline.generate import generation_identity, plan_generate
from raylib.pipeline.imported import checked_import, import_options
from raylib.pipeline.judges import judges_identity, plan_combination, read_judges
from raylib.pipeline.labelling import labeller_identity, prepare_labeller
from raylib.pipeline.models import prepare_model
from raylib.pipeline.planning.dry_run import dry_run
from raylib.pipeline.reduce import STAGE as REDUCE
from raylib.pipeline.reduce import reduce_parts
from raylib.pipeline.report import FinishedRun, write_report
from raylib.pipeline.rounds import draw_until, drawn_plan
from raylib.pipeline.session import RaySession
from raylib.pipeline.stage import StageRun, run_stage
from raylib.pipeline.stream import still_at_work
from raylib.pipeline.sweep import Together, each_run
from raylib.store.manifests import Manifest, manifest_reference, read_manifest, staleness, write_manifest

LOG = logging.getLogger(__name__)


class Chain:
    """The stages of one run. Each method brings its stage to a manifest, or returns the one that is there."""

    def __init__(self, context: Context, session: RaySession) -> None:
        self._context = context
        self._session = session
        self._around: StageRun | None = None

    @property
    def around(self) -> StageRun:
        """The probed store and what else stages need; made once."""
        if self._around is None:
            self._around = self._context.begin(self._session)
            check_claim(self._context, run_identity(self._context))
        return self._around

    def generate(self) -> Manifest:
        """Bring the completions to the store; with `sampling.until` their labels too, which say when to stop."""
        context = self._context
        plan = plan_generate(context.config, context.prompts)  # first: a mistake in it leaves nothing on the store
        around = self.around

        def prepare() -> None:
            prepare_model(context.config)

        def claim() -> None:
            claim_run(context, run_identity(context))

        if context.config.sampling.until is not None:
            return draw_until(context, around, prepare, claim)
        if plan.in_driver:  # imported texts: trying a row again would give the same row
            plan = checked_import(plan, around.store, around.run, around.limits)
            around = replace(around, retry=False)
        return run_stage(plan, around, prepare, claim)

    def annotate(self) -> Manifest:
        """Label the completions of the generate manifest; with several labellers one after the other, then all together."""
        context, around = self._context, self.around
        generation, reference = self._read(GENERATE)
        planned = drawn_plan(context, generation)
        judges = {}
        for name, labeller in context.labellers.items():
            plan = plan_annotate(context, planned, generation, reference, judge=name)
            judges[name] = run_stage(plan, around, before_work=partial(prepare_labeller, context.config, labeller))
        if judges:
            return run_stage(plan_combination(context, planned, generation, reference, judges), around)
        plan = plan_annotate(context, planned, generation, reference)
        return run_stage(plan, around, before_work=lambda: prepare_labeller(context.config, context.labeller))

    def reduce(self) -> Manifest:
        """Compute the estimates from the annotate manifest."""
        _ = self.around
        annotation, reference = self._read(ANNOTATE, made_from=GENERATE)
        manifest = reduce_parts(self._context, self._session, annotation, reference)
        write_manifest(self._context.store, manifest)
        return manifest

    def report(self) -> str:
        """Write the report and return where a person finds it."""
        return write_report(self.finished())

    def finished(self) -> FinishedRun:
        """Return the manifests of all stages. Raises DataError where one is missing or older than its parent."""
        _ = self.around
        generation, _ref = self._read(GENERATE)
        annotation, _ref = self._read(ANNOTATE, made_from=GENERATE)
        reduction, _ref = self._read(REDUCE, made_from=ANNOTATE)
        return FinishedRun(self._context, generation, annotation, reduction, read_judges(self._context))

    def _read(self, stage: str, made_from: str | None = None) -> tuple[Manifest, Mapping[str, str]]:
        store, run = self._context.store, self._context.config.run
        manifest = read_manifest(store, run, stage)
        stale = staleness(store, manifest, made_from) if made_from else None
        if stale:
            raise DataError(f"run {run!r}: {stale}")
        return manifest, manifest_reference(store, run, stage)


def run_identity(context: Context) -> dict[str, object]:
    """Return what a run's name stands for: two starts under one name must agree on it."""
    config = context.config
    until = config.sampling.until
    judges = judges_identity(context)
    return {
        **_labelled_by(context),
        **({"labellers": judges} if judges else {}),
        "generation": generation_identity(config),
        "study": {"name": context.study.name, "options": dict(context.options.options)},
        "samples": config.samples,
        "units": config.units.model_dump(mode="json"),  # another cut would generate every text again
        "statistics": config.statistics.model_dump(mode="json"),
        "prompts": context.prompts.num_rows,
        **({"until": until.model_dump(mode="json")} if until is not None else {}),
    }


def _labelled_by(context: Context) -> dict[str, object]:
    """Return what the run's one labeller is; its wording by content where it has its own, and options do not name it."""
    labeller = context.labeller
    if labeller is None or labeller.prompt is None:
        return labeller_identity(context.config, labeller)
    identity = annotation_identity(context, labeller)
    return {"labeller": {**identity["labeller"], "annotation": identity["annotation"]}}


def _run(arguments: Arguments, *stages: str) -> None:
    sweep = arguments.sweep()
    if arguments.dry_run:
        print(dry_run(sweep, arguments))
        return
    with RaySession(sweep.runs[0].resources, may_work=not arguments.finished) as session:

        def chain(config: RunConfig) -> Chain:
            return Chain(Context(config, arguments.limit, arguments.retry), session)

        def run(config: RunConfig) -> str | None:
            of_this = chain(config)
            answers = [getattr(of_this, stage)() for stage in stages]
            return answers[-1] if stages[-1] == "report" else None

        def compare(finished: Sequence[RunConfig], failed: Sequence[RunConfig]) -> str:
            runs = [chain(config).finished() for config in finished]
            return write_comparison(sweep.name, runs, [config.shown_as for config in failed])

        def make_room() -> None:
            if still_at_work():
                session.leave()  # the next model begins on a Ray of its own

        together = Together(compare, also_without_some=not arguments.finished) if stages[-1] == "report" else None
        each_run(sweep, run, together, after_failure=make_room)


def audit(arguments: Arguments) -> None:
    """Run the whole chain and print the report's path."""
    _run(arguments, "generate", "annotate", "reduce", "report")


def generate(arguments: Arguments) -> None:
    """Run the generate stage."""
    _run(arguments, "generate")


def import_completions(arguments: Arguments) -> None:
    """Run the generate stage of a run whose texts somebody else generated.

    Raises:
        ConfigError: the run has a model.
    """
    import_options(arguments.load())
    _run(arguments, "generate")


def annotate(arguments: Arguments) -> None:
    """Run the annotate stage."""
    _run(arguments, "annotate")


def metrics(arguments: Arguments) -> None:
    """Run the reduce stage."""
    _run(arguments, "reduce")


def report(arguments: Arguments) -> None:
    """Write the report and print its path."""
    _run(arguments, "report")
