"""The command line of the jobs that train, and what they all do with it."""

import argparse
import json
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from raylib.config.loading import load_config
from raylib.config.training import TrainConfig
from raylib.pipeline.arguments import bare_parser
from raylib.pipeline.training.plan import plan_training
from raylib.pipeline.training.train import train, usage_lines
from raylib.training.training_set import TrainingSet

C = TypeVar("C", bound=TrainConfig)


class TrainArguments(NamedTuple):
    """What a training job was asked to do."""

    config: str
    overrides: tuple[str, ...]
    dry_run: bool
    finished: bool


def parse_training(description: str, prog: str, argv: list[str] | None = None) -> TrainArguments:
    """Return the arguments. Raises ConfigError for a wrong one (exit code 2)."""
    parser = bare_parser(description, prog)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--config", required=True, metavar="FILE", help="e.g. configs/training/extractor.yaml")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="overrides",
                        help="override a key, e.g. --set training.epochs=3 (repeatable)")  # fmt: skip
    parser.add_argument("--run", metavar="NAME", help="name of the run and its adapter, instead of the config's")
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")
    parser.add_argument(
        "--finished", action="store_true", help="only print the result if it is there, else exit with 5"
    )
    found = parser.parse_args(argv)
    named = [f"run={json.dumps(found.run)}"] if found.run is not None else []
    return TrainArguments(found.config, (*found.overrides, *named), found.dry_run, found.finished)


def run_training(arguments: TrainArguments, kind: type[C], examples: Callable[[C], TrainingSet]) -> None:
    """Load the config as `kind`, build its examples, train (or say what would be done), and print where the adapter is.

    Raises:
        FairsweepError: as `plan_training` and `train`.
    """
    config = load_config(arguments.config, kind, arguments.overrides)
    training_set = examples(config)
    if arguments.dry_run:
        print("\n".join(plan_training(config, training_set).lines()))
        return
    trained = train(config, training_set, may_work=not arguments.finished)
    print("\n".join(usage_lines(trained, config)))
