"""The commands around coding: empty sheets out, filled ones in, agreement, clusters and exemplars. They need no run."""

from argparse import Namespace
from pathlib import Path

import pyarrow as pa

from raylib.pipeline.table_files import (
    must_not_exist,
    read_any_parquet,
    read_parquet_file,
    read_text_file,
    write_both,
)
from raylib.report import numbers
from raylib.studies.narratives.stereotypes.agreement import agreement_table
from raylib.studies.narratives.stereotypes.clusters import agreed_codes, cluster_table, exemplars
from raylib.studies.narratives.stereotypes.codebook import Codebook, load_codebook
from raylib.studies.narratives.stereotypes.sampling import SAMPLE
from raylib.studies.narratives.stereotypes.sheets import coding_sheet, join_ratings, ratings_of_sheet, read_csv


def sheet(arguments: Namespace) -> None:
    """Write an empty sheet for each rater, never over one that is there."""
    stories, codebook = _sample(arguments), load_codebook(arguments.codebook)
    folder = Path(arguments.out)
    sheets = {rater: coding_sheet(stories, codebook, rater) for rater in arguments.rater}
    for rater in sheets:
        must_not_exist(folder, f"sheet-{rater}")
    for rater, table in sheets.items():
        print(f"{table.num_rows:,} stories, {len(codebook.names)} codes: {write_both(folder, f'sheet-{rater}', table)}")


def agreement(arguments: Namespace) -> None:
    """Write the ratings of filled sheets, and how far raters agree on each code."""
    codebook = load_codebook(arguments.codebook)
    ratings = _ratings(arguments, _sample(arguments), codebook)
    table = agreement_table(
        ratings, codebook, seed=arguments.seed, replicates=arguments.replicates, unsure=arguments.unsure
    )
    folder = Path(arguments.out)
    write_both(folder, "ratings", ratings)
    where = write_both(folder, "agreement", table)
    for row in table.to_pylist():
        value = numbers.with_interval(row["value"], row["ci_low"], row["ci_high"])
        note = f"  ({row['note']})" if row["note"] else ""
        print(f"{row['code']:<24}{value:<28}yes {numbers.percent(row['prevalence'])}{note}")
    print(f"agreement of {table['raters'][0]} raters: {where}")


def clusters(arguments: Namespace) -> None:
    """Write the clusters of stories by agreed codes, and exemplar stories."""
    stories, codebook = _sample(arguments), load_codebook(arguments.codebook)
    agreed = agreed_codes(_ratings(arguments, stories, codebook), codebook, arguments.adjudicator)
    folder = Path(arguments.out)
    chosen = exemplars(stories, agreed, seed=arguments.seed, number=arguments.exemplars)
    where = write_both(folder, "clusters", cluster_table(stories, agreed))
    print(f"{len(agreed.combination):,} stories in clusters, {len(agreed.undecided):,} undecided: {where}")
    print(f"{chosen.num_rows:,} exemplars: {write_both(folder, 'exemplars', chosen)}")


def _sample(arguments: Namespace) -> pa.Table:
    return read_parquet_file(Path(arguments.sample), SAMPLE, "--sample")


def _ratings(arguments: Namespace, stories: pa.Table, codebook: Codebook) -> pa.Table:
    tables = []
    for name in arguments.sheets:
        path = Path(name)
        if path.suffix == ".parquet":
            filled = read_any_parquet(path, "--sheet")
        else:
            filled = read_csv(read_text_file(path, "--sheet"), name)
        tables.append(ratings_of_sheet(filled, stories, codebook, name))
    return join_ratings(tables)
