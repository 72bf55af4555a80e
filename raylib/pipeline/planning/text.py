"""A plan as text for a terminal: five sections, at most 80 columns."""

import math
import textwrap
from collections.abc import Iterator

from raylib.pipeline.estimate import actors_in_words
from raylib.pipeline.planning.hours import Hours
from raylib.pipeline.planning.plan import RunPlan
from raylib.pipeline.planning.precision import ASSUMED, MEASURED, SHARE_MEASURED, Precision, unreachable, widest

_COLUMNS = 80
_LABEL = 16
NO_HOURS = {"scripted": "none: the scripted engine runs no model", "openai": "none here: the model is behind an API"}
"""Why an engine takes no hours of a GPU of ours, by its kind."""


def as_text(plan: RunPlan) -> str:
    """Return a plan as aligned text; every figure with what it rests on."""
    return "\n".join(line.rstrip() for line in _lines(plan))


def _lines(plan: RunPlan) -> Iterator[str]:
    config, study = plan.config, plan.config.study.name
    yield from _row("run", f"{config.run}: {study} (version {plan.study_version}), model {config.model.name}")
    for note in plan.notes:
        yield from _row("note", note)
    yield "\nsize (from the config)"
    yield from _size(plan)
    yield "\ntokens"
    yield from _tokens(plan)
    yield "\ntime (to write the new tokens; starting the engine, some minutes, comes on top)"
    yield from _time(plan)
    yield "\ncost"
    cost, most = plan.cost, "at most " if plan.tokens.new_is_bound else "about "
    yield from _row(
        "API", f"unknown: {cost.rests_on}" if cost.usd is None else f"{most}${cost.usd:,.2f} ({cost.rests_on})"
    )
    yield "\nprecision (half width of a 95% interval by prompt; the widest share of each)"
    yield from _precision(plan)


def _row(label: str, text: str) -> Iterator[str]:
    yield from textwrap.wrap(
        text, _COLUMNS, initial_indent=f"  {label:<{_LABEL}}", subsequent_indent=" " * (_LABEL + 2)
    )


def _size(plan: RunPlan) -> Iterator[str]:
    size, cut = plan.size, plan.config.units
    yield from _row("prompts", f"{size.prompts:,}")
    most = "" if plan.config.sampling.until is None else "at most "
    yield from _row("samples", f"{most}{size.samples:,} ({most}{size.samples_per_prompt:,} a prompt)")
    most = f"at most {cut.prompts:,} prompts x {cut.samples:,} samples"
    yield from _row("units", f"{size.units:,} ({most}; {size.resources.in_flight} in flight an actor)")
    yield from _row("actors", actors_in_words(size.resources))


def _tokens(plan: RunPlan) -> Iterator[str]:
    tokens, pilot = plan.tokens, plan.pilot
    yield from _row("prompt tokens", f"about {tokens.prompt:,.0f} ({tokens.prompt_rests_on})")
    how = "at most" if tokens.new_is_bound else "about"
    bound = "" if tokens.new_is_bound else f"; at most {tokens.new_at_most:,}"
    yield from _row("new tokens", f"{how} {tokens.new:,.0f} ({tokens.new_rests_on}{bound})")
    if pilot is not None:
        shares = ", ".join(f"{status} {share:.1%}" for status, share in pilot.statuses.items())
        yield from _row("statuses", f"{shares} (pilot {pilot.run})")


