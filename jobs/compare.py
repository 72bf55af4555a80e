"""Compare two finished runs of one study: paired differences, what could have been found, prompts that flipped."""

import sys

from raylib.pipeline.compare.arguments import parse_compare
from raylib.pipeline.compare.job import compare
from raylib.pipeline.entry import run_parsed

if __name__ == "__main__":
    sys.exit(run_parsed(__doc__, parse_compare, compare))
