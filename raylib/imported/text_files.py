"""CSV and JSON lines. Every error names the line: a file is taken whole or not at all."""

import codecs
import csv
import io
import json
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager

from raylib.errors import DataError
from raylib.imported.files import RawFile


def read_csv(data: bytes, name: str, encoding: str, delimiter: str, wanted: Collection[str]) -> RawFile:
    """Return the rows of a CSV file with a header; all values are texts, blank lines are left out.

    Raises:
        DataError: another encoding, a column twice, a row that is cut off or has too many cells, a quote without end.
    """
    text = decoded(data, name, encoding)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    header: list[str] | None = None
    rows: list[tuple[int, Mapping[str, object]]] = []
    first = 1
    with _long_cells():
        while True:
            try:
                cells = next(reader)
            except StopIteration:
                break
            except csv.Error as error:
                raise DataError(f"{name}, line {first}: {_csv_problem(error)}") from None
            line, first = first, reader.line_num + 1
            if not cells:
                continue
            if header is None:
                header = _header(cells, name, line)
            else:
                if len(cells) != len(header):
                    raise DataError(
                        f"{name}, line {line}: {len(cells)} cells, the header has {len(header)}: the row is cut off, or a "
                        "text with a delimiter or a line break is not in quotes; correct the file"
                    )
                row = zip(header, cells, strict=True)
                rows.append((line, {column: cell for column, cell in row if column in wanted}))
    return RawFile(name, "line", tuple(header or ()), rows)


def read_jsonl(data: bytes, name: str, encoding: str, wanted: Collection[str]) -> RawFile:
    """Return the rows of a file with one JSON mapping a line; blank lines are left out.

    Raises:
        DataError: another encoding, a column twice, or a line that is no whole JSON mapping.
    """
    columns: dict[str, None] = {}
    rows: list[tuple[int, Mapping[str, object]]] = []
    for line, text in _lines(decoded(data, name, encoding)):
        try:
            value = json.loads(text, object_pairs_hook=_mapping)
        except _TwiceError as error:
            raise DataError(f"{name}, line {line}: column {str(error)!r} is there twice; rename one") from None
        except ValueError as error:
            problem = error.msg if isinstance(error, json.JSONDecodeError) else error
            raise DataError(f"{name}, line {line}: no whole JSON ({problem}): cut off? Correct the file") from None
        except RecursionError:
            raise DataError(f"{name}, line {line}: nested too deeply; correct the file") from None
        if not isinstance(value, dict):
            raise DataError(
                f"{name}, line {line}: holds {type(value).__name__}, expected a mapping {{...}} on each line"
            )
        columns.update(dict.fromkeys(value))
        rows.append((line, {column: cell for column, cell in value.items() if column in wanted}))
    return RawFile(name, "line", tuple(columns), rows)


def decoded(data: bytes, name: str, encoding: str) -> str:
    """Return a file's text, without a byte order mark.

    Raises:
        DataError: the bytes are of another encoding; the first wrong one is named.
    """
    marked = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    advice = f"set model.engine.encoding (for example {'utf-16' if marked else 'cp1252 or latin-1'})"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{name}, line {line}: byte {error.start} (0x{data[error.start]:02x}) is not {encoding}: {advice}"
        ) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise DataError(
            f"{name}, line {line}: a NUL character: this is not {encoding} text; {advice.replace('cp1252', 'utf-16, cp1252')}"
        )
    return text.removeprefix("\ufeff")


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Split at line feeds only: other breaks (U+2028) may stand inside JSON texts."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, line


class _TwiceError(Exception):
    """A mapping has a key twice; of the two values, Python's parser would drop the first without a word."""


def _mapping(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _TwiceError(next(key for place, key in enumerate(keys) if key in keys[:place]))
    return found


def _header(cells: list[str], name: str, line: int) -> list[str]:
    twice = next((cell for place, cell in enumerate(cells) if cell in cells[:place]), None)
    if twice is not None:
        raise DataError(f"{name}, line {line}: the header names column {twice!r} twice; rename one")
    return cells


def _csv_problem(error: csv.Error) -> str:
    if "unexpected end" in str(error):
        return "a quote that begins in this row is never closed: the file is cut off, or a quote is missing; correct it"
    return f'{error}: write a quote inside a quoted text twice (""), and set model.engine.delimiter if it is another'


@contextmanager
def _long_cells() -> Iterator[None]:
    """Lift the csv module's limit of 128 kB a cell: it is there for untrusted streams, and the file is read already."""
    before = csv.field_size_limit(sys.maxsize)
    try:
        yield
    finally:
        csv.field_size_limit(before)
