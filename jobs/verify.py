"""Check that what a run's manifests say is what its store holds: every part, byte, row and id."""

import sys

from raylib.pipeline.entry import run_job
from raylib.pipeline.verify import verify

if __name__ == "__main__":
    sys.exit(run_job(__doc__, verify))
