"""Take texts that somebody else generated as a run's completions, and commit them to its store."""

import sys

from raylib.pipeline.chain import import_completions
from raylib.pipeline.entry import run_job

if __name__ == "__main__":
    sys.exit(run_job(__doc__, import_completions))
