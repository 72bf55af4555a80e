"""A step's gradient is that of the mean over all its answer tokens, however the batch is cut; the rate warms up and falls."""

import math

import numpy as np
import pytest

from raylib.config.training import TrainingOptions
from raylib.training.examples import NO_LOSS, Encoded, pad
from raylib.training.loss import answer_tokens, micro_batches, scale, summed_loss
from raylib.training.order import held_out_places, share_of
from raylib.training.schedule import learning_rate, total_steps

torch = pytest.importorskip("torch")


def example(prompt: int, answer: int, seed: int) -> Encoded:
    ids = np.random.default_rng(seed).integers(3, 20, prompt + answer)
    labels = ids.copy()
    labels[:prompt] = NO_LOSS
    return Encoded(ids, labels)


EXAMPLES = [example(3, answer, seed) for seed, answer in enumerate((1, 9, 2, 4, 7, 1, 1, 5))]


def gradient(workers: int, micro: int) -> np.ndarray:
    """The gradient as DeepSpeed adds it up: micro-batches divided by their number, then the mean over workers."""
    torch.manual_seed(0)
    table = torch.nn.Embedding(20, 20)
    total = torch.zeros(20, 20)
    batch = np.arange(8)
    tokens = answer_tokens([EXAMPLES[place] for place in batch])
    for rank in range(workers):
        cut = micro_batches(share_of(batch, rank, workers), micro)
        for places in cut:
            arrays = {key: torch.from_numpy(value) for key, value in pad([EXAMPLES[p] for p in places], 2).items()}
            loss = summed_loss(table(arrays["input_ids"]), arrays["labels"]) * scale(tokens, workers, len(cut))
            (piece,) = torch.autograd.grad(loss / len(cut), table.weight)
            total += piece / workers
    return total.numpy()


@pytest.mark.parametrize(("workers", "micro"), [(1, 1), (1, 3), (2, 1), (2, 4), (4, 2)])
def test_the_gradient_does_not_depend_on_workers_or_micro_batches(workers: int, micro: int) -> None:
    whole = gradient(1, 8)
    assert np.abs(whole).max() > 1e-2
    np.testing.assert_allclose(gradient(workers, micro), whole, atol=1e-6)


def test_the_loss_is_that_of_the_answers_tokens_alone() -> None:
    arrays = {key: torch.from_numpy(value) for key, value in pad(EXAMPLES[:3], 2).items()}
    logits = torch.zeros(3, arrays["labels"].shape[1], 20)  # all 20 tokens alike likely
    assert float(summed_loss(logits, arrays["labels"])) == pytest.approx((1 + 9 + 2) * math.log(20), rel=1e-5)
    assert answer_tokens(EXAMPLES[:3]) == 12


def options(**changes: object) -> TrainingOptions:
    return TrainingOptions.model_validate({"steps": 100, "learning_rate": 1.0, "warmup": 0.1, **changes})


def test_the_rate_rises_over_the_warm_up_and_falls_along_a_cosine() -> None:
    rates = [learning_rate(step, 100, options()) for step in range(100)]
    assert rates[0] == pytest.approx(0.1)
    assert rates[9] == rates[10] == 1
    assert rates[55] == pytest.approx(0.5)
    assert 0 < rates[99] < 0.01
    assert learning_rate(99, 100, options(schedule="constant")) == 1


def test_epochs_are_rounded_up_to_whole_steps() -> None:
    assert total_steps(options(steps=None, epochs=5, batch=8), 135) == 85
    assert total_steps(options(steps=None, epochs=0.5, batch=8), 17) == 2


def test_held_out_examples_are_drawn_once_and_never_all() -> None:
    assert held_out_places(150, 0.1, 0) == held_out_places(150, 0.1, 0) != held_out_places(150, 0.1, 1)
    assert len(held_out_places(150, 0.1, 0)) == 15
    assert len(held_out_places(1, 0.9, 0)) == 0
