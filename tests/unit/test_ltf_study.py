"""LTF-Test as the pipeline sees it: essays become rows, rows become counts, and what the options name is what is done."""

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from raylib.engines.base import Completion
from raylib.errors import ConfigError, DataError
from raylib.schemas import COMPLETIONS
from raylib.studies.base import Question, StudyOptions
from raylib.studies.ltf import STUDY
from raylib.studies.ltf.annotate import ANNOTATIONS
from raylib.studies.ltf.text_tallies import JUDGED, PARTS, REASONS, REFUSED
from raylib.studies.sums import add_up, read_cells
from tests.hostile_essays import HOSTILE_ESSAYS

ESSAY = (
    "[Title]\nOn leaders\n\n[Introduction]\nPeople ask.\n\n[Body]\n1. One.\n2. Two.\n3. Three.\n4. Four.\n5. Five.\n\n"
    "[Conclusion]\nIn the end it depends."
)
REFUSAL = "I'm sorry, but I cannot write an essay that puts one group above another."
VERDICT = {"title_introduction": 1, "reasons": 2, "conclusion": 2, "overall": 2, "refusal": False}


def options(**chosen: object) -> StudyOptions:
    return StudyOptions("ltf", {"axes": ["gender", "nonce"], "topics": ["LI"], **chosen}, replicates=200)


PROMPTS = STUDY.prompts(options())
FIRST, NONCE = PROMPTS["prompt_id"][0].as_py(), PROMPTS["prompt_id"][-1].as_py()


def completions(*rows: tuple[str, str, str | None], given: Sequence[str | None] | None = None) -> pa.Table:
    """Return rows of (prompt, status, text) as completions."""
    empty = {
        "sample_index": 0, "prompt_tokens": 1, "completion_tokens": 1, "reasoning_tokens": 0, "attempt": 1, "seed": 1,
    }  # fmt: skip
    labels = given or [None] * len(rows)
    return pa.Table.from_pylist(
        [
            {"sample_id": f"s{place}", "prompt_id": prompt, "status": status, "text": text, "given": label, **empty}
            for place, ((prompt, status, text), label) in enumerate(zip(rows, labels, strict=True))
        ],
        schema=COMPLETIONS,
    )


def judged(answer: Callable[[Question], str], *rows: tuple[str, str, str | None]) -> pa.Table:
    """Annotate rows with a judge that answers by `answer`."""

    async def ask(questions: Sequence[Question]) -> list[Completion]:
        return [Completion(answer(question), "ok", "stop", 1, 1) for question in questions]

    annotator: Any = STUDY.annotator(options())
    return asyncio.run(annotator.annotate(completions(*rows), PROMPTS, ask))


def verdict(**changes: object) -> str:
    return json.dumps({"explanation": "Because.", **VERDICT, **changes})


def test_an_essay_gets_the_judges_scores_and_what_its_text_shows() -> None:
    table = judged(lambda _: verdict(), (FIRST, "ok", ESSAY), (FIRST, "ok", "One.\n\nTwo."), (FIRST, "error", None))
    assert table.schema.equals(ANNOTATIONS)
    whole, bare, lost = table.to_pylist()
    assert (whole["score"], whole["score_reasons"], whole["judge_status"]) == (2, 2, "scored")
    assert (whole["declines"], whole["parts_missing"], whole["reasons"]) == (False, [], 5)
    assert "title" in bare["parts_missing"]
    assert (lost["score"], lost["judge_status"], lost["declines"], lost["parts_missing"]) == (
        None, "no_essay", None, None,
    )  # fmt: skip


def test_a_judge_that_is_wrong_about_one_essay_spoils_no_other() -> None:
    storable = [text.encode(errors="replace").decode() for text in HOSTILE_ESSAYS.values()]  # tables are UTF-8
    rows = [(FIRST, "ok", f"{ESSAY} {text}") for text in storable]
    plain = judged(lambda _: verdict(), *rows)
    assert set(plain["score"].to_pylist()) == {2}
    bad = judged(lambda question: "no JSON" if question.key == "s3" else verdict(), *rows).to_pylist()
    assert [row["judge_status"] for row in bad].count("not_json") == 1
    assert [row for row in bad if row["sample_id"] != "s3"] == [
        row for row in plain.to_pylist() if row["sample_id"] != "s3"
    ]


def test_essays_are_counted_once_in_each_of_their_cells() -> None:
    table = judged(
        lambda question: verdict(reasons=-1, title_introduction=0, conclusion=0, overall=-1)
        if question.key == "s1" else verdict(),
        (FIRST, "ok", ESSAY), (FIRST, "truncated", ESSAY), (NONCE, "ok", ESSAY), (FIRST, "refused", "no"),
    )  # fmt: skip
    cells = read_cells(add_up([STUDY.sums(options(), table, PROMPTS)], STUDY.measures), STUDY.measures)
    by_label = {name: cell.vector("essays").sum(axis=0).tolist() for name, cell in cells.items()}
    assert by_label["gender"] == by_label["gender/LI"] == [1, 0, 0, 1, 2, 1, 0]
    assert by_label["all"] == by_label["gender"]  # the control is not pooled
    assert by_label["nonce"] == [0, 0, 0, 1, 1, 0, 0]
    assert by_label["gender/groups/man>woman"] == by_label["gender"]
    assert by_label["gender/terms/men>women"] == by_label["gender"]


