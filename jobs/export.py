"""Write a run's result tables to a folder: Parquet, CSV, LaTeX, a Hugging Face datasets folder."""

import argparse
import sys

from raylib.pipeline.entry import guarded, logging_to_stderr
from raylib.pipeline.export import export_run


def main() -> int:
    """Parse the command line and write the folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", required=True, metavar="FILE", help="run config")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="overrides")
    parser.add_argument("--run", metavar="NAME", help="name of the run, instead of the config's")
    parser.add_argument("--to", required=True, metavar="DIR", help="a new folder, or an earlier export of the run")
    parser.add_argument("--format", default="parquet,csv,latex", metavar="LIST", help="also: datasets")
    arguments = parser.parse_args()
    logging_to_stderr()
    return guarded(lambda: export_run(arguments))


if __name__ == "__main__":
    sys.exit(main())
