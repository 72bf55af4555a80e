"""Result tables as LaTeX: escaped, booktabs, numbers rounded as the report rounds them."""

import math
from collections.abc import Sequence

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from raylib.report import numbers
from raylib.report.table import Headings, estimate_texts
from raylib.report.visible import make_visible
from raylib.schemas import ESTIMATES

MOST_ROWS = 20_000
MOST_ENTRIES = 20
_HEAD = "% \\usepackage{booktabs,longtable} \\usepackage[T1]{fontenc}\n"
_FIRST, _LAST = ("Statistic", "Cell", "Axis"), ("Note",)


def left_out(table: pa.Table) -> str | None:
    """Say why a table is not set in type, None where it is: longer, or with longer lists in its cells, than anybody reads."""
    if table.num_rows > MOST_ROWS:
        return f"it has more than {MOST_ROWS:,} rows"
    for name, column in zip(table.column_names, table.columns, strict=True):
        if pa.types.is_list(column.type) and (pc.max(pc.list_value_length(column)).as_py() or 0) > MOST_ENTRIES:
            return f"its column {name!r} holds lists of more than {MOST_ENTRIES} entries"
    return None


def to_latex(name: str, table: pa.Table) -> str:
    """Return a table as a LaTeX `longtable`. Estimates get the report's columns; a status stands in a number's place."""
    if name == "estimates" and set(ESTIMATES.names) <= set(table.column_names):
        columns, rows = (*_FIRST, *Headings(), *_LAST), [_estimate(row) for row in table.to_pylist()]
    else:
        columns = tuple(table.column_names)
        rows = [[_text(value) for value in row.values()] for row in table.to_pylist()]
    frame = pd.DataFrame(rows, columns=list(columns), dtype=str)
    text = str(frame.to_latex(index=False, longtable=True, escape=True))
    return _HEAD + text.replace("\n[", "\n{[}")  # after a line's end or a rule, LaTeX takes [ for an option of it


def _estimate(row: dict[str, object]) -> Sequence[str]:
    texts = (row["statistic"], row["cell"], row["axis"], *estimate_texts(row), row["note"])
    return [_text(text) for text in texts]


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return numbers.number(value) if math.isfinite(value) else ""
    if isinstance(value, list):
        return ", ".join(_text(entry) for entry in value)
    return " ".join(make_visible(str(value)).split())
