"""What the runs of one config take together."""

import textwrap
from collections.abc import Iterator, Sequence

from raylib.pipeline.planning.hours import Hours
from raylib.pipeline.planning.plan import RunPlan
from raylib.pipeline.planning.text import low_to_high

COLUMNS = 80
_LABEL = 14


def row(label: str, text: str) -> str:
    """Return a label and its text in at most 80 columns."""
    return textwrap.fill(
        text, COLUMNS, initial_indent=f"{label:<{_LABEL}} ", subsequent_indent=" " * (_LABEL + 1),
        break_on_hyphens=False,
    )  # fmt: skip


def total_lines(plans: Sequence[RunPlan]) -> Iterator[str]:
    """Yield the sums over several runs; where one of them is unknown, that is said."""
    yield row("total", f"{len(plans)} runs")
    yield row("samples", f"{sum(plan.size.samples for plan in plans):,}")
    yield row("units", f"{sum(plan.size.units for plan in plans):,}")
    yield row("prompt tokens", f"about {sum(plan.tokens.prompt for plan in plans):,.0f}")
    yield row("new tokens", f"{_most(plans)} {sum(plan.tokens.new for plan in plans):,.0f}")
    yield row("GPU hours", _gpu_hours([plan for plan in plans if plan.config.model.engine.kind == "vllm"]))
    yield row("API cost", _cost([plan for plan in plans if plan.config.model.engine.kind == "openai"]))


def _most(plans: Sequence[RunPlan]) -> str:
    return "at most" if any(plan.tokens.new_is_bound for plan in plans) else "about"


def _gpu_hours(plans: Sequence[RunPlan]) -> str:
    if not plans:
        return "none: no model runs here"
    known = [{hours.device: (hours.low, hours.high) for hours in gpu_hours(plan)} for plan in plans]
    devices = [device for device in known[0] if all(device in one for one in known)]
    parts = []
    for device in devices:
        low, high = (sum(one[device][end] or 0.0 for one in known) for end in (0, 1))
        parts.append(f"{device} {low_to_high(low, high)}")
    names = ", ".join(dict.fromkeys(plan.config.model.name for plan in plans))
    return f"{'; '.join(parts) or 'unknown, see above'} ({names})"


def gpu_hours(plan: RunPlan) -> list[Hours]:
    """Return the hours of the GPUs for which there is a figure."""
    return [hours for hours in plan.hours if hours.unit == "GPU hours" and hours.low is not None]


def _cost(plans: Sequence[RunPlan]) -> str:
    if not plans:
        return "none: no model is behind an API"
    unknown = [plan.config.model.name for plan in plans if plan.cost.usd is None]
    usd = sum(plan.cost.usd or 0.0 for plan in plans)
    if len(unknown) == len(plans):
        return "unknown, see above"
    lacking = f"; without {', '.join(dict.fromkeys(unknown))}, whose price is unknown" if unknown else ""
    return f"{_most(plans)} ${usd:,.2f}{lacking}"
