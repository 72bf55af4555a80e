"""The annotations of several judges as one table: the combined score in the judge's columns, and who said what."""

from collections.abc import Mapping

import pyarrow as pa

from raylib.errors import DataError
from raylib.studies.ltf.annotate import ANNOTATIONS
from raylib.studies.ltf.judge.columns import JUDGE_COLUMNS
from raylib.studies.ltf.judge.combine import COMBINED, Combination, combine
from raylib.studies.ltf.judge.tallied import VERDICTS

_OF_JUDGE = [field.name for field in JUDGE_COLUMNS]
_OF_TEXT = [name for name in ANNOTATIONS.names if name not in _OF_JUDGE]

COMBINED_ANNOTATIONS = pa.schema(
    [*ANNOTATIONS, COMBINED.field("score_mean"), COMBINED.field("judges_scored"), VERDICTS]
)
"""As one judge's annotations, and what rounding or voting leaves out: the mean of the scores, how many judges scored, and
each judge's verdict."""


def combined_annotations(tables: Mapping[str, pa.Table], how: Combination) -> pa.Table:
    """Return one row an essay (schema COMBINED_ANNOTATIONS), in the order of the tables.

    Args:
        tables: judge's name -> its annotations (schema `annotate.ANNOTATIONS`) of the same completions in the same order.
        how: see `judge.combine.combine`.

    Raises:
        DataError: fewer than two judges, tables of different completions, or a verdict that cannot be (`read_ratings`).
    """
    combined = combine(tables, how)
    first = next(iter(tables))
    texts = tables[first].select(_OF_TEXT)
    for name, table in tables.items():
        if not table.select(_OF_TEXT).equals(texts):
            raise DataError(
                f"judges {first} and {name} saw different essays, or in another order: combine what they said of the same "
                "completions (jobs/annotate.py does)"
            )
    columns = {**{name: texts[name] for name in _OF_TEXT}, **{name: combined[name] for name in combined.column_names}}
    columns[VERDICTS.name] = _verdicts(tables)
    return pa.table([columns[name] for name in COMBINED_ANNOTATIONS.names], schema=COMBINED_ANNOTATIONS)


def _verdicts(tables: Mapping[str, pa.Table]) -> pa.Array:
    judges = [
        (name, table.select(_OF_JUDGE).drop_columns("judge_reason").to_pylist()) for name, table in tables.items()
    ]
    rows = zip(*(rows for _, rows in judges), strict=True)
    names = [name for name, _ in judges]
    verdicts = [[{"judge": name, **row} for name, row in zip(names, one, strict=True)] for one in rows]
    return pa.array(verdicts, type=VERDICTS.type)
