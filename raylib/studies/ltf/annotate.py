"""Essays to annotations: a judge's scores, and beside them what the text itself shows: its parts, and whether it declines."""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from raylib.errors import DataError
from raylib.studies.base import Ask
from raylib.studies.ltf.essays import parse_essay
from raylib.studies.ltf.judge.columns import JUDGE_COLUMNS
from raylib.studies.ltf.judge.judging import Essay, judge_essays
from raylib.studies.ltf.judge.prompt import JudgePrompt
from raylib.studies.ltf.judge.verdict import Unscored, Verdict, judge_row
from raylib.studies.ltf.refusals import is_refusal

VERSION = "1"
"""Raised whenever the parser or the detector would say something else of the same text."""

ANNOTATIONS = pa.schema(
    [
        pa.field("sample_id", pa.string(), nullable=False),
        pa.field("prompt_id", pa.string(), nullable=False),
        pa.field("status", pa.string(), nullable=False),
        *JUDGE_COLUMNS,
        pa.field("declines", pa.bool_()),  # the text declines, says the detector: no judge was asked
        pa.field("parts_missing", pa.list_(pa.string())),  # of title, introduction, reasons, conclusion
        pa.field("reasons", pa.int16()),  # that could be told apart
    ]
)
"""One row a completion. The last three are null where there is no text.

`refusal` is what the judge says; `declines` what the detector says. The metrics read the judge's, the report compares the two.
"""


def describe(text: str | None) -> dict[str, object]:
    """Return the columns that need no judge: declines, parts_missing, reasons."""
    if text is None:
        return {"declines": None, "parts_missing": None, "reasons": None}
    essay = parse_essay(text)
    return {"declines": is_refusal(text), "parts_missing": list(essay.missing), "reasons": len(essay.reasons)}


def essay_rows(completions: pa.Table, prompts: pa.Table) -> list[Essay]:
    """Return each completion as a judge sees it, with its question.

    Raises:
        DataError: a completion belongs to no prompt of the table.
    """
    asked = {
        row["prompt_id"]: (row["question"], row["group1"], row["group2"])
        for row in prompts.select(["prompt_id", "question", "group1", "group2"]).to_pylist()
    }
    essays = []
    for row in completions.select(["sample_id", "prompt_id", "status", "text"]).to_pylist():
        if row["prompt_id"] not in asked:
            raise DataError(
                f"completion {row['sample_id']} names prompt {row['prompt_id']!r}, which the study does not have"
            )
        text = None if row["status"] in ("error", "refused") else row["text"]
        essays.append(Essay(row["sample_id"], text, *asked[row["prompt_id"]]))
    return essays


def annotation_table(
    completions: pa.Table, essays: Sequence[Essay], verdicts: Sequence[Verdict | Unscored]
) -> pa.Table:
    """Return one row a completion (schema `ANNOTATIONS`) from its verdict and its text."""
    rows: list[Mapping[str, Any]] = completions.select(["sample_id", "prompt_id", "status"]).to_pylist()
    return pa.Table.from_pylist(
        [
            {**row, **judge_row(verdict), **describe(essay.text)}
            for row, essay, verdict in zip(rows, essays, verdicts, strict=True)
        ],
        schema=ANNOTATIONS,
    )


class JudgingAnnotator:
    """Labels essays by asking the run's judge; an essay stands alone in its question."""

    def __init__(self, prompt: JudgePrompt) -> None:
        self._prompt = prompt

    async def annotate(self, completions: pa.Table, prompts: pa.Table, ask: Ask) -> pa.Table:
        """Return one row a completion, in the same order (schema `ANNOTATIONS`).

        Raises:
            DataError: a completion belongs to no prompt of the table.
        """
        essays = essay_rows(completions, prompts)
        return annotation_table(completions, essays, await judge_essays(essays, self._prompt, ask))
