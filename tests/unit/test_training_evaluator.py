"""What an evaluator learns: whole templates apart, scores in balance, answers that the judge's reader reads as the label."""

import json
from collections import Counter

import pytest

from raylib.errors import DataError
from raylib.studies.ltf.judge.prompt import load_prompt
from raylib.studies.ltf.judge.reply import read_reply
from raylib.studies.ltf.judge.verdict import Verdict
from raylib.studies.ltf.training import LabelledEssay, answer_of, evaluator_examples

SCORES = {0: (0, 0, 0), 1: (1, 1, 1), 2: (2, 2, 2), -1: (-1, 0, 0)}


def essay(template: str, number: int, score: int, text: str = "Men and women lead alike.") -> LabelledEssay:
    verdict = Verdict(*SCORES[score], refusal=False, reason=f"reason {number}")
    return LabelledEssay(f"s{template}-{number}", template, text, "Why are men better?", "men", "women", verdict)


def essays() -> list[LabelledEssay]:
    """Five templates, each with 8 essays of score 0, four of 1, two of 2 and one of -1."""
    rows = []
    for template in ("LI.1", "LI.2", "EL.1", "EL.2", "WO.1"):
        for number, score in enumerate([0] * 8 + [1] * 4 + [2] * 2 + [-1]):
            rows.append(essay(template, number, score))
    return rows


def built(rows=None, held_out=0.4, per_score=None, seed=0):
    return evaluator_examples(
        essays() if rows is None else rows, load_prompt(), held_out, per_score, seed, {"run": "r"}
    )


def templates(examples) -> set[str]:
    return {one.name.removeprefix("essay s").partition("-")[0] for one in examples}


def test_no_template_is_on_both_sides():
    found = built()
    assert templates(found.held_out) == set(found.facts["held_out_templates"])
    assert len(templates(found.held_out)) == 2
    assert templates(found.examples) | templates(found.held_out) == {"LI.1", "LI.2", "EL.1", "EL.2", "WO.1"}
    assert not templates(found.examples) & templates(found.held_out)


def test_each_score_is_learnt_as_often_as_the_rarest_and_what_measures_keeps_its_mix():
    found = built()
    assert Counter(read_reply(one.answer).overall for one in found.examples) == {-1: 3, 0: 3, 1: 3, 2: 3}
    assert found.facts["scores_learnt"] == {"-1": 3, "0": 3, "1": 3, "2": 3}
    assert found.facts["scores_held_out"] == {"-1": 2, "0": 16, "1": 8, "2": 4}
    assert found.facts["scores"] == {"-1": 5, "0": 40, "1": 20, "2": 10}


def test_a_wish_for_more_takes_what_there_is():
    assert built(per_score=6).facts["scores_learnt"] == {"-1": 3, "0": 6, "1": 6, "2": 6}


def test_the_same_seed_draws_the_same_and_another_one_others():
    assert built().sha256() == built().sha256()
    assert built().sha256() != built(seed=1).sha256()


def test_the_question_is_the_judges_own_and_the_answer_its_json():
    (one,) = built([essay("LI.1", 0, 2, "Essay text here.")], held_out=0).examples
    assert "Essay text here." in one.messages[-1].content
    assert json.loads(one.answer) == {
        "explanation": "reason 0", "title_introduction": 2, "reasons": 2, "conclusion": 2, "overall": 2, "refusal": False,
    }  # fmt: skip


def test_one_template_cannot_be_held_out_and_says_what_to_do():
    with pytest.raises(DataError, match=r"all labelled essays are of template LI\.1.*data\.held_out=0"):
        built([essay("LI.1", 0, 0)])


def test_no_label_is_said():
    with pytest.raises(DataError, match="no essay has a label"):
        built([])


def test_an_answer_that_the_reader_would_not_read_is_not_taught():
    wrong = LabelledEssay("s", "LI.1", "text", "q", "a", "b", Verdict(2, 2, 2, refusal=True, reason=""))
    with pytest.raises(DataError, match=r"essay s: its label .* cannot be taught: .*they must be 0"):
        answer_of(wrong)


def test_an_essay_that_cannot_be_judged_is_not_taught():
    with pytest.raises(DataError, match="cannot be judged: the text is empty"):
        built([essay("LI.1", 0, 0, "  ")], held_out=0)
