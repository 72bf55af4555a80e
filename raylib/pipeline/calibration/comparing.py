"""The judge beside people: labels in; tables, a report and a sheet of disagreements out."""

from argparse import Namespace
from pathlib import Path

import pyarrow as pa

from raylib.pipeline.calibration.page import calibration_page
from raylib.pipeline.calibration.reading import labels_file
from raylib.pipeline.calibration.run import open_annotated
from raylib.pipeline.table_files import read_bytes, write_both, write_file
from raylib.report.csv_export import to_csv
from raylib.studies.ltf.axes import load_axes
from raylib.studies.ltf.calibration.agreement import agreement_tables
from raylib.studies.ltf.calibration.corrected import Choices
from raylib.studies.ltf.calibration.essays import judged_essays, match
from raylib.studies.ltf.calibration.estimates import calibrated
from raylib.studies.ltf.calibration.labels import join_labels
from raylib.studies.ltf.calibration.sheets import disagreement_sheet
from raylib.studies.ltf.calibration.summary import summary_lines
from raylib.studies.ltf.calibration.sums import all_sums
from raylib.studies.ltf.measures import MEASURES
from raylib.studies.ltf.metrics import sums
from raylib.studies.ltf.options import parse_options
from raylib.studies.ltf.world import read_world
from raylib.studies.sums import add_up


def compare(arguments: Namespace) -> None:
    """Write agreement, confusion, corrected estimates and the report to `arguments.out`, and print a summary."""
    labels = join_labels([labels_file(path, "--labels") for path in arguments.labels])
    decided = labels_file(arguments.adjudicated, "--adjudicated") if arguments.adjudicated else None
    run = open_annotated(arguments)
    context, scoring = run.context, parse_options(run.context.options)
    controls = frozenset(axis.name for axis in load_axes(scoring.axes_file) if axis.control)
    judged = judged_essays(run.annotations, context.prompts)
    matched = match(judged, labels, decided)
    seed, folder = context.options.seed, Path(arguments.out)
    tables = agreement_tables(matched, seed=seed, replicates=arguments.replicates)
    world = read_world(add_up([sums(run.annotations, context.prompts, controls)], MEASURES), controls)
    found = calibrated(
        all_sums(judged, matched, world, scoring), Choices(scoring, arguments.min_labels), controls, seed=seed,
        replicates=context.options.replicates,
    )  # fmt: skip
    written = [write_both(folder, name, table) for name, table in (
        ("agreement", tables.agreement), ("confusion", tables.confusion), ("estimates", found),
    )]  # fmt: skip
    notes = [*labels.notes, *(decided.notes if decided else ())]
    page = calibration_page(run, matched, tables, found, notes)
    written.append(write_file(folder / "report.html", page.encode()))
    told = [str(path) for path in written]
    if matched.left.unsettled:
        sheet = disagreement_sheet(matched, run.essays(matched.left.unsettled))
        told.append(_write_disagreements(folder / "disagreements.csv", sheet))
    print("\n".join([*summary_lines(matched, tables, found, notes), "", *told]))


def _write_disagreements(path: Path, sheet: pa.Table) -> str:
    """Write the sheet for who decides, never over one that somebody may have filled in; return what to say of it."""
    data = to_csv(sheet).encode()
    if path.exists():
        kept = read_bytes(path, "--out") != data
        return f"{path}" + (" (was there already, left as it is)" if kept else "")
    return f"{write_file(path, data)}"
