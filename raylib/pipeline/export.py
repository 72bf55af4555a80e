"""The export job: a run config and a folder in, files out."""

import argparse

from raylib.pipeline.arguments import Arguments
from raylib.results import open_run
from raylib.results.export import export


def export_run(arguments: argparse.Namespace) -> None:
    """Write the results of the run that a config names to `arguments.to`, and print the files.

    Raises:
        ConfigError: the config is wrong, the store has no such run, a format is unknown, or the folder is taken.
        DataError: the run has no results yet, or they are damaged.
    """
    chosen = Arguments(arguments.config, tuple(arguments.overrides), arguments.run, None, dry_run=False, retry=False)
    config = chosen.load()
    store = config.store.model_dump()
    formats = [name.strip() for name in arguments.format.split(",") if name.strip()]
    for path in export(open_run(store.pop("url"), config.run, **store), arguments.to, formats):
        print(path)
