"""Say what a run takes and what it will show, before it runs: from a pilot, or from assumptions named as such."""

import sys

from raylib.pipeline.entry import run_parsed
from raylib.pipeline.planning.arguments import parse_plan
from raylib.pipeline.planning.job import plan

if __name__ == "__main__":
    sys.exit(run_parsed(__doc__, parse_plan, plan))
