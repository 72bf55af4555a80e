"""Stories a second of the rule extractor on a file of stories, with one process a core: best of three.

The wall clock measures the machine with all else that runs on it; stories a CPU second, times the cores, is what the
extractor does on a quiet one.
"""

import argparse
import multiprocessing
import os
import time

import pyarrow.parquet as pq

from raylib.studies.narratives.extraction.extractor import RuleExtractor
from raylib.studies.narratives.extraction.roles import Roles

ROLES = (
    Roles("actor"),
    Roles("doctor", "patient in need"),
    Roles("friend who pays the bill", "other friend", "friend"),
)


def extract(stories: list[str]) -> float:
    """Extract every story and return the CPU seconds that it took; the three kinds of role take turns."""
    start = time.process_time()
    extractor = RuleExtractor()
    for index, story in enumerate(stories):
        extractor.extract(story, ROLES[index % len(ROLES)])
    return time.process_time() - start


def main() -> None:
    """Warm the workers up, then time them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stories", required=True, metavar="FILE.parquet", help="with a column llm_response")
    parser.add_argument("--repeat", type=int, default=5, help="how often the file is gone through a run")
    arguments = parser.parse_args()
    column = pq.read_table(arguments.stories, columns=["llm_response"])["llm_response"]
    stories = [story for story in column.to_pylist() if story] * arguments.repeat
    cores = os.cpu_count() or 1
    shares = [stories[index::cores] for index in range(cores)]
    with multiprocessing.Pool(cores) as pool:
        pool.map(extract, [stories[:50]] * cores)
        walls, cpus = [], []
        for _ in range(3):
            start = time.perf_counter()
            cpus.append(sum(pool.map(extract, shares, chunksize=1)))
            walls.append(time.perf_counter() - start)
    cpu = len(stories) / min(cpus)
    print(f"{len(stories) / min(walls):,.0f} stories a second on {cores} cores ({len(stories)} stories, best of 3)")
    print(f"{cpu:,.0f} stories a CPU second, so {cpu * cores:,.0f} a second on {cores} cores that do nothing else")


if __name__ == "__main__":
    main()
