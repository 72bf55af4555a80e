"""What several judges said, kept in the combined annotations, counted, and reported: nothing that agreement needs is lost."""

import numpy as np
import pyarrow as pa
import pytest

from raylib.errors import DataError
from raylib.report.page import render
from raylib.report.sections import DataTable, Section
from raylib.schemas import TALLIES
from raylib.studies.base import StudyOptions
from raylib.studies.ltf.annotate import ANNOTATIONS
from raylib.studies.ltf.combined import COMBINED_ANNOTATIONS, combined_annotations
from raylib.studies.ltf.judge.agreement import judges_agreement, status_counts
from raylib.studies.ltf.judge.agreement_section import judges_section
from raylib.studies.ltf.judge.tallied import judge_tallies, tallied_agreement, tallied_statuses
from raylib.studies.ltf.judge.verdict import Unscored, Verdict, judge_row
from raylib.studies.ltf.study import LtfStudy
from raylib.studies.sums import add_tallies
from tests.report_support import header

STUDY, OPTIONS = LtfStudy(), StudyOptions("ltf", {"axes": ["nonce"], "topics": ["LI"]})
PROMPTS = STUDY.prompts(OPTIONS)
REFUSAL = Verdict(0, 0, 0, refusal=True, reason="")
ODD = Unscored("wrong_form", "score=3|beta=2")  # as a judge's answer might be: its words are in no tally


def drawn(seed: int) -> list[Verdict | Unscored]:
    """Return a verdict an essay: mostly a score, now and then a refusal or none."""
    rng = np.random.default_rng(seed)
    found: list[Verdict | Unscored] = []
    for score, other in rng.integers(-1, 3, size=(PROMPTS.num_rows, 2)).tolist():
        sections = (score, max(score, 0), score) if score >= 0 else (-1, -1, 0)
        verdict = Verdict(*sections, refusal=False, reason=f"because {other}")
        found.append(verdict if rng.random() < 0.8 else REFUSAL if rng.random() < 0.5 else ODD)
    return found


def table(verdicts: list[Verdict | Unscored]) -> pa.Table:
    rows = [
        {"sample_id": f"s{place}", "prompt_id": prompt, "status": "ok", **judge_row(found),
         "declines": False, "parts_missing": [], "reasons": 5}
        for place, (prompt, found) in enumerate(zip(PROMPTS["prompt_id"].to_pylist(), verdicts, strict=True))
    ]  # fmt: skip
    return pa.Table.from_pylist(rows, schema=ANNOTATIONS)


def judges(*names: str) -> dict[str, pa.Table]:
    return {name: table(drawn(seed)) for seed, name in enumerate(names)}


def tallies(tables: dict[str, pa.Table]) -> pa.Table:
    return STUDY.tallies(OPTIONS, combined_annotations(tables, "majority"), PROMPTS)


@pytest.mark.parametrize("names", [("alpha", "beta"), ("a", "b.2", "c-3"), ("a", "b", "c", "d")])
def test_agreement_from_tallies_is_the_agreement_of_the_judges_tables(names: tuple[str, ...]) -> None:
    tables = judges(*names)
    found = tallied_agreement(tallies(tables), seed=5, replicates=300).to_pylist()
    wanted = judges_agreement(tables, clusters=PROMPTS["cluster"].to_pylist(), seed=5, replicates=300).to_pylist()
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        for key in ("judges", "measure", "statistic", "essays"):
            assert one[key] == other[key]
        for key in ("value", "ci_low", "ci_high"):
            assert one[key] == pytest.approx(other[key], rel=1e-12)
    assert {row["essays"] for row in found} - {PROMPTS.num_rows}  # some essays have no score of some judge


def test_statuses_are_counted_for_each_judge() -> None:
    tables = judges("alpha", "beta")
    assert tallied_statuses(tallies(tables)) == {name: status_counts(one) for name, one in tables.items()}
    assert tallied_statuses(tallies(tables))["beta"]["wrong_form"] > 0


def test_tallies_of_parts_add_up_to_those_of_the_whole() -> None:
    whole = combined_annotations(judges("alpha", "beta"), "majority")
    parts = [judge_tallies(whole.slice(start, 20), PROMPTS) for start in range(0, whole.num_rows, 20)]
    assert add_tallies(parts) == judge_tallies(whole, PROMPTS)


