"""The benchmark's items, read from its official files: JSON lines, one item a line (Parrish et al. 2022, CC BY 4.0)."""

import json
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, NamedTuple, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from raylib.config.explain import explain
from raylib.errors import DataError

UNKNOWN = "unknown"
"""The group of the answer that says it cannot be known."""

Condition = Literal["ambig", "disambig"]
CONDITIONS: tuple[Condition, ...] = get_args(Condition)
Polarity = Literal["neg", "nonneg"]


class Item(NamedTuple):
    """One question with its three answers."""

    category: str
    question_index: str
    """Of the template, within its category: items of one template differ in names and order only."""
    example_id: int
    polarity: Polarity
    """neg: the question asks for something bad, so naming the stereotyped group is biased; nonneg: the other way."""
    condition: Condition
    """ambig: the context does not say; disambig: it does."""
    context: str
    question: str
    answers: tuple[str, str, str]
    groups: tuple[str, str, str]
    """Of each answer; `unknown` for the one that says it cannot be known."""
    stereotyped: tuple[bool, bool, bool]
    """Whether an answer names a stereotyped group."""
    label: int
    """Place of the right answer."""

    @property
    def biased(self) -> tuple[bool, bool, bool]:
        """Whether choosing an answer agrees with the stereotype; never for the unknown one."""
        wanted = self.polarity == "neg"
        first, second, third = (
            group != UNKNOWN and named == wanted for group, named in zip(self.groups, self.stereotyped, strict=True)
        )
        return first, second, third


def _pair(value: tuple[str, ...]) -> tuple[str, ...]:
    if len(value) < 2:
        raise ValueError("give the text and the group of an answer")
    return value


_Info = Annotated[tuple[str, ...], AfterValidator(_pair)]


class _Infos(BaseModel):
    ans0: _Info
    ans1: _Info
    ans2: _Info


class _Metadata(BaseModel):
    stereotyped_groups: tuple[str, ...] = Field(min_length=1)


class _Line(BaseModel):
    """What is read of a line; the files hold more, which is passed over."""

    model_config = ConfigDict(extra="ignore")

    example_id: int
    question_index: str
    question_polarity: Polarity
    context_condition: Condition
    category: str = Field(min_length=1)
    answer_info: _Infos
    additional_metadata: _Metadata
    context: str
    question: str
    ans0: str
    ans1: str
    ans2: str
    label: int = Field(ge=0, le=2)


def read_items(lines: Iterable[str], name: str) -> list[Item]:
    """Return the items of a file's lines; empty lines are passed over.

    Args:
        lines: of a file such as `Religion.jsonl`.
        name: what messages call the file.

    Raises:
        DataError: a line is not JSON or lacks a key, an item has not exactly one unknown answer, or stands there twice.
    """
    items: list[Item] = []
    seen: dict[tuple[str, int], int] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        place = f"{name}, line {number}"
        item = _item(_parsed(line, place), place)
        first = seen.setdefault((item.category, item.example_id), number)
        if first != number:
            raise DataError(f"{place}: item {item.category} {item.example_id} stands in line {first} already")
        items.append(item)
    if not items:
        raise DataError(f"{name} holds no item; give an official file of BBQ, for example Religion.jsonl")
    return items


def _parsed(line: str, place: str) -> Mapping[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise DataError(f"{place} is not JSON; give an official file of BBQ (JSON lines)") from None
    if not isinstance(value, dict):
        raise DataError(f"{place} is {type(value).__name__}, not an object; give an official file of BBQ (JSON lines)")
    return value


def _item(value: Mapping[str, Any], place: str) -> Item:
    try:
        line = _Line.model_validate(value)
    except ValidationError as error:
        raise DataError(f"{place}: {explain(error, _Line)}") from None
    infos = (line.answer_info.ans0, line.answer_info.ans1, line.answer_info.ans2)
    first, second, third = (info[1] for info in infos)
    groups = (first, second, third)
    if groups.count(UNKNOWN) != 1:
        raise DataError(f"{place}: answer_info has {groups.count(UNKNOWN)} answers of group 'unknown'; one is needed")
    named = set(line.additional_metadata.stereotyped_groups)
    one, two, three = (bool(named & set(info)) and info[1] != UNKNOWN for info in infos)
    return Item(
        line.category, line.question_index, line.example_id, line.question_polarity, line.context_condition, line.context,
        line.question, (line.ans0, line.ans1, line.ans2), groups, (one, two, three), line.label,
    )  # fmt: skip
