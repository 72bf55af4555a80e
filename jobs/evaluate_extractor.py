"""Measure an extractor of the narratives study against hand labels: precision and recall of gender and name."""

import argparse
import json
import sys

from raylib.pipeline.entry import guarded
from raylib.studies.narratives.evaluate import evaluate, report_lines


def main() -> int:
    """Parse the command line, evaluate, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--labels", required=True, metavar="FILE.parquet", help="stories with hand labels")
    parser.add_argument("--extractor", default="rules", help="which extractor to measure")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    arguments = parser.parse_args()

    def run() -> None:
        result = evaluate(arguments.labels, arguments.extractor)
        print(json.dumps(result, indent=1) if arguments.json else "\n".join(report_lines(result)))

    return guarded(run)


if __name__ == "__main__":
    sys.exit(main())
