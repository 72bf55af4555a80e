"""Tables as CSV that a spreadsheet program opens without running anything."""

import csv
import io
import math

import pyarrow as pa

_STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What spreadsheets take for the beginning of a formula (or skip before one), with the full-width forms."""


def guard(text: str) -> str:
    """Return the text with a leading quote where a spreadsheet would take it for a formula."""
    return f"'{text}" if text.startswith(_STARTS_A_FORMULA) else text


def to_csv(table: pa.Table) -> str:
    """Return the table as CSV: a header row, CRLF line ends, an empty cell for what is unknown (null or NaN).

    Numbers keep every digit (they read back to the same value) and their sign; texts, and only texts, are guarded.
    """
    out = io.StringIO()
    writer = csv.writer(out)  # CRLF, as in RFC 4180: only then does it quote a lone carriage return
    writer.writerow([guard(name) for name in table.column_names])
    for row in zip(*(column.to_pylist() for column in table.columns), strict=True):
        writer.writerow([_cell(value) for value in row])
    return out.getvalue()


def _cell(value: object) -> str:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    if isinstance(value, bool | int | float):
        return repr(value)
    return guard(str(value))
