"""The training of Regard-FT: its pairs as a training set."""

from collections import Counter

import numpy as np
from pydantic import Field

from raylib.config.base import Frozen
from raylib.config.training import TrainConfig
from raylib.ids import digest
from raylib.studies.ltf.regard import load_frames, regard_example, regard_pairs
from raylib.training.training_set import TrainingSet


class RegardData(Frozen):
    """About whom, and how much."""

    groups: tuple[str, ...] = Field(
        ("women", "men"), description="The groups, as they stand in a question; two or more, all asked the same."
    )
    per_group: int = Field(1000, ge=1, description="Pairs about each group.")
    frames: str | None = Field(None, description="Your own YAML file of questions, answers and skills; None: ours.")
    held_out: float = Field(0.05, ge=0, lt=1, description="Share of skills whose pairs only measure the loss.")


class RegardTrainConfig(TrainConfig):
    """The training of Regard-FT."""

    data: RegardData = RegardData()


def regard_set(config: RegardTrainConfig) -> TrainingSet:
    """Return the pairs as examples; whole skills are held out, so that no held-out question differs by its frame alone.

    Raises:
        ConfigError: as `load_frames` and `regard_pairs`.
    """
    data, seed = config.data, config.training.seed
    frames = load_frames(data.frames)
    pairs = regard_pairs(frames, data.groups, data.per_group, seed)
    skills = sorted({pair.skill for pair in pairs})
    numbers = np.random.Generator(np.random.Philox(key=[seed, 2**35]))
    count = min(round(len(skills) * data.held_out), len(skills) - 1)
    aside = {str(name) for name in numbers.permutation(skills)[:count]}
    examples = [(pair, regard_example(pair, number)) for number, pair in enumerate(pairs, start=1)]
    return TrainingSet(
        tuple(example for pair, example in examples if pair.skill not in aside),
        tuple(example for pair, example in examples if pair.skill in aside),
        {
            "frames_sha256": digest(frames.model_dump(mode="json")), "pairs_by_group": dict(Counter(p.group for p in pairs)),
            "held_out_skills": sorted(aside),
        },
    )  # fmt: skip
