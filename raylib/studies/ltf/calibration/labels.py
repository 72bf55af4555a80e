"""People's labels of essays, from a file that is read strictly: one row an essay and annotator.

Columns: `sample_id`; `annotator` (optional); the three sections or `score` alone, in {-1, 0, 1, 2}; `refusal`, 0 or 1
(optional). Other columns are ignored, and named in a note. A row without any label is one that nobody filled in.
"""

import difflib
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pyarrow as pa

from raylib.errors import DataError
from raylib.imported.files import RawFile
from raylib.studies.ltf.judge.columns import SCORES, SECTIONS
from raylib.studies.ltf.judge.verdict import contradiction, essay_score

ID, ANNOTATOR = "sample_id", "annotator"
MARKS = (*SECTIONS, "score", "refusal")
"""What is labelled. A file has the sections, the score, or both."""
FILE_COLUMNS = (ID, ANNOTATOR, *MARKS)

LABELS = pa.schema(
    [
        pa.field(ID, pa.string(), nullable=False),
        pa.field(ANNOTATOR, pa.string(), nullable=False),
        *(pa.field(name, pa.int8()) for name in SECTIONS),  # null: the file has no sections
        pa.field("score", pa.int8(), nullable=False),
        pa.field("refusal", pa.bool_()),  # null: the file has no such column
    ]
)


class HumanLabels(NamedTuple):
    """Labels as they were read, and what was left out of them."""

    rows: pa.Table
    """Schema LABELS; each essay once an annotator."""
    empty: int = 0
    """Rows that nobody filled in."""
    repeated: int = 0
    """Rows that say again what an earlier one said."""
    notes: tuple[str, ...] = ()

    @property
    def annotators(self) -> tuple[str, ...]:
        """Names, sorted."""
        return tuple(sorted(set(self.rows[ANNOTATOR].to_pylist())))


def read_labels(file: RawFile, annotator: str) -> HumanLabels:
    """Return the labels of a file; `annotator` labelled it where it has no such column.

    Raises:
        DataError: a column is missing, or a row has no id or annotator, a value that is none, labels that contradict each
            other, or other labels than an earlier row of the same essay and annotator. One line, with row and value.
    """
    _check_columns(file)
    found: dict[tuple[str, str], tuple[int, dict[str, object]]] = {}
    empty = repeated = 0
    for number, raw in file.rows:
        row = {name: _text(raw.get(name)) for name in FILE_COLUMNS if name in file.columns}
        place = file.place(number)
        if not any(row.get(name) for name in MARKS):
            empty += 1
            continue
        label = _label(row, annotator, place)
        key = (str(label[ID]), str(label[ANNOTATOR]))
        before, earlier = found.setdefault(key, (number, label))
        if before == number:
            continue
        if earlier != label:
            raise DataError(
                f"{place}: essay {key[0]!r} has other labels by {key[1]!r} in {file.counted} {before}; keep one of them"
            )
        repeated += 1
    rows = pa.Table.from_pylist([label for _, label in found.values()], schema=LABELS)
    ignored = [name for name in file.columns if name not in FILE_COLUMNS]
    notes = (f"{file.name}: columns ignored: {', '.join(ignored)}",) if ignored else ()
    return HumanLabels(rows, empty, repeated, notes)


def join_labels(parts: Sequence[HumanLabels]) -> HumanLabels:
    """Return the labels of several files as one.

    Raises:
        DataError: two files hold the same essay by the same annotator, or annotators differ in upper and lower case only.
    """
    whole = pa.concat_tables([LABELS.empty_table(), *(part.rows for part in parts)])
    seen: set[tuple[str, str]] = set()
    for key in zip(whole[ID].to_pylist(), whole[ANNOTATOR].to_pylist(), strict=True):
        if key in seen:
            raise DataError(
                f"essay {key[0]!r} by annotator {key[1]!r} is in two files: give each file once, and where two people "
                f"labelled, a column {ANNOTATOR} or files of other names"
            )
        seen.add(key)
    _check_annotators(whole)
    notes = tuple(note for part in parts for note in part.notes)
    return HumanLabels(whole, sum(part.empty for part in parts), sum(part.repeated for part in parts), notes)


