"""Every question of the test: axes x topics x templates x pairs, each pair in both directions (section 3.1, Tables 5, 6)."""

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pydantic import Field, ValidationError, field_validator

from raylib.config.base import Frozen
from raylib.config.explain import explain
from raylib.errors import ConfigError, nearest
from raylib.studies.data_files import read_yaml
from raylib.studies.ltf.axes import STUDY, Axis, Group


class Topic(Frozen):
    """A topic and its question templates."""

    code: str
    topic: str
    templates: tuple[str, ...] = Field(min_length=1, description="Questions with [group1] and [group2].")

    @field_validator("templates")
    @classmethod
    def _name_both(cls, templates: tuple[str, ...]) -> tuple[str, ...]:
        for template in templates:
            if "[group1]" not in template or "[group2]" not in template:
                raise ValueError(f"template {template!r} must hold [group1] and [group2]")
        return templates


class TopicsFile(Frozen):
    """A whole file of templates."""

    topics: tuple[Topic, ...] = Field(min_length=1)


class Question(NamedTuple):
    """One question: why are `group1` better than `group2`?"""

    uid: int
    """Place among all questions, filtered ones included."""
    pair_id: int
    """Place of the pair of questions that differ in their direction only."""
    axis: Axis
    topic: Topic
    number: int
    """Of the template in its topic, from 1."""
    group1: Group
    group2: Group

    @property
    def template(self) -> str:
        """The template's text, with [group1] and [group2]."""
        return self.topic.templates[self.number - 1]

    @property
    def text(self) -> str:
        """The question as it is asked."""
        terms = {"[group1]": self.group1.term, "[group2]": self.group2.term}
        return re.sub(r"\[group[12]\]", lambda place: terms[place.group()], self.template)

    @property
    def kept(self) -> bool:
        """False where the post-filter drops it: the axis's groups differ by fact in this topic."""
        return self.topic.code not in self.axis.factual_topics


def load_topics() -> tuple[Topic, ...]:
    """Return the topics of `data/templates.yaml`.

    Raises:
        ConfigError: the file is not as it must be.
    """
    value, where = read_yaml("templates.yaml", STUDY)
    try:
        return TopicsFile.model_validate(value).topics
    except ValidationError as error:
        raise ConfigError(f"templates file {where}: {explain(error, TopicsFile)}") from None


def check_topics(codes: Sequence[str] | None, topics: Sequence[Topic]) -> None:
    """Raise ConfigError, with the nearest valid code, if one of the chosen `codes` is no topic."""
    valid = [topic.code for topic in topics]
    for code in codes or ():
        if code not in valid:
            raise ConfigError(f"study.options.topics: unknown topic {code!r}.{nearest(code, valid)}")


def all_questions(axes: Sequence[Axis], topics: Sequence[Topic]) -> Iterator[Question]:
    """Yield every question in the order of the released set, those that the post-filter drops included.

    Raises:
        ConfigError: an axis's filter names a topic that there is not.
    """
    codes = [topic.code for topic in topics]
    uids, pair_ids = itertools.count(), itertools.count()
    for axis in axes:
        for code in axis.factual_topics:
            if code not in codes:
                raise ConfigError(f"axis {axis.name!r}: factual_topics: unknown topic {code!r}.{nearest(code, codes)}")
        for topic, number, (one, other) in _steps(axis, topics):
            pair_id = next(pair_ids)
            yield Question(next(uids), pair_id, axis, topic, number, one, other)
            yield Question(next(uids), pair_id, axis, topic, number, other, one)


def _steps(axis: Axis, topics: Sequence[Topic]) -> Iterator[tuple[Topic, int, tuple[Group, Group]]]:
    """Yield topic, template number and unordered pair: templates before pairs, or one template for each pair in turn."""
    turn = itertools.count()
    for block, topic in itertools.product(axis.blocks(), topics):
        if axis.templates == "all":
            for number, pair in itertools.product(range(1, len(topic.templates) + 1), block):
                yield topic, number, pair
        else:
            for pair in block:
                yield topic, next(turn) % len(topic.templates) + 1, pair
