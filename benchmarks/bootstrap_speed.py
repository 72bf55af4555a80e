"""How fast the cluster bootstrap is, against scipy.stats.bootstrap and a plain numpy row bootstrap, in one run.

    python benchmarks/bootstrap_speed.py          # 100,000 rows x 500 clusters, 2,000 replicates: under a minute
    python benchmarks/bootstrap_speed.py --full   # 500,000 rows x 500 clusters, 10,000 replicates: several minutes

Prints seconds, peak memory and ratios for the same statistic (a share, its percentile interval), then the cells of the
narratives study: R_rep and R_sub of 5 models x 3 domains x 2 conditions x 7 races x 3 genders, and R_mrs of
5 models x 3 domains x 7 races x 3 genders over 100 thresholds. Rows are made up (seeded); the first comparison
includes our one pass over the rows.
"""

import argparse
import os
import resource
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # blocks run in threads already; must precede numpy

import numpy as np
from scipy import stats

from raylib.stats.arrays import Floats
from raylib.stats.bootstrap import BLOCK_SIZE, bootstrap, cluster_weights, prepare_sums, replicate_sums
from raylib.stats.bootstrap_intervals import percentile_interval
from raylib.stats.linearisation import share
from raylib.stats.median_ratio import median_of_replicates
from raylib.stats.ratios import smoothed_ratio

MODELS, DOMAINS, CONDITIONS, RACES, GENDERS, THRESHOLDS = 5, 3, 2, 7, 3, 100
SAMPLED = 100
"""Replicates that the two row bootstraps run before their time is scaled up: linear in replicates, and slow."""


class Size(NamedTuple):
    """How much is bootstrapped."""

    rows: int
    clusters: int
    replicates: int


