"""Run a whole audit: plan, generate, annotate, reduce, report. The same command again goes on where it was."""

import sys

from raylib.pipeline.chain import audit
from raylib.pipeline.entry import run_job

if __name__ == "__main__":
    sys.exit(run_job(__doc__, audit))
