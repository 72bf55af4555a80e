"""Label the completions of a run: who appears, in which role."""

import sys

from raylib.pipeline.chain import annotate
from raylib.pipeline.entry import run_job

if __name__ == "__main__":
    sys.exit(run_job(__doc__, annotate))
