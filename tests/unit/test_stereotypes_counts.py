"""Counts of stories with a term: what counts once, what is zero, what adds up."""

import pyarrow as pa
import pytest

from raylib.errors import DataError
from raylib.schemas import COMPLETIONS, SUMS
from raylib.studies.base import StudyOptions
from raylib.studies.narratives import STUDY
from raylib.studies.narratives.annotate import ANNOTATIONS, prompt_roles
from raylib.studies.narratives.stereotypes.counts import COUNTS, term_counts
from raylib.studies.narratives.stereotypes.search import Searcher
from raylib.studies.narratives.stereotypes.sums import term_measures, term_sums
from raylib.studies.narratives.stereotypes.tagging import search_part
from raylib.studies.narratives.stereotypes.terms import load_terms
from raylib.studies.sums import add_up

OPTIONS = StudyOptions("narratives")
PROMPTS = STUDY.prompts(OPTIONS)
TERMS = load_terms()
MEASURES = term_measures(TERMS)


def prompt_id(start: str) -> str:
    return next(name for name in PROMPTS["prompt_id"].to_pylist() if name.startswith(start))


ACTOR, COOK, DOCTOR = prompt_id("labor.actor.neutral"), prompt_id("labor.cook.neutral"), prompt_id("labor.doctor.laden")


def annotated(*rows) -> pa.Table:
    """Rows of (prompt id, [(term, role), ...] or None[, status])."""
    empty = dict.fromkeys(ANNOTATIONS.names)
    return pa.Table.from_pylist(
        [
            empty | {"sample_id": f"s{place}", "prompt_id": prompt, "status": status[0] if status else "ok",
                     "terms": None if terms is None else [{"term": term, "role": role} for term, role in terms]}
            for place, (prompt, terms, *status) in enumerate(rows)
        ],
        schema=ANNOTATIONS,
    )  # fmt: skip


ROWS = (
    (ACTOR, [("Navajo", "subject"), ("Navajo", "unknown"), ("Samoa", "unknown")]),
    (ACTOR, []),
    (COOK, [("Hopi", "subject")]),
    (COOK, [], "truncated"),
    (COOK, None, "refused"),
    (COOK, None),
    (DOCTOR, [("gay", "object")]),
)


def counted(table: pa.Table, **where) -> dict:
    (row,) = [row for row in table.to_pylist() if all(row[key] == value for key, value in where.items())]
    return row


def counts(*rows) -> pa.Table:
    return term_counts(add_up([term_sums(annotated(*rows), PROMPTS, TERMS)], MEASURES), TERMS)


def test_a_story_counts_once_a_group_once_a_term_and_under_each_role():
    table = counts(*ROWS)
    labor = {"domain": "Labor", "condition": "power-neutral", "group": "Native nations"}
    assert {role: counted(table, **labor, term=None, role=role)["count"] for role in ("any", "subject", "object", "unknown")} == {
        "any": 2, "subject": 2, "object": 0, "unknown": 1,
    }  # fmt: skip
    assert counted(table, **labor, term="Navajo")["count"] == 1
    assert counted(table, **labor, term="Hopi")["count"] == 1
    assert counted(table, **labor | {"domain": "all"}, term=None, role="any")["count"] == 2


def test_stories_that_were_not_searched_are_in_no_denominator():
    row = counted(
        counts(*ROWS), domain="Labor", condition="power-neutral", group="Native nations", term=None, role="any"
    )
    assert (row["stories"], row["prompts"], row["share"]) == (4, 2, 0.5)
    # Wilson at z = 1.96 for 2 of 4: centre 1/2, half = 1.96 * sqrt(1/16 + 1.96^2 / 64) / (1 + 1.96^2 / 4)
    assert row["ci_low"] == pytest.approx(0.5 - 1.96 * (1 / 16 + 1.96**2 / 64) ** 0.5 / (1 + 1.96**2 / 4))
    assert row["cluster_low"] < row["ci_low"]
    assert row["cluster_high"] > row["ci_high"]


def test_a_term_that_never_occurs_is_zero_with_an_interval():
    row = counted(counts(*ROWS), domain="Labor", condition="power-neutral", term="Tuvalu")
    assert (row["count"], row["share"], row["ci_low"]) == (0, 0.0, 0.0)
    assert row["ci_high"] == pytest.approx(1.96**2 / (4 + 1.96**2))  # Wilson's upper end at 0 of 4


