"""Ray Data functions that answer with tables: how tables and our errors travel as rows of a dataset."""

import io
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pyarrow as pa

from raylib.errors import FairsweepError
from raylib.pipeline.reported import rebuilt, reported

Rows = list[dict[str, Any]]
Tables = dict[str, pa.Table]

_ANSWER = pa.schema(
    [("place", pa.int64()), ("tables", pa.map_(pa.string(), pa.large_binary())), ("error", pa.string())]
)


class TableTask:
    """Work that turns the rows of a block into (place, tables), as a function for `map_batches(batch_size=None)`.

    An error of ours becomes a row: Ray would wrap it in one of its own, with traces, and try again what cannot succeed.
    An error among the rows, from the task before, is raised on.
    """

    def __init__(self, work: Callable[[Rows], tuple[int, Tables]]) -> None:
        self._work = work

    def __call__(self, batch: pa.Table) -> pa.Table:
        """Return one answer for a block, none for an empty one."""
        rows = batch.to_pylist()
        if not rows:
            return _ANSWER.empty_table()
        answer: dict[str, Any] = {"place": 0, "tables": [], "error": ""}
        try:
            for row in rows:
                _raise_reported(row)
            place, tables = self._work(rows)
            answer |= {"place": place, "tables": [(name, to_bytes(table)) for name, table in tables.items()]}
        except FairsweepError as error:
            answer["error"] = json.dumps(reported(error))
        return pa.Table.from_pylist([answer], schema=_ANSWER)


def answers(dataset: Any) -> Iterator[tuple[int, Tables]]:
    """Yield (place, tables) of each answer of a dataset, in any order; raise what a task reported."""
    for batch in dataset.iter_batches(batch_size=None, batch_format="pyarrow"):
        for row in batch.to_pylist():
            _raise_reported(row)
            yield row["place"], tables_of(row)


def tables_of(row: Mapping[str, Any]) -> Tables:
    """Return the tables of one answer, by name."""
    return {name: from_bytes(data) for name, data in row["tables"]}


def to_bytes(table: pa.Table) -> bytes:
    """Return a table as an Arrow stream."""
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def from_bytes(data: bytes) -> pa.Table:
    """Return the table of an Arrow stream."""
    return pa.ipc.open_stream(data).read_all()


def _raise_reported(row: Mapping[str, Any]) -> None:
    if row.get("error"):
        raise rebuilt(json.loads(row["error"]))
