"""A plan as one JSON object."""

import math
from typing import Any

from raylib.pipeline.planning.plan import RunPlan


def as_json(plan: RunPlan) -> dict[str, Any]:
    """Return a plan as JSON values; what is unknown or without bound is null."""
    size, tokens, pilot = plan.size, plan.tokens, plan.pilot
    value: dict[str, Any] = {
        "run": plan.config.run,
        "study": {"name": plan.config.study.name, "version": plan.study_version},
        "model": {"name": plan.config.model.name, "source": plan.config.model.source},
        "pilot": None
        if pilot is None
        else {
            "run": pilot.run,
            "finished": pilot.finished,
            "prompts": pilot.prompts,
            "samples_per_prompt": pilot.samples,
            "texts": pilot.texts,
            "statuses": dict(pilot.statuses),
        },
        "size": {
            "prompts": size.prompts,
            "samples_per_prompt": size.samples_per_prompt,
            "samples": size.samples,
            "units": size.units,
            "units_in_flight": size.resources.in_flight,
            "actors": list(size.resources.actors),
            "gpus_per_actor": size.resources.gpus,
            "cpus_per_actor": size.resources.cpus,
            "rests_on": "config",
        },
        "tokens": tokens._asdict(),
        "time": {
            "parameters": plan.parameters._asdict() if plan.parameters else None,
            "hours": [hours._asdict() for hours in plan.hours],
        },
        "cost": plan.cost._asdict(),
        "precision": {
            "target_half_width": plan.target,
            "confidence": 0.95,
            "assumed_correlation": plan.correlation.model_dump(),
            "shares": [line._asdict() for line in plan.precision],
        },
        "notes": list(plan.notes),
    }
    return {name: _finite(item) for name, item in value.items()}


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
