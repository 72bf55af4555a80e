"""Build a table of race likelihoods of first names for the narratives study, and say what it holds."""

import argparse
import sys
from pathlib import Path

from raylib.pipeline.entry import guarded
from raylib.studies.narratives.names.building import SOURCES, Build, build_names
from raylib.studies.narratives.names.combining import MIN_COUNT


def main() -> int:
    """Parse the command line, build, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", required=True, type=Path, metavar="FILE.parquet")
    parser.add_argument("--source", nargs="+", action="extend", metavar="SOURCE", dest="sources",
                        help=f"{', '.join(SOURCES)} or the YAML file of your own table; each race comes from the first "
                             "that has it (default: census2020)")  # fmt: skip
    parser.add_argument("--min-count", type=int, default=MIN_COUNT, metavar="N",
                        help=f"leave out names of fewer people (default: {MIN_COUNT})")  # fmt: skip
    parser.add_argument("--check", type=Path, metavar="NAMES.txt", help="say how many of these names are covered")
    arguments = parser.parse_args()
    build = Build(arguments.out, arguments.sources or ["census2020"], arguments.min_count, arguments.check)
    return guarded(lambda: print("\n".join(build_names(build))))


if __name__ == "__main__":
    sys.exit(main())
