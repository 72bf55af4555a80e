"""What `jobs/plan.py` does: make the plan of each model, print it, and what they take together."""

import json

from raylib.pipeline.planning.arguments import PlanArguments
from raylib.pipeline.planning.as_json import as_json
from raylib.pipeline.planning.plan import make_plans
from raylib.pipeline.planning.text import as_text
from raylib.pipeline.planning.total import total_lines


def plan(arguments: PlanArguments) -> None:
    """Print the plan of a run, or of each model's. Raises ConfigError (exit code 2) for whatever was asked wrongly."""
    plans = make_plans(arguments)
    if arguments.json:
        value: object = as_json(plans[0]) if len(plans) == 1 else [as_json(found) for found in plans]
        print(json.dumps(value, indent=1, allow_nan=False))
        return
    print("\n\n".join(as_text(found) for found in plans))
    if len(plans) > 1:
        print("\n" + "\n".join(total_lines(plans)))
