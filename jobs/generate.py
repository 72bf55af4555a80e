"""Generate the completions of a run and commit them to its store."""

import sys

from raylib.pipeline.chain import generate
from raylib.pipeline.entry import run_job

if __name__ == "__main__":
    sys.exit(run_job(__doc__, generate))
