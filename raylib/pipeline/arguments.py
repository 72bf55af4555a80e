"""The command line that all jobs share."""

import argparse
import json
from collections.abc import Sequence
from typing import NamedTuple

from raylib.config.run import RunConfig
from raylib.config.sweep import Sweep, load_sweep
from raylib.errors import ConfigError


class Arguments(NamedTuple):
    """What a job was asked to do."""

    config: str
    overrides: tuple[str, ...]
    run: str | None
    limit: int | None
    dry_run: bool
    retry: bool
    finished: bool = False

    def sweep(self) -> Sweep:
        """Return the run, or the runs of several models, that the config stands for, `--set` and `--run` applied."""
        overrides = [*self.overrides, *([f"run={json.dumps(self.run)}"] if self.run is not None else [])]
        return load_sweep(self.config, overrides)

    def load(self) -> RunConfig:
        """Return the one run of the config. Raises ConfigError where it names several models."""
        runs = self.sweep().runs
        if len(runs) > 1:
            raise ConfigError(
                f"{self.config} names {len(runs)} models and this job takes one: choose it with --set models=[NAME]"
            )
        return runs[0]


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]
        raise ConfigError(f"{message}. See: python jobs/{self.prog} --help")


def bare_parser(description: str, prog: str) -> argparse.ArgumentParser:
    """Return a parser without options, whose errors are ConfigErrors; so are those of its sub-commands."""
    return _Parser(prog=prog, description=description)


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say which run is meant."""
    parser.add_argument("--config", required=True, metavar="FILE", help="run config, e.g. configs/runs/quickstart.yaml")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="overrides",
                        help="override a key, e.g. --set sampling.top_p=0.9 (repeatable)")  # fmt: skip
    parser.add_argument("--run", metavar="NAME", help="name of the run, instead of the config's")
    parser.add_argument("--limit", type=_positive, metavar="N", help="use the first N prompts only")


def run_parser(description: str, prog: str) -> argparse.ArgumentParser:
    """Return the parser with the options that say which run is meant."""
    result = bare_parser(description, prog)
    add_run_options(result)
    return result


def parser(description: str, prog: str) -> argparse.ArgumentParser:
    """Return the parser with the options that every job of the chain takes."""
    result = run_parser(description, prog)
    result.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")
    result.add_argument("--retry", action="store_true", help="try quarantined units and failed samples again")
    result.add_argument(
        "--finished", action="store_true", help="only print the result if all is done, else exit with 5"
    )
    return result


def parse(description: str, prog: str, argv: Sequence[str] | None = None) -> Arguments:
    """Return the arguments of a job. Raises ConfigError for a wrong one (exit code 2)."""
    found = parser(description, prog).parse_args(argv)
    return Arguments(
        found.config, tuple(found.overrides), found.run, found.limit, found.dry_run, found.retry, found.finished
    )


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive whole number")
    return int(text)
