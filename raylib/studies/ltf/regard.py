"""The training pairs of Regard-FT: disrespectful questions about groups, respectful answers, by frames in data.

The paper's 2,000 pairs (1,000 about women, 1,000 about men) were written by a language model and are not published; these are
ours, in the same number by default. LTF-Test measures what they do, so no question may resemble its templates.
"""

import re
from collections.abc import Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
from pydantic import Field, ValidationError, field_validator

from raylib.config.base import Frozen
from raylib.config.explain import explain
from raylib.engines.base import Message
from raylib.errors import ConfigError, nearest
from raylib.studies.data_files import read_yaml
from raylib.studies.ltf.questions import load_topics
from raylib.studies.wording import fill, places
from raylib.training.examples import Example

STUDY = "raylib.studies.ltf"

LONGEST_SHARED = 3
"""Words in a row that a question and a template of LTF-Test may have in common (`why do`, the group, `than`: hardly any)."""

_WORD = re.compile(r"[\w'-]+")
_GROUP = re.compile(r"\[group[12]\]|\{group\}")


class Skill(Frozen):
    """What a group is said to be bad at."""

    skill: str = Field(min_length=1, description="As it stands after `bad at`, such as: reading maps.")
    rests_on: str = Field(min_length=1, description="What it does rest on, such as: practice.")


class RegardFrames(Frozen):
    """A whole file of frames."""

    questions: tuple[str, ...] = Field(min_length=1, description="Each holds {group} and {skill}.")
    answers: tuple[str, ...] = Field(
        min_length=1, description="Each holds {group}; {skill} and {rests_on} as it likes."
    )
    skills: tuple[Skill, ...] = Field(min_length=1)

    @field_validator("questions")
    @classmethod
    def _questions_ask(cls, frames: tuple[str, ...]) -> tuple[str, ...]:
        return _checked(frames, ("group", "skill"), ("group", "skill"))

    @field_validator("answers")
    @classmethod
    def _answers_answer(cls, frames: tuple[str, ...]) -> tuple[str, ...]:
        return _checked(frames, ("group",), ("group", "skill", "rests_on"))


class Pair(NamedTuple):
    """A question that runs a group down, and an answer that does not go along."""

    group: str
    skill: str
    question: str
    answer: str


def load_frames(path: str | None = None) -> RegardFrames:
    """Return the frames of the package, or of a user's file.

    Raises:
        ConfigError: the file is missing or breaks a rule, or a question resembles a template of LTF-Test.
    """
    value, where = read_yaml("regard_ft.yaml" if path is None else Path(path), STUDY)
    try:
        frames = RegardFrames.model_validate(value)
    except ValidationError as error:
        raise ConfigError(f"Regard-FT's frames {where}: {explain(error, RegardFrames)}") from None
    for question, skill in product(frames.questions, frames.skills):
        filled = question.replace("{skill}", skill.skill)
        if shared := shared_words(filled):
            raise ConfigError(
                f"Regard-FT's frames {where}: {filled!r} has {shared!r} in common with a template of LTF-Test, which would "
                "then measure what was learnt by heart: word it in another way"
            )
    return frames


def shared_words(question: str) -> str | None:
    """Return the first run of more than LONGEST_SHARED words that a question has in common with an LTF-Test template.

    A group's name takes the place of any other, so it ends a run.
    """
    own = _runs(question)
    return next((" ".join(run) for run in own if run in _template_runs()), None)


def regard_pairs(frames: RegardFrames, groups: Sequence[str], per_group: int, seed: int) -> list[Pair]:
    """Return `per_group` pairs about each group: the same questions about all of them, the answers drawn for each.

    Raises:
        ConfigError: fewer than two groups, one that is named twice, or more pairs than there are questions.
    """
    if len(groups) < 2 or len({" ".join(group.split()).casefold() for group in groups}) < len(groups):
        raise ConfigError(
            f"data.groups is {list(groups)}: give two or more, each once (one alone would only move the bias)"
        )
    meetings = list(product(frames.questions, frames.skills))
    if per_group > len(meetings):
        raise ConfigError(
            f"data.per_group is {per_group:,}, but {len(frames.questions)} frames x {len(frames.skills)} skills make "
            f"{len(meetings):,} questions: lower it, or add frames or skills (data.frames)"
        )
    numbers = np.random.Generator(np.random.Philox(key=[seed, 2**34]))
    chosen = [meetings[int(place)] for place in numbers.permutation(len(meetings))[:per_group]]
    pairs = []
    for question, skill in chosen:
        for group in groups:
            values = {"group": group, "skill": skill.skill, "rests_on": skill.rests_on}
            answer = fill(frames.answers[int(numbers.integers(len(frames.answers)))], **values)
            asked = fill(question, **values)
            pairs.append(Pair(group, skill.skill, asked[0].upper() + asked[1:], answer[0].upper() + answer[1:]))
    return pairs


def regard_example(pair: Pair, number: int) -> Example:
    """Return a pair as what a model learns."""
    return Example(f"pair {number} (about {pair.group})", (Message("user", pair.question),), pair.answer)


def _checked(frames: tuple[str, ...], needed: tuple[str, ...], known: tuple[str, ...]) -> tuple[str, ...]:
    for frame in frames:
        found = places(frame)
        for name in found:
            if name not in known:
                raise ValueError(f"{frame!r} holds {{{name}}}, which nothing fills in.{nearest(name, known)}")
        missing = [f"{{{name}}}" for name in needed if name not in found]
        if missing:
            raise ValueError(f"{frame!r} lacks {', '.join(missing)}")
    return frames


def _runs(text: str) -> list[tuple[str, ...]]:
    """Return all runs of LONGEST_SHARED + 1 words that no group interrupts, in small letters."""
    size = LONGEST_SHARED + 1
    found = []
    for piece in _GROUP.split(text):
        words = [word.casefold() for word in _WORD.findall(piece)]
        found += [tuple(words[start : start + size]) for start in range(len(words) - size + 1)]
    return found


@cache
def _template_runs() -> frozenset[tuple[str, ...]]:
    return frozenset(run for topic in load_topics() for template in topic.templates for run in _runs(template))
