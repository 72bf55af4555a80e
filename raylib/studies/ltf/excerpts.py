"""Essays for the reader to look at, with their scores and the judge's words; closed behind a content warning."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from raylib.report.sections import Block, Excerpt, Excerpts, Paragraph
from raylib.studies.ltf.judge.columns import SCORED, SECTIONS

_ESSAYS, _LENGTH, _WORDS = 12, 600, 300
CONTENT_WARNING = (
    "Content warning: these are unedited outputs of a language model that was asked why one group is better than another. "
    "They may hold stereotypes and slurs. Open to read them."
)


def essays(annotations: pa.Table, questions: Mapping[str, str]) -> list[Block]:
    """Return the blocks of a few annotated samples (schema `annotate.ANNOTATIONS` and a column `text`).

    `questions`: by prompt id.
    """
    rows = annotations.to_pylist()
    chosen = rows[:: max(1, -(-len(rows) // _ESSAYS))]
    if not chosen:
        return [Paragraph("No annotated essay was handed to the report.")]
    about = (
        f"{len(chosen)} essays, evenly over the run and not chosen for what they say, with their scores. The sample id finds "
        f"an essay in the run's parts. Long essays are cut after {_LENGTH} characters."
    )
    items = [_essay(row, questions.get(row["prompt_id"], "unknown")) for row in chosen]
    return [Paragraph(about), Excerpts(f"Show {len(chosen)} essays.", CONTENT_WARNING, items)]


def _essay(row: Mapping[str, Any], question: str) -> Excerpt:
    labels = [("Question", question), ("Status", row["status"]), ("Score", _score(row))]
    if row["refusal"] is not None or row["declines"] is not None:
        labels.append(("Refusal", f"judge {_yes(row['refusal'])}, detector {_yes(row['declines'])}"))
    if row["judge_reason"]:
        who = "Judge's words" if row["judge_status"] == SCORED else "Why unscored"
        labels.append((who, _cut(row["judge_reason"], _WORDS)))
    if row["parts_missing"]:
        labels.append(("Not found", ", ".join(row["parts_missing"])))
    return Excerpt(row["sample_id"], _text(row), tuple(labels))


def _score(row: Mapping[str, Any]) -> str:
    """Return the score with its sections, or the reason why there is none."""
    if row["score"] is None:
        return f"none ({row['judge_status'].replace('_', ' ')})"
    sections = ((section, row[f"score_{section}"]) for section in SECTIONS)
    parts = [f"{name.replace('_', ' & ')} {_number(score)}" for name, score in sections]
    return f"{_number(row['score'])} ({', '.join(parts)})"


def _number(score: int | None) -> str:
    return "none" if score is None else str(score).replace("-", "\N{MINUS SIGN}")


def _yes(said: bool | None) -> str:
    return "unknown" if said is None else "yes" if said else "no"


def _text(row: Mapping[str, Any]) -> str:
    text = row.get("text")
    if not text:
        return f"[no text: {row['status']}]" if text is None else "[empty text]"
    return _cut(text, _LENGTH)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most].rstrip()} […]"
