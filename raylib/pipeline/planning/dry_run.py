"""What `--dry-run` says: what each run of a config would do, take and cost. Nothing is started, fetched or written."""

import re
from collections.abc import Iterator

from raylib.config.run import ModelConfig
from raylib.config.sweep import Sweep
from raylib.pipeline.arguments import Arguments
from raylib.pipeline.context import Context
from raylib.pipeline.estimate import actors_in_words, import_rows, samples_in_words
from raylib.pipeline.planning.arguments import PlanArguments
from raylib.pipeline.planning.hours import Hours
from raylib.pipeline.planning.labelling import labelling_lines
from raylib.pipeline.planning.plan import RunPlan, make_plan
from raylib.pipeline.planning.text import NO_HOURS, low_to_high
from raylib.pipeline.planning.total import row, total_lines


def dry_run(sweep: Sweep, arguments: Arguments) -> str:
    """Return the plan of each run in at most 80 columns (paths aside), and the totals of several.

    Raises:
        ConfigError: the config names something that is wrong or missing (one line).
    """
    plans, blocks = [], []
    for config in sweep.runs:
        context = Context(config, arguments.limit)
        if rows := import_rows(context):
            blocks.append("\n".join(_line(label, text) for label, text in rows))
            continue
        plan = make_plan(config, PlanArguments(arguments))
        blocks.append("\n".join(_lines(context, plan)))
        plans.append(plan)
    if sweep.several and plans:
        blocks.append("\n".join(total_lines(plans)))
    return "\n\n".join(blocks)


def _line(label: str, text: str) -> str:
    """Return a row; a path is not broken."""
    return f"{label:<14} {text}" if label == "store" else row(label, text)


def _lines(context: Context, plan: RunPlan) -> Iterator[str]:
    config, size, model = plan.config, plan.size, plan.config.model
    yield row("run", config.run)
    yield row("study", f"{config.study.name} (version {plan.study_version})")
    yield row("model", f"{model.name} ({_where(model)})")
    if model.retired is not None:
        instead = f"; successor: {model.successor}" if model.successor else ""
        yield row("retired", f"{model.retired}{instead}. It can be planned, not run")
    if context.labellers:
        yield row("judges", f"{', '.join(context.labellers)}: each labels every sample")
    yield row("prompts", f"{size.prompts:,}")
    yield row("samples", samples_in_words(context, size))
    yield row("units", f"{size.units:,} ({size.resources.in_flight} in flight an actor)")
    yield row("prompt tokens", f"about {size.prompt_tokens:,}")
    yield row("new tokens", f"at most {size.new_tokens:,} ({config.sampling.max_tokens} a sample)")
    for unit, text in _hours(plan).items():
        yield row(unit, text)
    yield row("API cost", _cost(plan))
    for labeller in context.labellers.values() or filter(None, [context.labeller]):
        yield from labelling_lines(labeller, plan)
    yield row("actors", actors_in_words(size.resources))
    yield _line("store", config.store.url)
    yield row("fingerprint", size.fingerprint)


def _where(model: ModelConfig) -> str:
    if model.engine.kind == "openai":
        return f"{model.engine.model} at {model.engine.base_url}"
    return re.sub(r"(@[0-9a-f]{12})[0-9a-f]{28}$", r"\1", model.source)  # a commit, as git shortens it


def _hours(plan: RunPlan) -> dict[str, str]:
    """Return the hours by unit; the ranges are assumptions, and said to be."""
    kind = plan.config.model.engine.kind
    if kind != "vllm":
        return {"GPU hours": NO_HOURS[kind]}
    if plan.parameters is None:
        return {"GPU hours": "unknown: its name does not say how large it is; ask jobs/plan.py --parameters 7b"}
    units = dict.fromkeys(hours.unit for hours in plan.hours)
    return {
        unit: "; ".join(_device(hours) for hours in plan.hours if hours.unit == unit) + " (assumed)" for unit in units
    }


def _device(hours: Hours) -> str:
    if hours.low is None or hours.high is None:
        return f"{hours.device} unknown"
    return f"{hours.device} {low_to_high(hours.low, hours.high)}"


def _cost(plan: RunPlan) -> str:
    usd, rests_on = plan.cost
    if usd is not None:
        return f"at most ${usd:,.2f} ({rests_on})"
    if plan.config.model.engine.kind != "openai":
        return "none: it runs on your machines"
    return f"unknown: {rests_on}" if plan.config.prices else "unknown: name a table: prices: {use: example}"
