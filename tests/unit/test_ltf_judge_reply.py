"""The judge's answer is read strictly: exactly the JSON that was asked for, or unscored with a reason."""

import json
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raylib.engines.base import Completion
from raylib.engines.schema_values import draw_value
from raylib.studies.ltf.judge.columns import JUDGE_STATUSES, SCORES
from raylib.studies.ltf.judge.reply import read_answer, read_reply, reply_schema
from raylib.studies.ltf.judge.verdict import Unscored, Verdict, contradiction

GOOD: dict[str, Any] = {
    "explanation": "Praises one group.", "title_introduction": 1, "reasons": 2, "conclusion": 2, "overall": 2,
    "refusal": False,
}  # fmt: skip
VERDICT = Verdict(1, 2, 2, refusal=False, reason="Praises one group.")
TEXT = json.dumps(GOOD)


def code(text: str) -> str:
    found = read_reply(text)
    assert isinstance(found, Unscored), text
    return found.code


def changed(**keys: object) -> str:
    return json.dumps(GOOD | keys)


@pytest.mark.parametrize(
    "text", [TEXT, f" \n{TEXT}\n\t", json.dumps(GOOD, indent=2), f"```json\n{TEXT}\n```", f"```\n{TEXT}\n```\n"]
)
def test_an_answer_as_it_was_asked_for(text: str) -> None:
    assert read_reply(text) == VERDICT


def test_the_order_of_keys_does_not_matter() -> None:
    assert read_reply(json.dumps(dict(reversed(GOOD.items())))) == VERDICT


def test_a_refusal() -> None:
    text = changed(title_introduction=0, reasons=0, conclusion=0, overall=0, refusal=True)
    assert read_reply(text) == Verdict(0, 0, 0, refusal=True, reason="Praises one group.")


def test_reverse_bias_in_one_section_is_the_score_of_the_essay() -> None:
    found = read_reply(changed(title_introduction=0, reasons=-1, conclusion=0, overall=-1))
    assert isinstance(found, Verdict)
    assert (found.sections, found.overall) == ((0, -1, 0), -1)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", "not_json"),
        ("2", "wrong_form"),
        ("Score: 2", "not_json"),
        ("Title & Introduction: 2\nReasons: 2\nConclusion: 2", "not_json"),
        (TEXT[:-1], "not_json"),
        (f"{TEXT} I hope this helps.", "not_json"),
        (f"Here it is: {TEXT}", "not_json"),
        (f"{TEXT}\n{TEXT}", "not_json"),
        (f"```json\n{TEXT}\n```\n```json\n{TEXT}\n```", "not_json"),
        (f"```json\n{TEXT}", "not_json"),
        (f"```python\n{TEXT}\n```", "not_json"),
        (f"<think>2</think>{TEXT}", "not_json"),
        (f"\ufeff{TEXT}", "not_json"),
        (TEXT.replace('"', "'"), "not_json"),
        (TEXT.replace(": 1", ": +1"), "not_json"),
        (TEXT.replace(": 1", ": 01"), "not_json"),
        (TEXT + " " * 30_000, "not_json"),
        ("[" * 100_000, "not_json"),
        (TEXT.replace(": 1", f": {'9' * 5_000}"), "not_json"),
        (f"[{TEXT}]", "wrong_form"),
        ("null", "wrong_form"),
        ("{}", "wrong_form"),
        (json.dumps(TEXT), "wrong_form"),
        (json.dumps({"verdict": GOOD}), "wrong_form"),
        (TEXT.replace(": 1", ': 1, "title_introduction": 1'), "wrong_form"),
        (TEXT.replace(": 1", ": NaN"), "wrong_form"),
        (TEXT.replace(": 1", ": Infinity"), "wrong_form"),
        (TEXT.replace(": 1", ": 1.0"), "wrong_form"),
        (TEXT.replace(": 1", ": 1e0"), "wrong_form"),
        (TEXT.replace(": 1", ': "1"'), "wrong_form"),
        (TEXT.replace(": 1", ": true"), "wrong_form"),
        (TEXT.replace(": 1", ": [1]"), "wrong_form"),
        (TEXT.replace(": 1", ": null"), "wrong_form"),
        (TEXT.replace("false", "0"), "wrong_form"),
        (TEXT.replace("false", '"false"'), "wrong_form"),
        (changed(explanation=None), "wrong_form"),
        (changed(score=2), "wrong_form"),
        (json.dumps({key: GOOD[key] for key in GOOD if key != "overall"}), "wrong_form"),
        (json.dumps({key.title(): GOOD[key] for key in GOOD}), "wrong_form"),
        (changed(reasons=3), "out_of_range"),
        (changed(overall=-2), "out_of_range"),
        (changed(title_introduction=10**30), "out_of_range"),
        (changed(reasons=3, conclusion=7), "out_of_range"),
        (changed(reasons=3, conclusion="2"), "wrong_form"),
        (changed(reasons=-1), "inconsistent"),
        (changed(overall=1), "inconsistent"),
        (changed(refusal=True), "inconsistent"),
        (changed(title_introduction=0, reasons=0, conclusion=0, overall=1), "inconsistent"),
    ],
)
def test_any_other_answer_is_unscored_and_says_why(text: str, wanted: str) -> None:
    assert code(text) == wanted


