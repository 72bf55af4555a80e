"""The compare job: two runs in, a summary on the terminal and a folder of tables and a report out."""

import argparse
import io
import logging
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from raylib.pipeline.compare.page import comparison_page
from raylib.pipeline.compare.result import Compared
from raylib.pipeline.compare.runs import STAGES, ComparedRun, compared_run, same_study
from raylib.pipeline.compare.scores import flipped
from raylib.pipeline.compare.settings import cautions, check_comparable, differing
from raylib.pipeline.compare.summary import summary_lines
from raylib.report.csv_export import to_csv
from raylib.results import RunResults, open_run
from raylib.results.folder import WholeFolder
from raylib.studies.differences import Draws, differences
from raylib.studies.matching import matched_sums

LOG = logging.getLogger(__name__)
INDEX = "comparison.json"


def compare(arguments: argparse.Namespace) -> None:
    """Compare two finished runs, print the summary and, with `--out`, write the folder.

    Raises:
        ConfigError: no such run, runs that cannot be compared, or a folder that is taken.
        DataError: a run is not finished, is stale, or is damaged.
    """
    access = {
        "endpoint": arguments.endpoint, "region": arguments.region, "access_key_env": arguments.access_key_env,
        "secret_key_env": arguments.secret_key_env,
    }  # fmt: skip
    first = open_run(arguments.store, arguments.a, **access)
    second = open_run(arguments.store_b or arguments.store, arguments.b, **access)
    found = compare_runs(first, second, arguments.replicates)
    written = write_comparison_folder(found, arguments.out) if arguments.out is not None else []
    for line in summary_lines(found):
        print(line)
    for path in written:
        print(path)


def compare_runs(first: RunResults, second: RunResults, replicates: int | None = None) -> Compared:
    """Return what differs between two finished runs of one study.

    Raises:
        ConfigError: the runs cannot be compared.
        DataError: a run is not finished, is stale, or is damaged.
    """
    statistics = same_study(first, second)["statistics"]
    draws = Draws(int(statistics["seed"]), replicates or int(statistics["replicates"]))
    a, b = (compared_run(results, draws) for results in (first, second))
    check_comparable(a, b)
    settings = differing(a, b)
    matched = matched_sums(a.sums, b.sums)
    LOG.info("compare: %d replicates of both runs", draws.replicates)
    same = a.same_samples(b)
    sides = a.comparable.side(a.options, matched.a), b.comparable.side(b.options, matched.b)
    table = differences(*sides, draws, same_samples=same)
    said = ["A and B hold the very same samples: every difference is 0."] if same else []
    said += [*cautions(settings), *matched.notes, *_missing(a), *_missing(b)]
    LOG.info("compare: scores of %d samples", sum(run.results.manifest("annotate").rows for run in (a, b)))
    return Compared(a, b, settings, said, table, flipped(a, b))


def _missing(run: ComparedRun) -> Iterator[str]:
    for stage in STAGES[:2]:
        lost = sum(int(record["ids"]) for record in run.results.manifest(stage).quarantined)
        if lost:
            yield f"{run.name}: {lost:,} samples are missing, since their units were given up in {stage}"


def write_comparison_folder(found: Compared, to: str) -> list[Path]:
    """Write differences and flips as Parquet and CSV, and report.html; return the files.

    Raises:
        ConfigError: `to` holds anything else than an earlier comparison of these runs, or cannot be written.
    """
    runs = {"a": found.a, "b": found.b}
    identity = {f"run_{name}": f"{run.name} in {run.results.store.url}" for name, run in runs.items()}
    folder = WholeFolder(
        "--out", INDEX, "a comparison", identity, lambda index: f"{index['run_a']} and {index['run_b']}"
    )

    def fill(scratch: Path) -> None:
        _write_table(scratch, "differences", found.differences)
        if found.flips is not None:
            _write_table(scratch, "flips", found.flip_table)
        (scratch / "report.html").write_text(comparison_page(found), encoding="utf-8")

    fingerprints = {
        name: {stage: run.results.manifest(stage).fingerprint for stage in STAGES} for name, run in runs.items()
    }
    return folder.write(to, fill, {"fingerprints": fingerprints, "draws": found.a.draws._asdict()})


def _write_table(folder: Path, name: str, table: pa.Table) -> None:
    sink = io.BytesIO()
    pq.write_table(table, sink, compression="zstd")
    (folder / f"{name}.parquet").write_bytes(sink.getvalue())
    (folder / f"{name}.csv").write_text(to_csv(table), encoding="utf-8", newline="")
