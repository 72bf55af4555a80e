"""A plan, whole: size, tokens, time, cost and precision of a run, each with what it rests on."""

from collections.abc import Mapping
from typing import NamedTuple

from raylib.config.imported import ImportedOptions
from raylib.config.run import RunConfig, UntilConfig
from raylib.errors import ConfigError
from raylib.pipeline.context import Context, first_difference
from raylib.pipeline.estimate import WORDS_TO_TOKENS, Size, size_of
from raylib.pipeline.generate import generation_identity
from raylib.pipeline.planning.arguments import PlanArguments
from raylib.pipeline.planning.assumptions import Assumptions, Correlation, load_assumptions
from raylib.pipeline.planning.cost import Cost, api_cost, price_table
from raylib.pipeline.planning.hours import Hours, Parameters, assumed_hours, parameters_of
from raylib.pipeline.planning.pilot import Pilot, read_pilot
from raylib.pipeline.planning.pilot_sums import asked_of, counts_of
from raylib.pipeline.planning.precision import PilotCell, Plan, Precision, assumed, measured
from raylib.studies.sums import read_cells


class Tokens(NamedTuple):
    """Tokens of the whole run."""

    prompt: float
    prompt_rests_on: str
    new: float
    """Expected with a pilot, else the most that there can be."""
    new_is_bound: bool
    new_at_most: int
    new_rests_on: str


class RunPlan(NamedTuple):
    """Everything that `jobs/plan.py` says."""

    config: RunConfig
    study_version: str
    size: Size
    tokens: Tokens
    parameters: Parameters | None
    hours: tuple[Hours, ...]
    cost: Cost
    target: float
    correlation: Correlation
    """Assumed for shares of which no pilot saw enough."""
    precision: tuple[Precision, ...]
    pilot: Pilot | None
    notes: tuple[str, ...]
    """What the reader must know: how the pilot differs, what it lacks."""


def make_plans(arguments: PlanArguments) -> list[RunPlan]:
    """Return the plan of each run of a config, one a model. Raises as `make_plan` does."""
    return [make_plan(config, arguments) for config in arguments.run.sweep().runs]


def make_plan(config: RunConfig, arguments: PlanArguments) -> RunPlan:
    """Return the plan of a run. No Ray is started, no model loaded, nothing written.

    Raises:
        ConfigError: a wrong config, pilot, price table or file of assumptions (one line).
        DataError: the pilot's records cannot be read.
    """
    if isinstance(config.model.engine, ImportedOptions):
        raise ConfigError(
            f"run {config.run!r} imports its texts, so there is nothing to plan: jobs/import_completions.py with --dry-run "
            "says what it would take"
        )
    context = Context(config, arguments.run.limit)
    assumptions = load_assumptions(arguments.assumptions)
    size = size_of(context)
    pilot = read_pilot(context.store, arguments.pilot, context.study.name) if arguments.pilot is not None else None
    differences = _differences(pilot, config) if pilot else {}
    tokens = _tokens(size, config, pilot)
    parameters = parameters_of(config.model, arguments.parameters)
    return RunPlan(
        config=config,
        study_version=context.study.version,
        size=size,
        tokens=tokens,
        parameters=parameters,
        hours=_hours(config, tokens, parameters, assumptions, pilot if "model" not in differences else None),
        cost=api_cost(config.model.name, price_table(arguments.prices, config), tokens.prompt, tokens.new),
        target=arguments.half_width,
        correlation=assumptions.correlation,
        precision=_precision(context, arguments, assumptions, pilot),
        pilot=pilot,
        notes=_notes(config.sampling.until, pilot, differences),
    )


