"""Reasoning is kept apart from the answer, whatever way a model writes it."""

from typing import Any, NamedTuple

import pytest

from raylib.engines.completions import ReasoningTags, to_completion
from raylib.engines.reasoning import Split, prompt_opens_reasoning, split_reasoning

TAGS = ("<think>", "</think>")


def test_an_answer_without_reasoning_is_left_as_it_is() -> None:
    assert split_reasoning("  A story. ", TAGS) == Split("  A story. ", None, True, 0)


def test_reasoning_at_the_beginning_is_cut_out() -> None:
    assert split_reasoning("<think>\nHm, a cook.\n</think>\n\nOnce.", TAGS) == Split("Once.", "Hm, a cook.", True, 28)


def test_an_end_tag_alone_ends_reasoning_that_the_prompt_opened() -> None:
    assert split_reasoning("Hm.</think>Once.", TAGS, opened=True) == Split("Once.", "Hm.", True, 11)
    assert split_reasoning("Hm.</think>Once.", TAGS) == Split("Once.", "Hm.", True, 11)


@pytest.mark.parametrize(("text", "opened"), [("<think>Hm, so", False), ("Hm, so", True)])
def test_reasoning_that_never_ends_leaves_an_empty_answer(text: str, opened: bool) -> None:
    assert split_reasoning(text, TAGS, opened) == Split("", "Hm, so", False, len(text))


def test_tags_later_in_the_answer_are_the_answer() -> None:
    text = "She wrote <think>no</think> on the wall."
    assert split_reasoning(text, TAGS).answer == text


def test_a_second_block_after_the_first_stays_in_the_answer() -> None:
    assert split_reasoning("<think>a</think>b <think>c</think> d", TAGS).answer == "b <think>c</think> d"


def test_a_nested_start_tag_belongs_to_the_reasoning() -> None:
    assert split_reasoning("<think>a <think> b</think>c", TAGS)[:2] == ("c", "a <think> b")


def test_empty_reasoning_is_reasoning() -> None:
    assert split_reasoning("<think>\n\n</think>\n\nOnce.", TAGS)[:2] == ("Once.", "")


def test_a_prompt_opens_reasoning_only_if_it_ends_with_the_start_tag() -> None:
    assert prompt_opens_reasoning("user: hi\nassistant: <think>\n", TAGS)
    assert not prompt_opens_reasoning("user: what is <think>?\nassistant:", TAGS)
    assert not prompt_opens_reasoning("assistant: <think>\n\n</think>\n\n", TAGS)


class WordTokenizer:
    """One token a word; the tags are tokens of their own, and special where a test says so."""

    def __init__(self, special: tuple[str, ...] = ()) -> None:
        self.all_special_tokens = list(special)
        self._ids: dict[str, int] = {}

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        return [self._ids.setdefault(word, len(self._ids)) for word in text.split()]


class Sample(NamedTuple):
    text: str
    token_ids: list[int]
    finish_reason: str
    logprobs: Any = None


def completion_of(text: str, finish_reason: str = "stop", opened: bool = False) -> Any:
    tokenizer = WordTokenizer()
    tags = ReasoningTags(tokenizer, TAGS)
    return to_completion(Sample(text, tokenizer.encode(text, False), finish_reason), 3, tags, opened, logprobs=False)


def test_reasoning_tokens_are_counted_tags_included_and_within_the_total() -> None:
    row = completion_of("<think> a b c </think> once upon")
    assert (row.reasoning_tokens, row.completion_tokens) == (5, 7)
    assert (row.text, row.reasoning, row.status) == ("once upon", "a b c", "ok")


def test_a_text_cut_inside_its_reasoning_is_truncated_and_has_no_answer() -> None:
    row = completion_of("a b c", finish_reason="length", opened=True)
    assert (row.text, row.reasoning, row.status, row.reasoning_tokens) == ("", "a b c", "truncated", 3)


def test_a_model_that_stops_inside_its_reasoning_gave_no_answer_either() -> None:
    row = completion_of("<think> a b", finish_reason="stop")
    assert (row.text, row.status, row.finish_reason) == ("", "truncated", "stop")


def test_a_sample_that_the_engine_gave_up_is_an_error_that_may_be_retried() -> None:
    row = completion_of("once", finish_reason="abort")
    assert (row.status, row.text, row.error_type, row.retryable) == ("error", "", "aborted", True)


def test_tags_that_are_special_tokens_are_recognised_as_such() -> None:
    assert ReasoningTags(WordTokenizer(special=("<s>", "<think>")), TAGS).are_special
    assert not ReasoningTags(WordTokenizer(special=("<s>",)), TAGS).are_special