def _time(plan: RunPlan) -> Iterator[str]:
    kind = plan.config.model.engine.kind
    if kind != "vllm":
        yield from _row("parameters", NO_HOURS[kind])
    elif plan.parameters is None:
        yield from _row("parameters", "unknown: the model's name does not say; give --parameters 7b (or 135m, 8x7b)")
    else:
        yield from _row("parameters", f"{plan.parameters.text} ({plan.parameters.rests_on})")
    for hours in plan.hours:
        fits = len(hours.device) < _LABEL
        yield from _row(
            hours.device if fits else "pilot's", _hours(hours) if fits else f"{hours.device}: {_hours(hours)}"
        )
    if not plan.hours and kind != "openai":
        yield from _row("hours", "unknown: no speed is known" + (
            "; a finished run of this config as --pilot gives one" if plan.pilot is None else ""
        ))  # fmt: skip
    workers = plan.size.resources
    if workers.actors[1] * max(workers.gpus, 1) > 1:
        each = f" x {workers.gpus:g} GPUs" if workers.gpus else ""
        yield from _row(
            "elapsed", f"those hours over the actors at work, {workers.actors[0]} to {workers.actors[1]}{each}"
        )


def _hours(hours: Hours) -> str:
    if hours.low is None or hours.high is None or hours.tokens_per_s is None:
        return f"unknown: {hours.rests_on}"
    slow, fast = hours.tokens_per_s
    rate = f"{slow:,.0f} tokens/s" if slow == fast else f"{slow:,.0f}-{fast:,.0f} tokens/s"
    copies = f"; {hours.devices_needed} hold a copy" if hours.devices_needed > 1 else ""
    return f"{low_to_high(hours.low, hours.high)} {hours.unit} ({hours.basis}: {rate}{copies})"


def _precision(plan: RunPlan) -> Iterator[str]:
    lines = widest(plan.precision)
    for basis, text in _bases(plan).items():
        block = [line for line in lines if line.basis == basis]
        if block:
            yield from _row(basis, text)
            yield f"  {'cell':<24}{'share':<12}{'half width':<14}samples a prompt for {plan.target:g}"
            yield from (_line(line) for line in block)
    if any(math.isinf(line.samples_needed[1]) for line in lines):
        yield from textwrap.wrap(
            f"Not reachable, never: the cell's prompts differ more than {plan.target:g} allows, however many samples each has. "
            "More prompts are needed, not more samples; the floor is the best that these prompts can give.",
            _COLUMNS, initial_indent="  ", subsequent_indent="  ",
        )  # fmt: skip


def _bases(plan: RunPlan) -> dict[str, str]:
    """Return what the lines rest on, in words, by their basis."""
    low, high = plan.correlation.low, plan.correlation.high
    alike = f"correlation of a prompt's texts {low:g} to {high:g}"
    pilot = plan.pilot
    seen = f"pilot {pilot.run}: {pilot.prompts} prompts x {_plain(pilot.samples)} samples" if pilot else ""
    return {
        MEASURED: f"{seen}; at the correlation that it measured and at the upper 90% bound; for likelihoods (race) from "
        "all to none of their variation within prompts",
        SHARE_MEASURED: f"{seen}; {alike} assumed",
        ASSUMED: f"{alike}, one observation a sample, the study's comparison shares",
    }


def _line(line: Precision) -> str:
    share = f"{line.axis} {line.group}"
    return f"  {line.cell[:23]:<24}{share[:11]:<12}{_widths(line.half_width):<14}{_needed(line)}"


def _needed(line: Precision) -> str:
    low, high = line.samples_needed
    if line.prompts < 2:
        return "not reachable: one prompt"
    if unreachable(line):
        return f"not reachable: floor {line.floor[0]:.3f}"
    if math.isinf(high):
        return f"{low:,.0f} to never: floor {line.floor[1]:.3f}"
    return f"{low:,.0f}" if low == high else f"{low:,.0f} to {high:,.0f}"


def _widths(pair: tuple[float, float]) -> str:
    low, high = (f"{value:.3f}" if math.isfinite(value) else "unknown" for value in pair)
    return low if low == high else f"{low}-{high}"


def _plain(number: float) -> str:
    return f"{number:,.1f}".removesuffix(".0")


def low_to_high(low: float, high: float) -> str:
    """Return a range of hours: "1.1 to 4.6", or one number where both ends read alike."""
    first, second = (f"{value:,.0f}" if value >= 10 else f"{value:.2g}" for value in (low, high))
    return first if first == second else f"{first} to {second}"
