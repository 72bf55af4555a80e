"""The command line of `jobs/plan.py`."""

import argparse
from collections.abc import Callable
from typing import NamedTuple

from raylib.pipeline.arguments import Arguments, run_parser
from raylib.pipeline.planning.hours import parameters_in


class PlanArguments(NamedTuple):
    """What a plan was asked for."""

    run: Arguments
    pilot: str | None = None
    half_width: float = 0.02
    parameters: str | None = None
    prices: str | None = None
    assumptions: str | None = None
    json: bool = False


def parse_plan(description: str, prog: str, argv: list[str] | None = None) -> PlanArguments:
    """Return the arguments of the plan job. Raises ConfigError for a wrong one (exit code 2)."""
    parser = run_parser(description, prog)
    add: Callable[..., object] = parser.add_argument
    add("--pilot", metavar="RUN", help="a run on the same store, finished or not, to measure instead of assuming")
    add("--half-width", type=_half_width, default=0.02, metavar="H", help="wanted half width of a share (0.02)")
    add(
        "--parameters", type=_parameters, metavar="SIZE", help="size of the model where its name does not say: 7b, 8x7b"
    )
    add("--prices", metavar="FILE", help="dollars a million tokens, e.g. configs/prices/example.yaml")
    add("--assumptions", metavar="FILE", help="speeds and correlation, instead of the package's own")
    add("--json", action="store_true", help="print one JSON object instead of text")
    found = parser.parse_args(argv)
    return PlanArguments(
        Arguments(found.config, tuple(found.overrides), found.run, found.limit, dry_run=True, retry=False),
        found.pilot, found.half_width, found.parameters, found.prices, found.assumptions, found.json,
    )  # fmt: skip


def _half_width(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 0.5:
        raise argparse.ArgumentTypeError(f"{text!r} is not a half width of a share: give one between 0 and 0.5")
    return value


def _parameters(text: str) -> str:
    found = parameters_in(text.strip())
    if found is None or found[1] != text.strip().lower():
        raise argparse.ArgumentTypeError(f"{text!r} is not a model's size: write 135m, 7b or 8x7b")
    return found[1]
