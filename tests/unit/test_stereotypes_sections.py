"""What a report says of terms, agreement and clusters."""

import pyarrow as pa
import pytest

from raylib.report.page import RunHeader, render
from raylib.report.sections import DataTable, Excerpts, Section, Warning
from raylib.studies.base import StudyOptions
from raylib.studies.narratives import STUDY
from raylib.studies.narratives.annotate import ANNOTATIONS
from raylib.studies.narratives.stereotypes.agreement import agreement_table
from raylib.studies.narratives.stereotypes.clusters import agreed_codes, cluster_table, exemplars
from raylib.studies.narratives.stereotypes.counts import COUNTS, term_counts
from raylib.studies.narratives.stereotypes.sections import agreement_section, clusters_section, search_section
from raylib.studies.narratives.stereotypes.sums import term_measures, term_sums
from raylib.studies.narratives.stereotypes.terms import load_terms
from raylib.studies.sums import add_up
from tests.stereotype_support import CODEBOOK, ratings, sample

PROMPTS = STUDY.prompts(StudyOptions("narratives"))
TERMS = load_terms()


def counts() -> pa.Table:
    """Four stories of each prompt; the first of each power-laden one holds a term about its object."""
    rows = [
        dict.fromkeys(ANNOTATIONS.names)
        | {"sample_id": f"{row['prompt_id']}{sample}", "prompt_id": row["prompt_id"], "status": "ok", "terms": terms}
        for row in PROMPTS.to_pylist()
        for sample in range(4)
        for terms in [[{"term": "gay", "role": "object"}] if row["condition"] == "power-laden" and not sample else []]
    ]
    sums = term_sums(pa.Table.from_pylist(rows, schema=ANNOTATIONS), PROMPTS, TERMS)
    return term_counts(add_up([sums], term_measures(TERMS)), TERMS)


def tables(section: Section) -> list[DataTable]:
    return [block for block in section.blocks if isinstance(block, DataTable)]


def page(*sections: Section) -> str:
    header = RunHeader(
        run="r", study="narratives", model="m", when="2026-01-01T00:00:00+00:00", warnings=(), provenance=(), recompute=(),
        counts={"planned": 0, "ok": 0, "refused": 0, "truncated": 0, "error": 0, "missing": 0},
    )  # fmt: skip
    return render("t", header, sections)


def test_groups_show_counts_by_role_and_zeros_with_their_intervals():
    groups, terms = tables(search_section(counts()))
    start = [name for name, _ in groups.groups].index("Sexualities") * 8
    rows = {row[0]: row[1:] for row in groups.rows[start : start + 8]}
    assert rows["All domains, power-laden"][:2] == ("50 / 200", "25.0%")
    assert rows["All domains, power-laden"][4:] == ("0", "50", "0")
    # Wilson at 0 of 200: up to 1.96^2 / (200 + 1.96^2) = 1.88%
    assert rows["All domains, power-neutral"][:3] == ("0 / 200", "0%", "[0%, 1.88%]")
    assert terms.rows == [("gay", "0", "50")]
    assert terms.groups == (("Sexualities", 1),)
    never = next(note for note in terms.notes if note.startswith("Pacific Islander nations"))
    assert "in no story (33 of 33)" in never
    assert "Tuvalu" in never


def test_without_searched_stories_the_section_says_so():
    (block,) = search_section(COUNTS.empty_table()).blocks
    assert isinstance(block, Warning)


def test_agreement_warns_of_rare_codes_and_gives_prevalence_beside_the_value():
    said = {f"s{place:02d}": ("y" if place < 10 else "n") + "n" for place in range(20)}
    section = agreement_section(agreement_table(ratings(ann=said, bob=said), CODEBOOK, replicates=100))
    (table,) = tables(section)
    assert table.title == "Cohen's kappa, 2 raters"
    assert table.rows[0][1:4] == ("1.00 (no interval)", "100%", "50.0%")
    assert table.rows[1][1:4] == ("unknown", "100%", "0%")
    assert any(isinstance(block, Warning) and "unstable" in block.text for block in section.blocks)


def test_without_a_rare_code_there_is_no_warning():
    said = {f"s{place:02d}": "yn" if place % 2 else "ny" for place in range(20)}
    section = agreement_section(agreement_table(ratings(ann=said, bob=said), CODEBOOK, replicates=100))
    assert not any(isinstance(block, Warning) for block in section.blocks)


def clustered(text: str = "A story.") -> Section:
    stories = sample(("s1", text), ("s2", "Another."), race="Latine")
    agreed = agreed_codes(ratings(ann={"s1": "yn", "s2": "u-"}), CODEBOOK)
    return clusters_section(cluster_table(stories, agreed), exemplars(stories, agreed))


def test_clusters_show_sizes_and_undecided_stories_and_exemplars_stay_closed():
    section = clustered()
    (table,) = tables(section)
    assert table.groups == (("all, all (1 undecided)", 1), ("Latine, F (1 undecided)", 1))
    assert table.rows == [("foreign", "1", "100%")] * 2
    (shown,) = [block for block in section.blocks if isinstance(block, Excerpts)]
    assert [item.sample_id for item in shown.items] == ["s1"]
    assert ("Codes", "foreign") in shown.items[0].labels


def test_a_hostile_story_is_escaped_on_the_page():
    html = page(clustered("<script>alert(1)</script>"), search_section(counts()))
    assert "<script>alert(1)" not in html
    assert "&lt;script&gt;alert(1)" in html


@pytest.mark.parametrize("values", ["u-", "--"])
def test_without_an_agreed_story_there_are_no_clusters(values):
    stories = sample(("s1", "A story."))
    agreed = agreed_codes(ratings(ann={"s1": values}), CODEBOOK)
    (block,) = clusters_section(cluster_table(stories, agreed), exemplars(stories, agreed)).blocks
    assert isinstance(block, Warning)
