"""What is learnt: the answer's tokens and nothing of the prompt, in an order that any interruption leaves as it is."""

from typing import Any

import numpy as np
import pytest

from raylib.engines.base import Message
from raylib.engines.chat import PromptRenderer
from raylib.engines.spec import ModelSpec
from raylib.errors import ConfigError, DataError
from raylib.training.examples import NO_LOSS, Example, encode, encode_all, pad
from raylib.training.order import batch_of, share_of, steps_in
from tests.unit.test_engine_chat import CHATML, DROPS_SYSTEM, GEMMA, LLAMA3, MISTRAL_V02, make_tokenizer

__all__ = ["make_tokenizer"]

ASKED = "Why?"
ANSWER = "Because {of} it."
PLAIN = {"chat_template": "none", "prompt_format": "Q: {prompt}\nA:"}


def example(answer: str = ANSWER, system: str | None = None) -> Example:
    turns = [Message("system", system)] if system else []
    return Example("f, row 1", (*turns, Message("user", ASKED)), answer)


@pytest.mark.parametrize(
    ("template", "ending"),
    [
        (CHATML, "<|im_end|>"), (LLAMA3, "<|eot|>"), (MISTRAL_V02, "</s>"), (GEMMA, "<end_of_turn>"),
        (DROPS_SYSTEM, "</s>"), (None, "</s>"),
    ],
    ids=["chatml", "llama3", "mistral", "gemma", "drops_system", "plain"],
)  # fmt: skip
@pytest.mark.parametrize("system", [None, "Be brief."])
def test_the_loss_is_on_the_answer_and_its_end_token_by_token(
    make_tokenizer: Any, template: str | None, ending: str, system: str | None
) -> None:
    tokenizer = make_tokenizer(template)
    renderer = PromptRenderer(tokenizer, ModelSpec("/m", **({} if template else PLAIN)))
    asked = example(system=system)
    encoded = encode(asked, renderer, 1000)
    prompt = renderer.render(asked.messages).token_ids
    assert encoded.input_ids[: len(prompt)].tolist() == prompt
    assert encoded.labels[: len(prompt)].tolist() == [NO_LOSS] * len(prompt)
    learnt = encoded.labels[len(prompt) :]
    assert learnt.tolist() == encoded.input_ids[len(prompt) :].tolist()
    assert tokenizer.decode(learnt).strip() == f"{ANSWER}{ending}"


def test_an_answer_that_the_template_shows_otherwise_ends_with_eos(make_tokenizer: Any) -> None:
    thinks = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}{% if add_generation_prompt %}<think>{% endif %}"
    tokenizer = make_tokenizer(thinks)
    encoded = encode(example(), PromptRenderer(tokenizer, ModelSpec("/m")), 1000)
    assert tokenizer.decode(encoded.labels[encoded.labels != NO_LOSS]) == f"{ANSWER}</s>"


def test_what_does_not_fit_is_told_and_never_cut(make_tokenizer: Any) -> None:
    renderer = PromptRenderer(make_tokenizer(CHATML), ModelSpec("/m"))
    with pytest.raises(DataError, match=r"f, row 1: \d+ tokens of prompt and \d+ of answer, 20 fit: raise training"):
        encode(example(), renderer, 20)
    with pytest.raises(DataError, match="f, row 1: the answer is empty"):
        encode(example(" \n"), renderer, 1000)
    with pytest.raises(DataError, match="the training set is empty"):
        encode_all([], renderer, 1000)


def test_a_batch_is_padded_at_the_end_without_loss(make_tokenizer: Any) -> None:
    renderer = PromptRenderer(make_tokenizer(CHATML), ModelSpec("/m"))
    short, long = encode_all([example("a"), example("a long one")], renderer, 1000)
    batch = pad([short, long], padding=2)
    n = len(short.input_ids)
    assert batch["input_ids"].shape == (2, len(long.input_ids))
    assert batch["input_ids"][0, :n].tolist() == short.input_ids.tolist()
    assert set(batch["input_ids"][0, n:].tolist()) == {2}
    assert set(batch["labels"][0, n:].tolist()) == {NO_LOSS}
    assert batch["attention_mask"].sum(axis=1).tolist() == [n, len(long.input_ids)]


LENGTHS = np.random.default_rng(1).integers(5, 500, 1003).tolist()


def test_an_epoch_sees_every_example_and_fills_up_its_last_batch() -> None:
    steps = steps_in(len(LENGTHS), 8)
    seen = np.concatenate([batch_of(step, LENGTHS, 8, seed=3) for step in range(steps)])
    assert (steps, len(seen)) == (126, 1008)
    assert set(seen.tolist()) == set(range(1003))
    again = np.concatenate([batch_of(step, LENGTHS, 8, seed=3) for step in range(steps, 2 * steps)])
    assert again.tolist() != seen.tolist()
    assert set(again.tolist()) == set(range(1003))


def test_a_step_does_not_depend_on_those_before_it_or_on_the_workers() -> None:
    batch = batch_of(200, LENGTHS, 8, seed=3)
    assert batch.tolist() == batch_of(200, LENGTHS, 8, seed=3).tolist()
    assert batch.tolist() != batch_of(200, LENGTHS, 8, seed=4).tolist()
    for workers in (1, 2, 4):
        shares = [share_of(batch, rank, workers).tolist() for rank in range(workers)]
        assert sorted(np.concatenate(shares).tolist()) == sorted(batch.tolist())
    with pytest.raises(ConfigError, match=r"training\.batch 8 does not divide by 3 workers"):
        share_of(batch, 0, 3)


def test_alike_lengths_stand_together_so_little_is_padded() -> None:
    lengths = np.array(LENGTHS)

    def padded(batches: list[np.ndarray]) -> float:
        return float(sum(lengths[one].max() * len(one) for one in batches) / sum(lengths[one].sum() for one in batches))

    bucketed = padded([batch_of(step, LENGTHS, 8, seed=0) for step in range(126)])
    shuffled = padded(list(np.random.default_rng(0).permutation(1003)[:1000].reshape(125, 8)))
    assert bucketed < 1.1 < 1.5 < shuffled


def test_a_batch_larger_than_the_set_is_told() -> None:
    with pytest.raises(ConfigError, match=r"training\.batch is 8, but there are 3 examples: lower it to 3"):
        batch_of(0, [1, 2, 3], 8, seed=0)
