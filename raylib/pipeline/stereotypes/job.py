"""Which function stands behind which command of `jobs/stereotypes.py`."""

from argparse import Namespace


def stereotypes(arguments: Namespace) -> None:
    """Do what the command line asks for. Imports late: help, and a mistake in the command line, need no study."""
    from raylib.pipeline.stereotypes import coding, run

    commands = {
        "search": run.search,
        "sample": run.sample,
        "sheet": coding.sheet,
        "agreement": coding.agreement,
        "clusters": coding.clusters,
    }
    commands[arguments.command](arguments)
