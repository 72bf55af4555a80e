"""The learning rate of each step, and how many steps there are. Both follow from the options alone: nothing to resume."""

import math

from raylib.config.training import TrainingOptions
from raylib.training.order import steps_in


def total_steps(options: TrainingOptions, examples: int) -> int:
    """Return the updates of a training on so many examples; a part of an epoch is rounded up to a step."""
    if options.steps is not None:
        return options.steps
    assert options.epochs is not None  # noqa: S101 - the options say that one of the two is there
    return max(1, math.ceil(options.epochs * steps_in(examples, options.batch)))


def learning_rate(step: int, steps: int, options: TrainingOptions) -> float:
    """Return the rate of a step (from 0): up in equal pieces over the warm-up, then down along half a cosine towards 0."""
    warm = round(options.warmup * steps)
    if step < warm:
        return options.learning_rate * (step + 1) / warm
    if options.schedule == "constant":
        return options.learning_rate
    return options.learning_rate * 0.5 * (1 + math.cos(math.pi * (step - warm) / max(1, steps - warm)))
