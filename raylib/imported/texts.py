"""From raw rows to typed texts: columns by the declared mapping, every value checked."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from raylib.config.imported import ImportedOptions
from raylib.errors import DataError, nearest
from raylib.ids import canonical_json
from raylib.imported.files import RawFile, file_hashes, format_of, names_of, read_bytes
from raylib.imported.parquet_files import read_parquet
from raylib.imported.statuses import status_of
from raylib.imported.text_files import read_csv, read_jsonl


class ImportedText(NamedTuple):
    """One row that somebody else's model answered."""

    place: str
    """Where it stands: "stories.csv, line 7"."""
    prompt: str
    """The prompt's text or id, whichever is mapped."""
    text: str | None
    """None where the row has none (or only white space)."""
    status: str
    finish_reason: str | None
    sample: str | None
    given: str
    """Canonical JSON of `file` (1 for the first), `row` (or line), and the labels and `scores` that came with it."""


def read_texts(options: ImportedOptions) -> list[ImportedText]:
    """Return the rows of all files that are of the declared model, in the order of the files and of their rows.

    Raises:
        ConfigError: a file is missing or of an unknown kind.
        DataError: a file is broken, lacks a column, or a value is of another type: the file and the row are named.
    """
    used = options.columns.used()
    models: Counter[str] = Counter()
    texts: list[ImportedText] = []
    for file, raw in enumerate(_raw_files(options, frozenset(used.values())), start=1):
        _check_columns(raw, used)
        texts += _texts(file, raw, options, models)
    if not texts:
        held = nearest(str(options.model), models) if models else ""
        of_model = f" of model {options.model!r}" if options.model is not None else ""
        raise DataError(f"{', '.join(names_of(options))}: there is no row{of_model}.{held} Nothing was imported")
    return texts


def _raw_files(options: ImportedOptions, wanted: frozenset[str]) -> Iterator[RawFile]:
    for path, name, sha256 in zip(options.files, names_of(options), file_hashes(options), strict=True):
        kind = format_of(path, options)
        data = read_bytes(path, name, sha256)
        if not data:
            raise DataError(f"{name} is empty (0 bytes); fetch or write it again")
        if kind == "csv":
            yield read_csv(data, name, options.encoding, options.delimiter, wanted)
        elif kind == "jsonl":
            yield read_jsonl(data, name, options.encoding, wanted)
        else:
            yield read_parquet(data, name, wanted)


def _check_columns(raw: RawFile, used: Mapping[str, str]) -> None:
    for what, column in used.items():
        if column not in raw.columns:
            raise DataError(
                f"{raw.name} has no column {column!r} (model.engine.columns.{what}).{nearest(column, raw.columns)}"
            )


def _texts(file: int, raw: RawFile, options: ImportedOptions, models: Counter[str]) -> Iterator[ImportedText]:
    columns = options.columns
    prompt_column = columns.prompt or columns.prompt_id or ""
    for number, row in raw.rows:
        place = raw.place(number)
        if columns.model is not None:
            model = _text(row, columns.model, place)
            models[str(model)] += 1
            if model != options.model:
                continue
        prompt = _text(row, prompt_column, place)
        if not prompt:
            raise DataError(
                f"{place}: column {prompt_column!r} is empty, so the row belongs to no prompt; correct the file"
            )
        reason = _text(row, columns.finish_reason, place) or None
        status = status_of(reason, place)
        text = _text(row, columns.text, place)
        if text is None or not text.strip():
            text, status = None, status if status == "refused" else "error"
        yield ImportedText(
            place,
            prompt,
            text,
            status,
            reason,
            _sample(row, columns.sample_id, place),
            _given(file, number, row, options, place),
        )


def _text(row: Mapping[str, object], column: str | None, place: str) -> str | None:
    value = row.get(column) if column is not None else None
    if value is None:
        return None
    if not isinstance(value, str):
        raise _wrong(place, column, value, "a text")
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise DataError(
                f"{place}: column {column!r} holds half a character (a lone surrogate); correct it"
            ) from None
    return value


def _sample(row: Mapping[str, object], column: str | None, place: str) -> str | None:
    value = row.get(column) if column is not None else None
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    found = _text(row, column, place)
    if column is not None and not found:
        raise DataError(f"{place}: column {column!r} has no sample id; fill it, or leave columns.sample_id out")
    return found


def _given(file: int, number: int, row: Mapping[str, object], options: ImportedOptions, place: str) -> str:
    labels: dict[str, object] = {"file": file, "row": number}
    for name, column in options.columns.given.items():
        value = row.get(column)
        if isinstance(value, list):
            value = [_text({column: item}, column, place) for item in value]
        elif not _text(row, column, place):
            continue
        labels[name] = value
    scores = {name: _score(row.get(column), column, place) for name, column in options.columns.scores.items()}
    scores = {name: score for name, score in scores.items() if score is not None}
    if scores:
        labels["scores"] = scores
    return canonical_json(labels)


def _score(value: object, column: str, place: str) -> float | None:
    if value is None or value == "":
        return None
    number: object = value
    if isinstance(value, str):
        try:
            number = float(value.replace("_", "?"))  # Python takes 1_0 for 10
        except ValueError:
            raise _wrong(place, column, value, "a number") from None
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise _wrong(place, column, value, "a number")
    try:
        score = float(number)
    except OverflowError:
        raise _wrong(place, column, value, "a number below 1.8e308") from None
    if not math.isfinite(score):
        raise DataError(f"{place}: column {column!r} holds {value}: leave a score that is not known empty")
    return score


def _wrong(place: str, column: str | None, value: object, expected: str) -> DataError:
    shown = repr(value)[:40]
    return DataError(f"{place}: column {column!r} holds {shown} ({type(value).__name__}), expected {expected}")
