"""Stereotypes in a run's stories: search for identity terms, sample stories, code them, agreement, clusters."""

import sys

from raylib.pipeline.entry import run_parsed
from raylib.pipeline.stereotypes.arguments import parse_stereotypes
from raylib.pipeline.stereotypes.job import stereotypes

if __name__ == "__main__":
    sys.exit(run_parsed(__doc__, parse_stereotypes, stereotypes))
