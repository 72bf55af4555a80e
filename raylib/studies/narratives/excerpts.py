"""Stories for the reader to look at, with what was read out of them; closed behind a content warning."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from raylib.report.sections import Block, Excerpt, Excerpts, Paragraph

_STORIES, _STORY_LENGTH = 12, 400
CONTENT_WARNING = (
    "Content warning: these are unedited outputs of a language model and may hold stereotypes and slurs. "
    "Open to read them."
)


def stories(annotations: pa.Table) -> list[Block]:
    """Return the blocks of a few annotated samples (schema `annotate.ANNOTATIONS` and a column `text`)."""
    rows = annotations.to_pylist()
    chosen = rows[:: max(1, -(-len(rows) // _STORIES))]
    if not chosen:
        return [Paragraph("No annotated story was handed to the report.")]
    about = (
        f"{len(chosen)} stories, evenly over the run and not chosen for what they say, with what the extractor read out "
        f"of them. The sample id finds a story in the run's parts. Long stories are cut after {_STORY_LENGTH} characters."
    )
    return [
        Paragraph(about),
        Excerpts(f"Show {len(chosen)} stories.", CONTENT_WARNING, [_story(row) for row in chosen]),
    ]


def _story(row: Mapping[str, Any]) -> Excerpt:
    text = row.get("text")
    if not text:
        text = f"[no text: {row['status']}]" if text is None else "[empty text]"
    elif len(text) > _STORY_LENGTH:
        text = f"{text[:_STORY_LENGTH].rstrip()} […]"
    labels = [("Prompt", row["prompt_id"]), ("Status", row["status"])]
    labels += [(role.capitalize(), _character(row, role)) for role in ("subject", "object") if _told_of(row, role)]
    if row.get("notes"):
        labels.append(("Notes", row["notes"]))
    return Excerpt(row["sample_id"], text, tuple(labels))


def _told_of(row: Mapping[str, Any], role: str) -> bool:
    return any(row.get(f"{role}_{what}") is not None for what in ("name", "references", "gender"))


def _character(row: Mapping[str, Any], role: str) -> str:
    references = ", ".join(row.get(f"{role}_references") or ()) or "no references"
    return f"{row.get(f'{role}_name') or 'no name'}; {row.get(f'{role}_gender') or 'no gender'}; {references}"
