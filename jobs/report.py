"""Write a run's HTML report from its estimates and print where it is."""

import sys

from raylib.pipeline.chain import report
from raylib.pipeline.entry import run_job

if __name__ == "__main__":
    sys.exit(run_job(__doc__, report))