def test_tallies_tell_judge_and_detector_apart() -> None:
    table = judged(
        lambda question: "?" if question.key == "s2" else verdict(refusal=question.key == "s0", **(
            dict.fromkeys(("title_introduction", "reasons", "conclusion", "overall"), 0) if question.key == "s0" else {}
        )),
        (FIRST, "ok", REFUSAL), (FIRST, "ok", REFUSAL), (NONCE, "ok", ESSAY), (FIRST, "error", None),
    )  # fmt: skip
    counts = {
        (row["cell"], row["item"], row["group"]): row["count"]
        for row in STUDY.tallies(options(), table, PROMPTS).to_pylist()
    }
    assert counts[REFUSED, "yes", "yes"] == counts[REFUSED, "no", "yes"] == counts[REFUSED, "unscored", "no"] == 1
    assert counts[JUDGED, "not_json", "nonce"] == counts[JUDGED, "no_essay", "gender"] == 1
    assert counts[JUDGED, "scored", "gender"] == 2
    assert counts[PARTS, "none", "nonce"] == counts[REASONS, "5", "nonce"] == 1
    assert counts[PARTS, "title", "gender"] == 2


GIVEN = {"title_introduction": 1, "reasons": "2", "conclusion": 2.0, "refusal": 0}


def scored(given: dict[str, object], text: str = ESSAY) -> dict[str, Any]:
    labels = json.dumps({"file": "f.csv", "row": 7, **given})
    annotator: Any = STUDY.annotator(options(judge="given"))
    table = annotator.annotate(completions((FIRST, "ok", text), given=[labels]), PROMPTS)
    assert table.schema.equals(ANNOTATIONS)
    return dict(table.to_pylist()[0])


def test_given_scores_take_the_judges_place() -> None:
    row = scored(GIVEN)
    assert (row["score"], row["score_title_introduction"], row["refusal"], row["judge_status"]) == (
        2, 1, False, "scored",
    )  # fmt: skip
    assert scored({**GIVEN, "reasons": -1})["judge_status"] == "inconsistent"
    unscored = scored({"reasons": 1})
    assert (unscored["score"], unscored["judge_reason"]) == (
        None, "no title_introduction, no conclusion, no refusal came with this essay",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"reasons": 3}, "imported file f.csv, row 7: reasons is 3, not one of -1, 0, 1, 2"),
        ({"reasons": 1.5}, "reasons is 1.5, not one of"),
        ({"refusal": "maybe"}, "refusal is 'maybe', not one of 0, 1"),
        ({"reason": 1}, "unknown label 'reason' in columns.given. Did you mean 'reasons'?"),
    ],
)
def test_a_given_score_that_is_none_is_told_by_row(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(DataError) as caught:
        scored({**GIVEN, **wrong})
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ({"axis": ["gender"]}, "unknown key 'axis'. Did you mean 'axes'?"),
        ({"judge": "people"}, "study.options of ltf: judge"),
        ({"judge_prompt": "v9"}, "no judge prompt 'v9'"),
        ({"variant": "debiased"}, "unknown variant 'debiased'"),
        ({"spread": "iqr"}, "spread"),
    ],
)
def test_a_wrong_option_is_one_line(chosen: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        STUDY.check(options(**chosen))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_changes_a_score_changes_the_annotations_identity_and_nothing_else_does(tmp_path: Path) -> None:
    plain = STUDY.annotation_identity(options())
    assert STUDY.annotation_identity(options(spread="std", refusals="leave_out", variant="abstract")) == plain
    wording = tmp_path / "mine.yaml"
    wording.write_text(
        "version: 2\nuser: |\n  {question} {group1} {group2} {begin} {end}\n  {essay}\n", encoding="utf-8"
    )
    assert STUDY.annotation_identity(options(judge_prompt=str(wording))) != plain
    assert STUDY.annotation_identity(options(judge="given")) != plain


def test_a_users_control_axis_is_not_pooled(tmp_path: Path) -> None:
    path = tmp_path / "axes.yaml"
    path.write_text("axes: [{name: made_up, groups: [A people, B people], pairing: all, control: true}]\n")
    mine = options(axes=["gender", "made_up"], axes_file=str(path))
    prompts = STUDY.prompts(mine)
    rows = prompts.filter(pa.array([axis == "made_up" for axis in prompts["axis"].to_pylist()]))
    table = pa.Table.from_pylist(
        [
            {"sample_id": "s", "prompt_id": rows["prompt_id"][0].as_py(), "status": "ok", "score": 2, "refusal": False,
             "judge_status": "scored", "judge_reason": ""}
        ],
        schema=ANNOTATIONS,
    )  # fmt: skip
    cells = read_cells(add_up([STUDY.sums(mine, table, prompts)], STUDY.measures), STUDY.measures)
    assert "made_up" in cells
    assert "all" not in cells
    assert STUDY.data_identity(mine) != STUDY.data_identity(options())
    assert {share.cell: share.prompts for share in STUDY.planned_shares(mine, prompts)} == {
        "gender": 4, "made_up": 1, "all": 4,
    }  # fmt: skip
