"""Completions to annotations: for each story its characters' names, references and gender."""

from collections.abc import Mapping
from typing import Protocol

import pyarrow as pa

from raylib.errors import DataError
from raylib.studies.narratives.extraction.gender import gender_of
from raylib.studies.narratives.extraction.naming import parse_name
from raylib.studies.narratives.extraction.roles import Extraction, Found, Roles
from raylib.studies.narratives.refusals import is_refusal
from raylib.studies.narratives.stereotypes.search import Searcher
from raylib.studies.narratives.stereotypes.tagging import TERMS_TYPE, locate, term_values
from raylib.studies.narratives.stereotypes.terms import load_terms

_CHARACTER = (
    ("name", pa.string()),
    ("first_name", pa.string()),
    ("references", pa.list_(pa.string())),
    ("gender", pa.string()),
)

ANNOTATIONS = pa.schema(
    [
        pa.field("sample_id", pa.string(), nullable=False),
        pa.field("prompt_id", pa.string(), nullable=False),
        pa.field("status", pa.string(), nullable=False),
        *(pa.field(f"{role}_{name}", kind) for role in ("subject", "object") for name, kind in _CHARACTER),
        pa.field("terms", TERMS_TYPE),
        pa.field("notes", pa.string()),
    ]
)
"""One row a completion. Object columns are null where the prompt has one character; all are null without a story.
`gender` is F, M, NB, unsure (words of several genders) or unspecified (none). `terms` are the identity terms that the
story holds and whom they are about (`stereotypes.tagging`): [] for none."""


class Extractor(Protocol):
    """Finds the characters of a story. Never raises for a strange text."""

    name: str
    version: str

    def extract(self, story: str, roles: Roles) -> Extraction:
        """Return the names and references of the characters that `roles` describe."""
        ...


Row = Mapping[str, str | None]
"""A completion: sample_id, prompt_id, status, text, given."""


class Labeller(Protocol):
    """Says who is in a story."""

    def characters(self, row: Row, text: str, asked: Roles) -> dict[str, object]:
        """Return the columns of `ANNOTATIONS` that follow `status`, and `status` where it changes."""
        ...


class ByExtractor:
    """Labels by finding the characters in the text."""

    def __init__(self, extractor: Extractor) -> None:
        self._extractor = extractor

    def characters(self, row: Row, text: str, asked: Roles) -> dict[str, object]:
        """Return what the extractor finds in the text."""
        return characters(self._extractor.extract(text, asked), asked)


class NarrativesAnnotator:
    """Labels completions; truncated stories are labelled like whole ones."""

    def __init__(self, labeller: Labeller) -> None:
        self._labeller = labeller
        self._searcher = Searcher(load_terms())

    def annotate(self, completions: pa.Table, prompts: pa.Table) -> pa.Table:
        """Return one row a completion, in the same order (schema `ANNOTATIONS`).

        Raises:
            DataError: a completion belongs to no prompt of the table.
        """
        roles = prompt_roles(prompts)
        columns = ["sample_id", "prompt_id", "status", "text", "given"]
        given = completions.select(columns).to_pylist()
        rows = [self._row(row, roles) for row in given]
        stories = [row["text"] if _has_story(label) else None for row, label in zip(given, rows, strict=True)]
        located = locate(self._searcher, stories, rows.__getitem__, roles)
        for label, terms in zip(rows, term_values(located, [text is not None for text in stories]), strict=True):
            label["terms"] = terms
        return pa.Table.from_pylist(rows, schema=ANNOTATIONS)

    def _row(self, row: Row, roles: Mapping[str, Roles]) -> dict[str, object]:
        prompt_id, status, text = str(row["prompt_id"]), str(row["status"]), row["text"]
        if prompt_id not in roles:
            raise DataError(f"completion {row['sample_id']} names prompt {prompt_id!r}, which the study does not have")
        label = dict.fromkeys(ANNOTATIONS.names) | {"sample_id": row["sample_id"], "prompt_id": prompt_id}
        label["status"] = status
        if status in ("error", "refused") or text is None:
            return label
        if is_refusal(text):
            return label | {"status": "refused", "notes": "the text declines to tell a story"}
        return label | self._labeller.characters(row, text, roles[prompt_id])


def _has_story(label: Mapping[str, object]) -> bool:
    return label["status"] in ("ok", "truncated")


def prompt_roles(prompts: pa.Table) -> dict[str, Roles]:
    """Return prompt_id -> the characters that the prompt asks for."""
    rows = prompts.select(["prompt_id", "subject_role", "object_role", "relation"]).to_pylist()
    return {row["prompt_id"]: Roles(row["subject_role"], row["object_role"], row["relation"]) for row in rows}


def characters(found: Extraction, asked: Roles) -> dict[str, object]:
    """Return the columns of both characters, and the notes."""
    label = character("subject", found.subject, asked.subject)
    if found.object is not None:
        label |= character("object", found.object, asked.object)
    return label | {"notes": found.notes or None}


def character(column: str, found: Found, role: str | None) -> dict[str, object]:
    """Return the columns of one character (`column` is subject or object)."""
    name = parse_name(found.name, role)
    return {
        f"{column}_name": name.full,
        f"{column}_first_name": name.first,
        f"{column}_references": list(found.references),
        f"{column}_gender": gender_of(found.references),
    }
