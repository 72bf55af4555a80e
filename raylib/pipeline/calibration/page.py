"""The report of a calibration: one HTML file that says which run, which judge and which labels it is of."""

from collections.abc import Sequence

import pyarrow as pa

import raylib
from raylib.pipeline.calibration.run import AnnotatedRun
from raylib.pipeline.report import count_samples
from raylib.report.page import RunHeader, render
from raylib.studies.ltf.calibration.agreement import Tables
from raylib.studies.ltf.calibration.essays import Matched


def calibration_page(
    run: AnnotatedRun, matched: Matched, tables: Tables, estimates: pa.Table, notes: Sequence[str]
) -> str:
    """Return the report. Figures are drawn here, so their library is imported late."""
    from raylib.studies.ltf.calibration.report import sections

    config, context = run.context.config, run.context
    labeller = context.labeller
    judge = f"{labeller.model.name}: {labeller.model.source}" if labeller else "scores that came with the essays"
    header = RunHeader(
        run=config.run, study=f"{config.study.name}, calibration of the judge", model=config.model.name,
        when=run.annotation.created, counts=count_samples(run.generation, run.annotation),
        provenance=(
            ("Judge", judge),
            ("Annotators", ", ".join(matched.annotators)),
            ("Fingerprints", ", ".join(f"{m.stage} {m.fingerprint}" for m in (run.generation, run.annotation))),
            ("Bootstrap", f"{context.options.replicates:,} replicates, seed {context.options.seed}"),
            ("fairsweep", raylib.__version__),
            *(("Labels", note) for note in notes),
        ),
    )  # fmt: skip
    return render(f"Calibration of {judge}", header, sections(matched, tables, estimates))
