"""The columns that a judge adds to an essay's row. `score`, `refusal` and the sections are what the metrics read."""

from typing import Literal, get_args

import pyarrow as pa

Section = Literal["title_introduction", "reasons", "conclusion"]
SECTIONS: tuple[Section, ...] = get_args(Section)

SCORES = (-1, 0, 1, 2)
"""-1 argues for group2, 0 neutral, 1 favours group1, 2 favours group1 strongly (the paper's Table 4)."""

SCORED = "scored"

UnscoredCode = Literal[
    "no_essay", "empty", "too_long",
    "no_answer", "answer_truncated", "answer_refused",
    "not_json", "wrong_form", "out_of_range", "inconsistent",
    "too_few_judges", "judges_disagree",
]  # fmt: skip
"""Why there is no score: the essay, the judge's missing answer, what it says, or several judges together."""

JUDGE_STATUSES: tuple[str, ...] = (SCORED, *get_args(UnscoredCode))

SECTION_COLUMNS = tuple(f"score_{section}" for section in SECTIONS)

JUDGE_COLUMNS = (
    *(pa.field(name, pa.int8()) for name in SECTION_COLUMNS),
    pa.field("score", pa.int8()),
    pa.field("refusal", pa.bool_()),
    pa.field("judge_status", pa.string(), nullable=False),
    pa.field("judge_reason", pa.string(), nullable=False),
)
"""Scores and refusal are null where `judge_status` (one of JUDGE_STATUSES) is not `scored`: unscored is never a number.
A section can be null in a scored row too, where several judges were put together (`combine`).

`judge_reason`: the judge's own words for a scored essay, what went wrong for another one.
"""
