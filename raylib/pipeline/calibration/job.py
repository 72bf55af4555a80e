"""Which function stands behind which command line of `jobs/calibrate_judge.py`."""

from argparse import Namespace


def calibrate_judge(arguments: Namespace) -> None:
    """Write a sheet to label, or compare the judge with labels. Imports late: help, and a mistake, need no study.

    Raises:
        ConfigError: the config is wrong or of another study, or a file cannot be read or written.
        DataError: the run is not annotated, or a label breaks the rules of `studies.ltf.calibration.labels`.
    """
    from raylib.pipeline.calibration import comparing, sheet

    if arguments.template is not None:
        sheet.write_sheet(arguments)
    else:
        comparing.compare(arguments)
