"""The work of the reduce stage on Ray Data: parts -> sums, added up in a tree; sums -> blocks of replicates.

Neither depends on the number of workers or on the order in which they answer: sums add exactly (`studies.sums`), and
a replicate is keyed by its number (`studies.resampling`). The driver sees one table of sums and one of replicates,
whose sizes depend on cells and clusters, never on samples.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pyarrow as pa

from raylib.config.run import StudyConfig
from raylib.pipeline.context import load_study
from raylib.pipeline.table_tasks import Rows, Tables, TableTask, answers, from_bytes, tables_of, to_bytes
from raylib.store.open import StoreOptions, open_store
from raylib.store.parts import Receipt, read_rows
from raylib.studies.base import StudyOptions
from raylib.studies.resampling import blocks_of, join_blocks
from raylib.studies.sums import add_tallies, add_up

FAN_IN = 8
"""Tables that one combine task adds; a level of the tree has this many times fewer tables than the one below."""

_TASKS_PER_CPU = 4
_ROWS_AT_ONCE = 20_000
_BLOCKS_PER_TASK = 4


@dataclass(frozen=True)
class ReduceWork:
    """What a worker needs to know of a study and its data."""

    study: StudyConfig
    options: StudyOptions
    store: StoreOptions
    annotation_schema: pa.Schema


class Mapped(NamedTuple):
    """What all parts come to."""

    sums: pa.Table
    """Schema SUMS."""
    tallies: pa.Table
    """Schema TALLIES."""


def map_parts(work: ReduceWork, parts: Sequence[Receipt]) -> Mapped:
    """Return the sums and tallies of all parts, mapped where parts are read and added in a tree.

    Raises:
        DataError: a part is missing, torn or of another schema; the message names it.
    """
    rows = [{"part": receipt.to_json()} for receipt in parts]
    tasks = min(len(rows), _TASKS_PER_CPU * _cpus())
    level = _mapped(_dataset(rows, tasks), _MapParts(work))
    while tasks > 1:
        tasks = -(-tasks // FAN_IN)
        level = _mapped(level.repartition(tasks), _Combine(work))
    return Mapped(**next(answers(level))[1])


def map_replicates(work: ReduceWork, sums: pa.Table) -> pa.Table:
    """Return the bootstrap replicates of all statistics (schema REPLICATES), in blocks over the cluster."""
    import ray

    blocks = blocks_of(work.options.replicates)
    rows = [
        {"place": start, "blocks": list(blocks[start : start + _BLOCKS_PER_TASK])}
        for start in blocks[::_BLOCKS_PER_TASK]
    ]
    replicated = _mapped(_dataset(rows, len(rows)), _Replicate(work, ray.put(to_bytes(sums))))
    return join_blocks([tables["replicates"] for _, tables in sorted(answers(replicated), key=lambda each: each[0])])


def _cpus() -> int:
    import ray

    return max(1, int(ray.cluster_resources().get("CPU", 1)))


def _dataset(rows: Rows, blocks: int) -> Any:
    import ray.data

    return ray.data.from_items(rows, override_num_blocks=blocks)


def _mapped(dataset: Any, work: Callable[[Rows], tuple[int, Tables]]) -> Any:
    return dataset.map_batches(TableTask(work), batch_size=None, batch_format="pyarrow")


@dataclass(frozen=True)
class _MapParts:
    work: ReduceWork

    def __call__(self, rows: Rows) -> tuple[int, Tables]:
        options = self.work.options
        study = load_study(self.work.study)
        prompts = study.prompts(options)
        sums, tallies = add_up([], study.measures), add_tallies([])
        for part in self._batches(rows):
            sums = add_up([sums, study.sums(options, part, prompts)], study.measures)
            tallies = add_tallies([tallies, study.tallies(options, part, prompts)])
        return 0, {"sums": sums, "tallies": tallies}

    def _batches(self, rows: Rows) -> Iterator[pa.Table]:
        """Read parts and join small ones: a study's `sums` costs as much for 100 rows as for 1,000."""
        store = open_store(self.work.store)
        waiting: list[pa.Table] = []
        for row in rows:
            waiting.append(read_rows(store, Receipt.from_json(row["part"]), self.work.annotation_schema))
            if sum(table.num_rows for table in waiting) >= _ROWS_AT_ONCE:
                yield pa.concat_tables(waiting)
                waiting = []
        if waiting:
            yield pa.concat_tables(waiting)


@dataclass(frozen=True)
class _Combine:
    work: ReduceWork

    def __call__(self, rows: Rows) -> tuple[int, Tables]:
        found = [tables_of(row) for row in rows]
        measures = load_study(self.work.study).measures
        sums = add_up([tables["sums"] for tables in found], measures)
        return 0, {"sums": sums, "tallies": add_tallies([tables["tallies"] for tables in found])}


@dataclass(frozen=True)
class _Replicate:
    work: ReduceWork
    sums: Any
    """Reference to the table of sums, as bytes."""

    def __call__(self, rows: Rows) -> tuple[int, Tables]:
        import ray

        study = load_study(self.work.study)
        sums = from_bytes(ray.get(self.sums))
        tables = [study.replicates(self.work.options, sums, row["blocks"]) for row in rows]
        return min(row["place"] for row in rows), {"replicates": join_blocks(tables)}
