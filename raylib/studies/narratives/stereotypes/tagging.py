"""The terms of annotated stories: every hit with the words around it, and as a column of the annotations."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from raylib.errors import DataError
from raylib.studies.narratives.extraction.roles import Roles
from raylib.studies.narratives.stereotypes.roles import ROLES, mentions_of, role_of
from raylib.studies.narratives.stereotypes.search import Hit, Searcher
from raylib.studies.narratives.stereotypes.terms import TermList
from raylib.studies.narratives.stereotypes.words import Words

TERMS_TYPE = pa.list_(pa.struct([("term", pa.string()), ("role", pa.string())]))
"""Each term of a story once for each role that it has there; [] where it has none, null where nothing was searched."""

HITS = pa.schema(
    [
        (name, pa.string())
        for name in (
            "sample_id",
            "prompt_id",
            "domain",
            "condition",
            "group",
            "term",
            "role",
            "before",
            "found",
            "after",
        )
    ]
)
"""One row an occurrence of a term: `found` as the text has it, with some words before and after."""


class Located(NamedTuple):
    """One hit in one of several texts, and whom it is about."""

    row: int
    words: Words
    hit: Hit
    role: str


def locate(
    searcher: Searcher,
    texts: Sequence[str | None] | pa.ChunkedArray,
    annotation: Callable[[int], Mapping[str, Any]],
    roles: Mapping[str, Roles],
) -> Iterator[Located]:
    """Yield the hits of all texts in order.

    Args:
        searcher: of the terms.
        texts: null for what is not to be searched.
        annotation: gives a text's row of `annotate.ANNOTATIONS`; asked for texts with a hit only.
        roles: prompt_id -> the characters that the prompt asks for.
    """
    for row, words, hits in searcher.search(texts):
        label = annotation(row)
        mentions = mentions_of(label, roles[label["prompt_id"]])
        for hit in hits:
            yield Located(row, words, hit, role_of(words, hit, mentions))


def term_values(located: Iterable[Located], searched: Sequence[bool]) -> list[list[dict[str, str]] | None]:
    """Return a value of `TERMS_TYPE` for each text."""
    pairs: list[set[tuple[str, str]] | None] = [set() if one else None for one in searched]
    for row, _, hit, role in located:
        known = pairs[row]
        if known is not None:
            known.add((hit.term, role))
    return [
        None if known is None else [{"term": term, "role": role} for term, role in sorted(known, key=_order)]
        for known in pairs
    ]


def search_part(
    searcher: Searcher,
    completions: pa.Table,
    annotations: pa.Table,
    prompts: pa.Table,
    roles: Mapping[str, Roles],
    window: int = 10,
) -> tuple[pa.Table, pa.Table]:
    """Search one part of a run again: return its hits (schema HITS) and its annotations with `terms` of this search.

    Args:
        searcher: of any list of terms, not only the study's own.
        completions: with `sample_id` and `text`.
        annotations: of the same samples in the same order (schema `annotate.ANNOTATIONS`).
        prompts: the study's prompt table.
        roles: prompt_id -> characters (`annotate.prompt_roles`).
        window: words on each side of a hit.

    Raises:
        DataError: the two tables hold other samples.
    """
    if completions["sample_id"] != annotations["sample_id"]:
        raise DataError("a part of completions and its annotations hold different samples; run jobs/annotate.py again")
    searched = annotations["terms"].is_valid()
    texts = pc.if_else(searched, completions["text"], None)

    def annotation(row: int) -> Mapping[str, Any]:
        return dict(annotations.slice(row, 1).to_pylist()[0])

    located = list(locate(searcher, texts, annotation, roles))
    hits = [_as_row(one, annotation(one.row), searcher.terms, window) for one in located]
    cells = {row["prompt_id"]: row for row in prompts.select(["prompt_id", "domain", "condition"]).to_pylist()}
    hits = [cells[hit["prompt_id"]] | hit for hit in hits]
    values = pa.array(term_values(located, searched.to_pylist()), TERMS_TYPE)
    place = annotations.schema.get_field_index("terms")
    return pa.Table.from_pylist(hits, schema=HITS), annotations.set_column(
        place, annotations.schema.field(place), values
    )


def _as_row(located: Located, annotation: Mapping[str, Any], terms: TermList, window: int) -> dict[str, str]:
    _, words, hit, role = located
    before, found, after = words.window(hit.first, hit.last, window)
    return {
        "sample_id": annotation["sample_id"], "prompt_id": annotation["prompt_id"], "group": terms.group_of[hit.term],
        "term": hit.term, "role": role, "before": before, "found": found, "after": after,
    }  # fmt: skip


def _order(pair: tuple[str, str]) -> tuple[str, int]:
    return pair[0], ROLES.index(pair[1])
