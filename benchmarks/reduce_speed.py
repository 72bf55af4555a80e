"""How the reduce stage scales: the map over 500,000 and over 5,000,000 rows, and the replicates of the same cells.

Usage: python benchmarks/reduce_speed.py [--rows 500000 5000000] [--replicates 10000]

Makes annotation parts of the narratives study (seeded, 2,500 rows a part) in a temporary folder and runs the stage's
own map, tree and replicates on a local Ray. Prints seconds, the ratio of the maps, and the driver's peak memory after
each, which must not grow with rows.
"""

import argparse
import os
import resource
import tempfile
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("RAY_AUTH_MODE", "disabled")

import numpy as np
import pyarrow as pa

from raylib.config.run import ResourcesConfig, StudyConfig
from raylib.pipeline.context import load_study
from raylib.pipeline.map_reduce import ReduceWork, map_parts, map_replicates
from raylib.pipeline.session import RaySession
from raylib.store.local import LocalStore
from raylib.store.open import StoreOptions
from raylib.store.parts import PartSpec, Receipt, commit
from raylib.studies.base import Study, StudyOptions
from raylib.studies.narratives.names import census_2020

ROWS_A_PART = 2500
STUDY = StudyConfig(name="narratives")


def main() -> None:
    """Parse the command line and print one line a size, then the ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs=2, default=(500_000, 5_000_000), help="the two sizes")
    parser.add_argument("--replicates", type=int, default=10_000, help="of the bootstrap")
    arguments = parser.parse_args()
    options = StudyOptions("narratives", {}, arguments.replicates, 0)
    with tempfile.TemporaryDirectory() as folder, RaySession(ResourcesConfig()) as session:
        parts = make_parts(Path(folder), max(arguments.rows), options)
        session.connect()
        study = load_study(STUDY)
        work = ReduceWork(STUDY, options, StoreOptions(url=folder), study.annotation_schema)
        map_parts(work, parts[:8])  # workers are started and warm
        taken = []
        for rows in arguments.rows:
            began = time.perf_counter()
            sums = map_parts(work, parts[: rows // ROWS_A_PART]).sums
            mapped = time.perf_counter() - began
            began = time.perf_counter()
            replicates = map_replicates(work, sums)
            replicated = time.perf_counter() - began
            taken.append((mapped, replicated))
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
            print(
                f"{rows:>10,} rows   map {mapped:7.2f} s   {arguments.replicates:,} replicates of "
                f"{replicates.num_rows} statistics {replicated:6.2f} s   driver's peak {memory:.0f} MB"
            )
    (small, small_again), (large, large_again) = taken
    print(
        f"{arguments.rows[1] / arguments.rows[0]:.1f} times the rows: {large / small:.2f} times the map, "
        f"{large_again / small_again:.2f} times the replicates"
    )


def make_parts(folder: Path, rows: int, options: StudyOptions) -> list[Receipt]:
    """Write annotation parts with names of the name table, evenly over the prompts, and return their receipts."""
    study, store, rng = load_study(STUDY), LocalStore(folder), np.random.default_rng(0)
    prompts = study.prompts(options)["prompt_id"].to_pylist()
    names = pa.array(census_2020().names.to_pylist()[:5000])
    return [
        _part(store, study, rng, names, prompts[number % len(prompts)], number) for number in range(rows // ROWS_A_PART)
    ]


def _part(
    store: LocalStore, study: Study, rng: np.random.Generator, names: pa.Array, prompt: str, number: int
) -> Receipt:
    ids = tuple(f"{number}-{row}" for row in range(ROWS_A_PART))
    columns: dict[str, pa.Array] = {field.name: pa.nulls(ROWS_A_PART, field.type) for field in study.annotation_schema}
    columns |= {"sample_id": pa.array(ids), "prompt_id": pa.array([prompt] * ROWS_A_PART)}
    columns |= {"status": pa.array(["ok"] * ROWS_A_PART)}
    for role in ("subject", "object"):
        columns[f"{role}_first_name"] = names.take(pa.array(rng.integers(0, len(names), ROWS_A_PART)))
        columns[f"{role}_gender"] = pa.array(
            rng.choice(["F", "M", "NB"], ROWS_A_PART, p=[0.49, 0.49, 0.02]).astype(object)
        )
    table = pa.Table.from_arrays(
        [columns[name] for name in study.annotation_schema.names], schema=study.annotation_schema
    )
    return commit(
        store, PartSpec("annotate", "0" * 24, f"{number:024d}", ids, "sample_id"), table, study.annotation_schema
    )


if __name__ == "__main__":
    main()
