"""Compute a run's estimates and their intervals from its annotations."""

import sys

from raylib.pipeline.chain import metrics
from raylib.pipeline.entry import run_job

if __name__ == "__main__":
    sys.exit(run_job(__doc__, metrics))