def _tokens(size: Size, config: RunConfig, pilot: Pilot | None) -> Tokens:
    measured_tokens = pilot.tokens if pilot is not None else None
    if pilot is None or measured_tokens is None:
        return Tokens(
            size.prompt_tokens, f"assumed: {WORDS_TO_TOKENS} a word", size.new_tokens, True, size.new_tokens,
            f"upper bound: sampling.max_tokens = {config.sampling.max_tokens} a sample",
        )  # fmt: skip
    n = f"pilot {pilot.run}, n={measured_tokens.texts:,}"
    mean = min(measured_tokens.new, config.sampling.max_tokens)
    return Tokens(
        measured_tokens.prompt * size.samples, f"{measured_tokens.prompt:.1f} a sample: {n}", mean * size.samples, False,
        size.new_tokens, f"{mean:.1f} a sample: {n}",
    )  # fmt: skip


def _hours(
    config: RunConfig, tokens: Tokens, parameters: Parameters | None, assumptions: Assumptions, pilot: Pilot | None
) -> tuple[Hours, ...]:
    """Return the measured hours first, then the assumed ones of each device that may be meant."""
    hours = []
    if pilot is not None and pilot.speed is not None:
        speed, gpus = pilot.speed, pilot.speed.gpus_per_actor
        low, high = (tokens.new / rate / 3600 * (gpus or 1) for rate in (speed.high, speed.low))
        hours.append(
            Hours(
                " / ".join(speed.devices) or "as the pilot", "GPU hours" if gpus else "actor hours", low, high,
                (speed.low / (gpus or 1), speed.high / (gpus or 1)), int(gpus) or 1,
                f"pilot {pilot.run}: {speed.seconds:,.0f} s of one process, its loading included",
                f"pilot {pilot.run}",
            )
        )  # fmt: skip
    on_cpu = config.resources.gpus_per_actor == 0
    if parameters is not None and config.model.engine.kind == "vllm":
        devices = [device for device in assumptions.devices if device.memory_gb or on_cpu]
        hours += [assumed_hours(device, parameters.billions, tokens.new) for device in devices]
    return tuple(hours)


def _precision(
    context: Context, arguments: PlanArguments, assumptions: Assumptions, pilot: Pilot | None
) -> tuple[Precision, ...]:
    plan = Plan(context.config.samples, arguments.half_width, assumptions.correlation)
    shares = context.study.planned_shares(context.options, context.prompts)
    if pilot is None or pilot.sums is None:
        return tuple(assumed(share, plan) for share in shares)
    asked = asked_of(context.study, pilot)
    cells = read_cells(pilot.sums, context.study.measures)
    return tuple(
        measured(share, plan, PilotCell(pilot.run, counts_of(cells, share), *asked.get(share.cell, (0, 0.0))))
        for share in shares
    )


def _differences(pilot: Pilot, config: RunConfig) -> dict[str, str]:
    """Return the first difference of each part of what makes a text; another seed is none."""
    before, now = pilot.identity["generation"], generation_identity(config)
    return {
        key: first_difference(before.get(key, {}), now[key], f"{key}.")[0]
        for key in ("model", "sampling")
        if before.get(key) != now[key]
    }


def _notes(until: UntilConfig | None, pilot: Pilot | None, differences: Mapping[str, str]) -> tuple[str, ...]:
    notes = []
    if until is not None:
        notes.append("sampling.until may stop before its max: samples, tokens, hours and cost are at most these")
    if pilot is None:
        return tuple(notes)
    notes += [f"the pilot differs in {name}: what it measured may not hold here" for name in differences.values()]
    if "model" in differences:
        notes.append("the pilot's speed is left out, since its model is another or is run otherwise")
    elif pilot.speed is None:
        notes.append("the pilot has no record of its speed with its number of actors: speeds are assumed")
    if pilot.tokens is None:
        notes.append(
            "the pilot knows no tokens (its texts were imported, or its endpoint counts none): they are assumed"
        )
    cut = pilot.statuses.get("truncated", 0.0)
    if cut > 0.05 and "sampling" in differences:
        notes.append(f"{cut:.0%} of the pilot's texts were cut off by its max_tokens: longer ones may cost more")
    if pilot.sums is None:
        notes.append(f"the pilot has no sums (run jobs/metrics.py --run {pilot.run}): precision is assumed")
    if not pilot.finished:
        notes.append("the pilot is not finished: its first units may not be like the others")
    return tuple(notes)
