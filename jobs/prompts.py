"""Write a study's prompts to a Parquet file."""

import argparse
import sys

from raylib.pipeline.entry import guarded, logging_to_stderr
from raylib.pipeline.prompts import write_prompts


def main() -> int:
    """Parse the command line and write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", required=True, metavar="FILE", help="a study or run config")
    parser.add_argument("--out", required=True, metavar="FILE.parquet")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="overrides")
    arguments = parser.parse_args()
    logging_to_stderr()
    return guarded(lambda: write_prompts(arguments))


if __name__ == "__main__":
    sys.exit(main())