def main() -> None:
    """Parse the command line and print the two comparisons."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="500,000 rows, 10,000 replicates")
    parser.add_argument(
        "--measure-all", action="store_true", help="run every replicate of the row bootstraps, no scaling"
    )
    arguments = parser.parse_args()
    size = Size(500_000, 500, 10_000) if arguments.full else Size(100_000, 500, 2_000)
    print(f"{size.rows:,} rows, {size.clusters} clusters, {size.replicates:,} replicates")
    print("\nOne share with its 95% percentile interval (one statistic):")
    compare_one_statistic(size, size.replicates if arguments.measure_all else min(SAMPLED, size.replicates))
    print("\nAll cells of the narratives study:")
    time_narratives(size)
    print(f"peak memory of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB")


def compare_one_statistic(size: Size, sampled: int) -> None:
    """Print the seconds and ratios of three bootstraps of one share, and how far their standard errors are apart."""
    rng = np.random.default_rng(0)
    cluster = np.repeat(np.arange(size.clusters), size.rows // size.clusters)
    values = (rng.random(size.rows) < 0.3).astype(np.float64)

    def ours() -> float:
        sums = np.stack([np.bincount(cluster, weights=values), np.bincount(cluster)], axis=1).astype(np.float64)
        result = bootstrap(sums, share, seed=1, replicates=size.replicates)
        percentile_interval(result.replicates)
        return float(result.replicates.std())

    def by_scipy() -> float:
        result = stats.bootstrap((values,), np.mean, n_resamples=sampled, method="percentile", batch=20, rng=1)
        return float(result.standard_error)

    def by_numpy() -> float:
        draws = np.random.default_rng(1)
        means = [values[draws.integers(0, size.rows, size.rows)].mean() for _ in range(sampled)]
        np.quantile(means, [0.025, 0.975])
        return float(np.std(means))

    best = min(timed(ours) for _ in range(3))
    print(f"  cluster sums x weights  {best.seconds:10.3f} s   standard error {best.result:.6f}")
    for name, function in (("scipy.stats.bootstrap", by_scipy), ("numpy row bootstrap", by_numpy)):
        row = timed(function)
        scaled = row.seconds * size.replicates / sampled
        how = "" if sampled == size.replicates else f" (from {sampled} replicates)"
        print(
            f"  {name:<22}  {scaled:10.3f} s   standard error {row.result:.6f}   {scaled / best.seconds:6.0f} x ours{how}"
        )
    print("  Rows are independent here, so that all three estimate the same standard error.")


def time_narratives(size: Size) -> None:
    """Print the seconds of the study's R_rep, R_sub and R_mrs replicates with their percentile intervals.

    Models and domains are strata of clusters (prompts): a cell draws its own prompts only.
    """
    strata = [size.clusters // (MODELS * DOMAINS)] * (MODELS * DOMAINS)
    strata[-1] += size.clusters - sum(strata)
    cells, columns = MODELS * DOMAINS * CONDITIONS * RACES * GENDERS, RACES * GENDERS
    per_cluster = size.rows / size.clusters
    rng = np.random.default_rng(2)
    sums = rng.gamma(2.0, per_cluster / 40, (size.clusters, 4, cells))
    sums[:, [1, 3]] = per_cluster / 2
    names = rng.poisson(per_cluster / 2000, (size.clusters, 2, columns, THRESHOLDS))
    tails = names[..., ::-1].cumsum(axis=-1)[..., ::-1].astype(np.float64)
    totals = np.full((size.clusters, 2, columns), per_cluster / 2)

    ratios = timed(lambda: replicate_ratios(size, strata, sums))
    medians = timed(lambda: replicate_medians(size, strata, tails, totals))
    print(f"  R_rep and R_sub, {cells} cells each        {ratios.spell()}")
    print(f"  R_mrs, {MODELS * DOMAINS * columns} cells x {THRESHOLDS} thresholds     {medians.spell()}")
    print(f"  together                               {ratios.seconds + medians.seconds:8.2f} s")


def replicate_ratios(size: Size, strata: list[int], sums: Floats) -> float:
    """Replicate R_rep and R_sub; `sums` has shape (clusters, [x, X, y, Y], cells)."""
    prepared = prepare_sums(sums)

    def one_block(block: int) -> Floats:
        drawn = replicate_sums(cluster_weights(1, block, size.clusters, strata=strata), prepared)
        x, x_total, y, y_total = (drawn[:, i] for i in range(4))
        return np.stack([(x + y) / (x_total + y_total) / 0.2, smoothed_ratio(x, x_total, y, y_total)], axis=1)

    return float(percentile_interval(np.concatenate(in_threads(one_block, size))).low[0, 0])


def replicate_medians(size: Size, strata: list[int], tails: Floats, totals: Floats) -> float:
    """Replicate R_mrs; `tails` has shape (clusters, roles, columns, thresholds), `totals` the same without the last."""
    ends = np.cumsum(strata)
    slices = [slice(end - n, end) for end, n in zip(ends, strata, strict=True)]
    prepared = [(prepare_sums(tails[mine]), prepare_sums(totals[mine])) for mine in slices]

    def one_block(block: int) -> Floats:
        weights, cells = cluster_weights(1, block, size.clusters, strata=strata), []
        for mine, (tail_sums, total_sums) in zip(slices, prepared, strict=True):
            tail, total = replicate_sums(weights[:, mine], tail_sums), replicate_sums(weights[:, mine], total_sums)
            cells.append(median_of_replicates(tail[:, 0], total[:, 0], tail[:, 1], total[:, 1]))
        return np.concatenate(cells, axis=1)

    return float(percentile_interval(np.concatenate(in_threads(one_block, size))).low[0])


def in_threads(one_block: Callable[[int], Floats], size: Size) -> list[Floats]:
    """Return every block's replicates, in order; numpy lets go of the interpreter while it works."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(one_block, range(-(-size.replicates // BLOCK_SIZE))))


class Timed(NamedTuple):
    """A call's wall and processor seconds, and what it returned."""

    seconds: float
    cpu: float
    result: float

    def spell(self) -> str:
        """Return both times for print; on a busy machine the processor's is the one to compare."""
        return f"{self.seconds:8.2f} s   ({self.cpu:.2f} s of processor time)"


def timed(function: Callable[[], float]) -> Timed:
    """Return what a call took and gave."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = function()
    return Timed(time.perf_counter() - wall, time.process_time() - cpu, result)


if __name__ == "__main__":
    main()