def test_one_judge_has_no_section_and_no_tallies_of_judges() -> None:
    one = STUDY.tallies(OPTIONS, table(drawn(0)), PROMPTS)
    assert one.num_rows > 0
    assert not [cell for cell in one["cell"].to_pylist() if cell.startswith("judges/")]
    assert (tallied_statuses(one), tallied_agreement(one).num_rows, judges_section(one)) == ({}, 0, None)


def test_tallies_of_different_judges_are_refused() -> None:
    both = add_tallies([tallies(judges("alpha", "beta")), tallies(judges("alpha", "gamma"))])
    with pytest.raises(DataError, match=r"tallies of different judges.*run jobs/metrics\.py again"):
        tallied_agreement(both)


def test_combined_annotations_keep_every_verdict_and_the_judges_columns_hold_the_combined_one() -> None:
    tables = judges("alpha", "beta", "gamma")
    found = combined_annotations(tables, "mean")
    assert found.schema == COMBINED_ANNOTATIONS
    assert found["sample_id"] == tables["alpha"]["sample_id"]
    for place, row in enumerate(found.to_pylist()):
        for verdict in row["verdicts"]:
            one = tables[verdict.pop("judge")].slice(place, 1).to_pylist()[0]
            assert verdict == {key: one[key] for key in verdict}
    assert found["score"].null_count < found.num_rows


def test_tables_of_other_texts_are_refused() -> None:
    tables = judges("alpha", "beta")
    place = tables["beta"].column_names.index("reasons")
    other = tables["beta"].set_column(place, ANNOTATIONS.field("reasons"), pa.array([4] * PROMPTS.num_rows, pa.int16()))
    with pytest.raises(DataError, match="judges alpha and beta saw different essays"):
        combined_annotations({"alpha": tables["alpha"], "beta": other}, "majority")


def blocks(section: Section) -> dict[str, DataTable]:
    return {block.title: block for block in section.blocks if isinstance(block, DataTable)}


def counted(*rows: tuple[str, str, int]) -> pa.Table:
    """Return tallies of one template: (item, measure, count)."""
    made = [{"cell": "judges/LI.1", "item": item, "group": group, "count": count} for item, group, count in rows]
    return pa.Table.from_pylist(made, schema=TALLIES)


def test_the_section_says_what_the_tallies_say() -> None:
    measures = ("score_title_introduction", "score_reasons", "score_conclusion", "score")
    rows = [(item, measure, count) for measure in measures for item, count in (("a=1|b=1", 30), ("a=0|b=1", 10))]
    refusals = [("a=0|b=0", "refusal", 40), ("a=-|b=0", "refusal", 2), ("a=-|b=0", "score", 2)]
    statuses = [("a=scored|b=scored", "judge_status", 40), ("a=not_json|b=scored", "judge_status", 2)]
    judged = pa.Table.from_pylist(
        [{"cell": "judged", "item": "judges_disagree", "group": "nonce", "count": 10}], schema=TALLIES
    )
    section = judges_section(pa.concat_tables([counted(*rows, *refusals, *statuses), judged]), replicates=100)
    assert section is not None
    found = blocks(section)
    assert found["What each judge made of the essays"].columns == ("Judge", "scored", "not json")
    assert found["What each judge made of the essays"].rows == [("a", "40", "2"), ("b", "42", "0")]
    pairs = {row[1]: row for row in found["Each pair of judges"].rows}
    assert pairs["Score"][:3] == ("a and b", "Score", "40")
    assert pairs["Score"][3].startswith("75.0% [")  # 30 of 40
    assert pairs["Score"][4].startswith("0 [")  # b always says 1: what a says adds nothing to chance
    assert pairs["Refusal"][3].startswith("100% [")
    assert pairs["Refusal"][4] == "unknown"  # nobody saw one
    alpha = {row[0]: row for row in found["All judges"].rows}
    # 80 ratings, 70 of them 1, and 10 pairs of different ones. With two values every metric is the nominal one:
    # alpha = 1 - (80 - 1) x (2 x 10) / (2 x 70 x 10) = -0.129.
    assert alpha["Score"][2].startswith("\N{MINUS SIGN}0.129 (no interval)")  # one template
    text = render("t", header(), [section])
    assert "42 samples went to 2 judges, a, b" in text
    assert "no score to 10 on which they disagree" in text