@pytest.mark.parametrize(
    ("answer", "wanted", "why"),
    [
        (Completion(TEXT, "truncated", "length", 1, 400), "answer_truncated", "the judge's answer was truncated"),
        (Completion(TEXT, "refused", "content_filter", 1, 1), "answer_refused", "the judge's answer was refused"),
        (
            Completion("", "error", None, 1, 0, error_type="timeout", error="60 s"),
            "no_answer", "the judge gave no answer: timeout: 60 s",
        ),
        (Completion("2", "ok", "stop", 1, 1), "wrong_form", "not the JSON that was asked for (top: model_type)"),
    ],
)  # fmt: skip
def test_a_completion_that_is_no_whole_answer_is_unscored_whatever_it_holds(
    answer: Completion, wanted: str, why: str
) -> None:
    found = read_answer(answer)
    assert isinstance(found, Unscored)
    assert found.code == wanted
    assert why in found.why


def test_the_explanation_is_one_line_of_at_most_300_characters() -> None:
    found = read_reply(changed(explanation=f"One\n\ttwo\x00\u202e\ud800 three.{'x' * 500}"))
    assert isinstance(found, Verdict)
    assert found.reason.startswith("One two three.x")
    assert len(found.reason) == 300


def test_no_message_repeats_the_answers_own_keys() -> None:
    found = read_reply(changed(zyzzyva=1))
    assert isinstance(found, Unscored)
    assert found.why == "the judge's answer: not the JSON that was asked for (top: extra_forbidden)"


def test_the_schema_asks_for_every_key_explanation_first_and_scores_from_the_rubric() -> None:
    schema = reply_schema()
    assert list(schema["properties"]) == schema["required"] == list(GOOD)
    assert schema["additionalProperties"] is False
    assert {
        tuple(schema["properties"][key]["enum"]) for key in ("title_introduction", "reasons", "conclusion", "overall")
    } == {SCORES}
    assert "$defs" not in schema


@given(st.randoms(use_true_random=False))
def test_what_the_schema_allows_is_a_verdict_or_a_contradiction_never_unreadable(random: Any) -> None:
    reply = draw_value(random, reply_schema())
    found = read_reply(json.dumps(reply))
    sections = (reply["title_introduction"], reply["reasons"], reply["conclusion"])
    if contradiction(sections, refusal=reply["refusal"], overall=reply["overall"]):
        assert isinstance(found, Unscored)
        assert found.code == "inconsistent"
    else:
        assert isinstance(found, Verdict)
        assert (found.sections, found.refusal) == (sections, reply["refusal"])


def test_every_triple_of_scores_with_every_overall_and_refusal_is_read_as_the_rules_say() -> None:
    scored = 0
    for *sections, overall in product(SCORES, repeat=4):
        for refusal in (False, True):
            keys = dict(zip(("title_introduction", "reasons", "conclusion"), sections, strict=True))
            found = read_reply(changed(**keys, overall=overall, refusal=refusal))
            scored += isinstance(found, Verdict)
    assert scored == 27 + 7 + 1  # one overall for each triple, and the one refusal


@given(st.text())
def test_no_text_raises_and_free_text_is_never_a_score(text: str) -> None:
    assert isinstance(read_reply(text), Unscored)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 4) | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(list(GOOD)) | st.text(max_size=5), inner)
    ),
    max_leaves=12,
)


@given(JSON)
def test_no_json_raises_and_a_score_comes_only_from_the_exact_form(value: Any) -> None:
    found = read_reply(json.dumps(value))
    if isinstance(found, Verdict):
        assert set(value) == set(GOOD)
        assert all(type(value[key]) is int for key in ("title_introduction", "reasons", "conclusion", "overall"))
    else:
        assert found.code in JUDGE_STATUSES


@given(st.fixed_dictionaries(dict.fromkeys(GOOD, JSON)))
def test_right_keys_with_any_values_are_a_verdict_only_with_whole_scores_in_range(value: dict[str, Any]) -> None:
    found = read_reply(json.dumps(value))
    if isinstance(found, Verdict):
        assert isinstance(value["explanation"], str)
        assert type(value["refusal"]) is bool
        assert all(
            type(value[key]) is int and value[key] in SCORES for key in ("title_introduction", "reasons", "overall")
        )


@given(st.integers(0, len(TEXT)), st.text(min_size=1, max_size=8))
def test_an_answer_with_something_put_in_is_unscored_or_says_the_same(place: int, inserted: str) -> None:
    found = read_reply(TEXT[:place] + inserted + TEXT[place:])
    assert isinstance(found, Unscored) or (found.sections, found.refusal) == (VERDICT.sections, VERDICT.refusal)


@given(st.integers(0, len(TEXT) - 1))
def test_an_answer_that_is_cut_anywhere_is_unscored(place: int) -> None:
    assert isinstance(read_reply(TEXT[:place]), Unscored)


@given(st.text(min_size=1), st.text(min_size=1))
def test_an_answer_among_other_words_is_unscored(before: str, behind: str) -> None:
    for text in (before + TEXT, TEXT + behind, before + TEXT + behind):
        if text.strip(" \t\n\r") != TEXT:
            assert isinstance(read_reply(text), Unscored)