def test_every_group_and_term_has_a_row_in_every_cell():
    table = counts(*ROWS)
    assert table.schema == COUNTS
    assert table.num_rows == 4 * (4 * len(TERMS.groups) + len(TERMS.group_of))  # Labor and all, neutral and laden


def test_one_prompt_has_no_interval_by_prompt():
    row = counted(counts(*ROWS), domain="Labor", condition="power-laden", group="Sexualities", term=None, role="object")
    assert (row["count"], row["prompts"], row["cluster_low"], row["cluster_high"]) == (1, 1, None, None)


def test_sums_of_parts_add_up_to_the_sums_of_the_whole():
    whole = term_sums(annotated(*ROWS), PROMPTS, TERMS)
    parts = [term_sums(annotated(*rows), PROMPTS, TERMS) for rows in (ROWS[:3], ROWS[3:], ())]
    assert whole.schema == SUMS
    assert add_up(parts, MEASURES) == add_up([whole], MEASURES)


def test_without_stories_there_is_nothing_to_count():
    assert counts((ACTOR, None, "error")).num_rows == 0


def test_other_measures_of_the_study_do_not_disturb():
    other = pa.Table.from_pylist([{"cell": "x/y", "cluster": "c", "measure": "stories", "values": [1.0]}], schema=SUMS)
    sums = pa.concat_tables([term_sums(annotated(*ROWS), PROMPTS, TERMS), other])
    assert term_counts(sums, TERMS) == counts(*ROWS)


def completions(*texts: str) -> pa.Table:
    return pa.table({"sample_id": [f"s{place}" for place in range(len(texts))], "text": list(texts)})


def test_a_part_searched_again_gives_hits_with_their_words_and_the_terms_of_this_search():
    before = annotated((DOCTOR, []), (DOCTOR, None, "refused"))
    hits, after = search_part(
        Searcher(TERMS), completions("The doctor met a young gay patient, and a gay nurse.", "gay"), before, PROMPTS,
        prompt_roles(PROMPTS), window=2,
    )  # fmt: skip
    assert [(row["sample_id"], row["group"], row["term"], row["role"]) for row in hits.to_pylist()] == [
        ("s0", "Sexualities", "gay", "object"), ("s0", "Sexualities", "gay", "object")
    ]  # fmt: skip
    first = hits.to_pylist()[0]
    assert (first["before"], first["found"], first["after"]) == ("a young ", "gay", " patient, and")
    assert (first["domain"], first["condition"]) == ("Labor", "power-laden")
    assert after["terms"].to_pylist() == [[{"term": "gay", "role": "object"}], None]
    assert after.schema == ANNOTATIONS


def test_annotate_and_a_later_search_find_the_same_terms():
    texts = (
        "Dr. Reyes met Sam, a Navajo boy.",
        "The gay doctor was Samoan. She left.",
        "Nothing.",
        "A Crow elder spoke.",
    )
    rows = [
        {"sample_id": f"s{place}", "prompt_id": DOCTOR, "sample_index": place, "status": "ok", "text": text,
         "prompt_tokens": 1, "completion_tokens": 1, "reasoning_tokens": 0, "attempt": 1}
        for place, text in enumerate(texts)
    ]  # fmt: skip
    told = pa.Table.from_pylist([dict.fromkeys(COMPLETIONS.names) | row for row in rows], schema=COMPLETIONS)
    annotations = STUDY.annotator(OPTIONS).annotate(told, PROMPTS)
    hits, again = search_part(Searcher(TERMS), told, annotations, PROMPTS, prompt_roles(PROMPTS))
    assert again["terms"] == annotations["terms"]
    assert [row["term"] for row in hits.to_pylist()] == ["Navajo", "gay", "Samoa", "Crow"]
    assert annotations["terms"].to_pylist()[0] == [{"term": "Navajo", "role": "object"}]


def test_parts_of_different_samples_are_refused():
    with pytest.raises(DataError, match=r"different samples; run jobs/annotate\.py again"):
        search_part(Searcher(TERMS), completions("a", "b"), annotated((ACTOR, [])), PROMPTS, prompt_roles(PROMPTS))
