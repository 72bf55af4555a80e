"""A run's results as one folder of files. The folder appears whole or not at all, and only an earlier export is replaced."""

import json
import logging
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from raylib.errors import ConfigError, nearest
from raylib.report.csv_export import to_csv
from raylib.results.by_axis import by_axis
from raylib.results.datasets_folder import write_datasets_folder
from raylib.results.folder import WholeFolder
from raylib.results.latex import left_out, to_latex
from raylib.results.run import RunResults

LOG = logging.getLogger(__name__)
INDEX = "export.json"
"""Names the run, its fingerprints, and every file of the export with its sha256."""


def export(run: RunResults, to: str, formats: Sequence[str]) -> list[Path]:
    """Write a run's result tables to the folder `to` in each of `formats`; return the files, sorted.

    Files are named by table: estimates.parquet, estimates.csv, estimates.tex; the datasets folder is `datasets/`. Where a
    study makes numbers of whole axes, LaTeX has them as by_axis.tex too. An
    earlier export of the same run is replaced as a whole.

    Raises:
        ConfigError: an unknown format, or `to` holds anything else than an earlier export of this run.
        DataError: the run has no results yet, or a part of them is missing or changed; `to` stays as it was.
    """
    if not formats:
        raise ConfigError(f"no format given; valid: {', '.join(FORMATS)}")
    for name in formats:
        if name not in FORMATS:
            raise ConfigError(f"unknown format {name!r}.{nearest(name, FORMATS)}")
    fingerprints = {stage: run.manifest(stage).fingerprint for stage in ("generate", "annotate", "reduce")}
    folder = WholeFolder("--to", INDEX, "an export", {"run": run.run}, lambda index: f"run {index['run']!r}")

    def fill(scratch: Path) -> None:
        for name in dict.fromkeys(formats):
            FORMATS[name](run, scratch)

    return folder.write(to, fill, {"fingerprints": fingerprints})


def _parquet(run: RunResults, folder: Path) -> None:
    for name in run.tables:
        pq.write_table(run.table(name), folder / f"{name}.parquet", compression="zstd")


def _csv(run: RunResults, folder: Path) -> None:
    for name in run.tables:
        (folder / f"{name}.csv").write_text(to_csv(_flat(run.table(name))), encoding="utf-8", newline="")


def _latex(run: RunResults, folder: Path) -> None:
    for name in run.tables:
        table = run.table(name)
        reason = left_out(table)
        if reason is not None:
            LOG.warning("table %s is not written as LaTeX: %s", name, reason)
            continue
        (folder / f"{name}.tex").write_text(to_latex(name, table), encoding="utf-8")
    whole = by_axis(run.table("estimates")) if "estimates" in run.tables else None
    if whole is not None:
        (folder / "by_axis.tex").write_text(to_latex("by_axis", whole), encoding="utf-8")


def _flat(table: pa.Table) -> pa.Table:
    """Return the table with lists as JSON texts; what is unknown in them (null or NaN) is null."""
    for place, field in enumerate(table.schema):
        if pa.types.is_list(field.type):
            lists = [
                [None if isinstance(entry, float) and not math.isfinite(entry) else entry for entry in value]
                if value is not None
                else None
                for value in table[field.name].to_pylist()
            ]
            texts = [json.dumps(value) if value is not None else None for value in lists]
            table = table.set_column(place, field.name, pa.array(texts, pa.string()))
    return table


def _datasets(run: RunResults, folder: Path) -> None:
    write_datasets_folder(run, folder / "datasets")


FORMATS: Mapping[str, Callable[[RunResults, Path], None]] = {
    "parquet": _parquet, "csv": _csv, "latex": _latex, "datasets": _datasets,
}  # fmt: skip
