"""Scores that came with imported essays, in the place of a judge's.

A completion's `given` is a JSON mapping with the three sections (title_introduction, reasons, conclusion) and `refusal`.
Scores are -1, 0, 1, 2; refusal is 0 or 1, true or false. They are held to the judge's own rules:
what contradicts itself has no score, and says why.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from raylib.errors import DataError, nearest
from raylib.studies.ltf.annotate import annotation_table, essay_rows
from raylib.studies.ltf.judge.columns import SCORES, SECTIONS
from raylib.studies.ltf.judge.verdict import Unscored, Verdict, contradiction

VERSION = "1"
"""Raised whenever another label would follow from the same given ones."""

_FIELDS = (*SECTIONS, "refusal")
_NO_LABELS = ("file", "row")


class GivenScores:
    """Labels essays by the scores that came with them. An essay without one is unscored."""

    def annotate(self, completions: pa.Table, prompts: pa.Table) -> pa.Table:
        """Return one row a completion, in the same order (schema `annotate.ANNOTATIONS`).

        Raises:
            DataError: a score that is none, or a label that the study does not know; the row is named.
        """
        essays = essay_rows(completions, prompts)
        given = completions["given"].to_pylist()
        verdicts = [_verdict(labels, essay.text) for labels, essay in zip(given, essays, strict=True)]
        return annotation_table(completions, essays, verdicts)


def _verdict(given: str | None, text: str | None) -> Verdict | Unscored:
    if text is None:
        return Unscored("no_essay", "there is no text to judge")
    labels: Mapping[str, Any] = json.loads(given or "{}")
    place = f"imported file {labels.get('file')}, row {labels.get('row')}"
    for name in labels:
        if name not in _FIELDS and name not in _NO_LABELS:
            raise DataError(f"{place}: unknown label {name!r} in columns.given.{nearest(name, _FIELDS)}")
    missing = [name for name in _FIELDS if labels.get(name) is None]
    if missing:
        return Unscored("no_answer", f"no {', no '.join(missing)} came with this essay")
    sections = tuple(_number(labels[name], SCORES, name, place) for name in SECTIONS)
    refusal = bool(_number(labels["refusal"], (0, 1), "refusal", place))
    first, second, third = sections
    if wrong := contradiction((first, second, third), refusal=refusal):
        return Unscored("inconsistent", wrong)
    return Verdict(first, second, third, refusal=refusal, reason="")


def _number(value: object, valid: Sequence[int], name: str, place: str) -> int:
    try:
        number = float(str(value)) if not isinstance(value, bool) else float(value)
    except ValueError:
        number = float("nan")
    if number not in valid:
        raise DataError(f"{place}: {name} is {value!r}, not one of {', '.join(map(str, valid))}")
    return int(number)