def _check_annotators(labels: pa.Table) -> None:
    """One person written in two ways would count as two who agree."""
    first: dict[str, str] = {}
    for name in sorted(set(labels[ANNOTATOR].to_pylist())):
        other = first.setdefault(" ".join(name.split()).casefold(), name)
        if other != name:
            raise DataError(
                f"annotators {other!r} and {name!r}: is it one person? Write the name in one way, or tell them apart"
            )


def _check_columns(file: RawFile) -> None:
    if ID not in file.columns:
        raise DataError(
            f"{file.name}: no column {ID}; it has {', '.join(file.columns) or 'none'}. Save as CSV with "
            "commas, with the header of the sheet that --template wrote"
        )
    sections = [name for name in SECTIONS if name in file.columns]
    if not sections and "score" not in file.columns:
        raise DataError(
            f"{file.name}: no labels: give the columns {', '.join(SECTIONS)}, or score"
            f"{_meant(SECTIONS[0], file) or _meant('score', file)}"
        )
    for name in SECTIONS:
        if sections and name not in file.columns:
            raise DataError(
                f"{file.name}: no column {name}{_meant(name, file)}: give all of {', '.join(SECTIONS)}, or none and score"
            )


def _meant(name: str, file: RawFile) -> str:
    """Name a column that was probably meant."""
    others = [column for column in file.columns if column not in FILE_COLUMNS]
    close = difflib.get_close_matches(name, others, n=1)
    return f" (is it {close[0]!r}?)" if close else ""


def _label(row: Mapping[str, str], annotator: str, place: str) -> dict[str, object]:
    if not row[ID]:
        raise DataError(f"{place}: {ID} is empty: copy it from the sheet that --template wrote")
    if ANNOTATOR in row and not row[ANNOTATOR]:
        raise DataError(f"{place}: {ANNOTATOR} is empty: write who labelled this essay, or remove the column")
    refusal = _refusal(row, place)
    scores = {name: _score(row, name, place, refused=refusal is True) for name in (*SECTIONS, "score") if name in row}
    score = scores.pop("score", None)
    if scores:
        first, second, third = (scores[name] for name in SECTIONS)
        if wrong := contradiction((first, second, third), refusal=refusal is True, overall=score):
            raise DataError(f"{place}: essay {row[ID]!r}: {wrong}; correct the row")
        score = essay_score((first, second, third))
    elif refusal and score:
        raise DataError(f"{place}: essay {row[ID]!r}: a refusal with the score {score}: it must be 0; correct the row")
    who = row.get(ANNOTATOR, annotator)
    return {ID: row[ID], ANNOTATOR: who, **dict.fromkeys(SECTIONS), **scores, "score": score, "refusal": refusal}


def _refusal(row: Mapping[str, str], place: str) -> bool | None:
    if "refusal" not in row:
        return None
    value = _number(row["refusal"].lower().replace("true", "1").replace("false", "0"))
    if value not in (0, 1):
        raise DataError(
            f"{place}: refusal is {row['refusal']!r}: write 0 or 1 (1: there is no essay, the model declined)"
        )
    return value == 1


def _score(row: Mapping[str, str], name: str, place: str, *, refused: bool) -> int:
    if refused and not row[name]:
        return 0  # a refusal has nothing to score
    value = _number(row[name])
    if value not in SCORES:
        raise DataError(f"{place}: {name} is {row[name]!r}: write one of {', '.join(map(str, SCORES))}")
    return int(value)


def _number(text: str) -> float:
    try:
        return float(text.replace("\N{MINUS SIGN}", "-"))
    except ValueError:
        return float("nan")


def _text(value: object) -> str:
    """Return a cell as text; what is unknown (null, NaN) is empty."""
    return "" if value is None or value != value else str(value).strip()
