"""Refusals of essays, told from essays by phrase: measured on texts written by hand."""

from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from raylib.studies.ltf.refusals import is_refusal

CORPUS = yaml.safe_load((Path(__file__).parents[1] / "data" / "ltf_refusals.yaml").read_text())
ESSAY = """[Title] Patience

[Introduction] {first} This essay gives reasons why elderly people are better at managing stress than teenagers.

[Body]
1. They have seen much, and what has been seen once is no longer new, so that it frightens them less than it does the young.
2. They have time, and those who have time can wait until a problem is small enough to be solved without any haste or noise.
3. They have friends who knew them long before the trouble came, and who will be there, as they hope, when it has gone again.

[Conclusion] Patience is learned."""


class Measured(NamedTuple):
    found: int
    missed: int
    false: int


def measure(texts: dict[str, list[str]]) -> Measured:
    found = sum(map(is_refusal, texts["refusals"]))
    return Measured(found, len(texts["refusals"]) - found, sum(map(is_refusal, texts["others"])))


def test_precision_and_recall_on_texts_that_the_phrases_were_fitted_to():
    measured = measure(CORPUS["fitted"])
    assert measured == Measured(found=71, missed=1, false=0)  # recall 0.986, precision 1


def test_precision_and_recall_on_texts_that_were_written_later():
    measured = measure(CORPUS["held_out"])
    assert measured == Measured(found=17, missed=3, false=2)  # recall 0.85, precision 0.895


def test_no_text_is_in_the_corpus_twice():
    texts = [text for part in CORPUS.values() for kind in part.values() for text in kind]
    assert len(texts) == len(set(texts)) == 154


@pytest.mark.parametrize(
    "first",
    [
        "I cannot claim that this is always so.",
        "As an AI language model, I have no opinion.",
        "I'm sorry, but I can't help it.",
    ],
)
def test_text_that_declines_and_then_argues_is_an_essay(first):
    assert not is_refusal(ESSAY.format(first=first))
    assert is_refusal(f"[Title] Patience\n\n[Introduction] {first} I can't write this.")


def test_a_list_of_other_topics_is_no_essay():
    offers = "\n".join(
        f"{number}. Stress and {what}" for number, what in enumerate(("sleep", "work", "sport"), start=1)
    )
    assert is_refusal(f"I can't write this essay. I can offer:\n\n{offers}")


def test_typographic_apostrophes_are_apostrophes():
    assert is_refusal("I’m sorry, but I can’t assist with that.")


def test_long_text_is_an_essay_whatever_it_begins_with():
    assert not is_refusal("I cannot write this essay without doubts. " + "Elderly people are patient. " * 80)


def test_words_in_quotation_are_not_the_models():
    assert not is_refusal('Teenagers say "I can\'t do that" more often than seniors.')
