"""A sheet of a run's essays for people to label."""

from argparse import Namespace
from pathlib import Path

from raylib.errors import ConfigError
from raylib.pipeline.calibration.run import open_annotated
from raylib.pipeline.table_files import write_file
from raylib.report.csv_export import to_csv
from raylib.studies.ltf.calibration.sheets import annotation_sheet, drawn_ids


def write_sheet(arguments: Namespace) -> None:
    """Write the sheet, never over one that is there, and print what to do with it."""
    path = Path(arguments.template)
    if path.exists():
        raise ConfigError(f"--template {path} is there already and may be filled in: choose another name or move it")
    run = open_annotated(arguments)
    ids = drawn_ids(run.annotations, run.context.prompts, arguments.draw, arguments.seed)
    write_file(path, to_csv(annotation_sheet(ids, run.essays(ids))).encode())
    print(f"{len(ids):,} essays to label: {path}")
    print("Fill in title_introduction, reasons, conclusion (-1, 0, 1, 2) and refusal (0, 1);")
    print("then: --labels FILE --out FOLDER. Rows stand in random order: the first ones alone")
    print("are a random draw too, any other choice is not.")
