"""Hold the judge of an LTF-Test run against people: a sheet to label, agreement, and estimates corrected by labels."""

import sys

from raylib.pipeline.calibration.arguments import parse_calibration
from raylib.pipeline.calibration.job import calibrate_judge
from raylib.pipeline.entry import run_parsed

if __name__ == "__main__":
    sys.exit(run_parsed(__doc__, parse_calibration, calibrate_judge))
