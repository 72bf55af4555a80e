"""The command line of `jobs/calibrate_judge.py`."""

import argparse
from pathlib import Path

from raylib.errors import ConfigError
from raylib.pipeline.arguments import add_run_options, bare_parser
from raylib.pipeline.whole_numbers import positive, whole

LEAST_LABELS = 10
_REPLICATES = 2_000


def parse_calibration(description: str, prog: str, argv: list[str] | None = None) -> argparse.Namespace:
    """Return the arguments: `template` is given, or `labels` and `out`. Raises ConfigError for wrong ones (exit code 2)."""
    parser = bare_parser(description, prog)
    add_run_options(parser)
    sheet = parser.add_argument_group("a sheet to label", "Writes essays of the run with empty columns for the labels.")
    sheet.add_argument("--template", metavar="FILE.csv", help="where the sheet goes; never over one that is there")
    sheet.add_argument("--draw", type=positive, metavar="N",
                       help="N essays at random (default: all of the prompts of the paper's human set)")  # fmt: skip
    sheet.add_argument("--seed", type=whole, default=0, metavar="N", help="of the draw (0)")
    labels = parser.add_argument_group("labels to compare with", "Reads filled sheets; writes tables and a report.")
    labels.add_argument("--labels", action="append", default=[], metavar="FILE",
                        help="people's labels, .csv or .parquet: sample_id, annotator (optional; else the file's name), "
                        "title_introduction, reasons, conclusion in -1, 0, 1, 2 (or score alone), refusal 0 or 1 "
                        "(repeatable: one a person)")  # fmt: skip
    labels.add_argument("--adjudicated", metavar="FILE",
                        help="labels that stand where annotators differ: disagreements.csv, filled in")  # fmt: skip
    labels.add_argument("--out", metavar="FOLDER", help="where tables and report go")
    labels.add_argument("--min-labels", type=positive, default=LEAST_LABELS, metavar="N",
                        help=f"with fewer labelled essays a corrected number is unknown ({LEAST_LABELS})")  # fmt: skip
    labels.add_argument("--replicates", type=positive, default=_REPLICATES, metavar="N",
                        help=f"of the bootstrap of kappa and alpha ({_REPLICATES}); estimates use the run's own")  # fmt: skip
    found = parser.parse_args(argv)
    _check(found, prog)
    return found


def _check(found: argparse.Namespace, prog: str) -> None:
    if found.template is not None:
        if found.labels or found.adjudicated or found.out:
            raise ConfigError(
                "--template writes an empty sheet: give it alone, then --labels and --out with it filled in"
            )
        if Path(found.template).suffix != ".csv":
            raise ConfigError(f"--template {found.template} must end in .csv")
    elif not found.labels:
        raise ConfigError(
            f"give --template FILE.csv, or --labels FILE and --out FOLDER. See: python jobs/{prog} --help"
        )
    elif not found.out:
        raise ConfigError("--labels needs --out FOLDER, where tables and report go")
