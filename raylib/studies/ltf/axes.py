"""The axes: groups that are compared, how they are paired, and the topics that a fact would answer (`data/axes.yaml`)."""

import itertools
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import Field, ValidationError, model_validator

from raylib.config.base import Frozen
from raylib.config.explain import explain
from raylib.errors import ConfigError, nearest
from raylib.studies.data_files import read_yaml
from raylib.studies.ltf.measures import RESERVED

STUDY = "raylib.studies.ltf"


class Group(NamedTuple):
    """A group as a question names it."""

    term: str
    type: str
    """The term itself where the axis has no types."""


class Axis(Frozen):
    """One demographic axis."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9_]{0,63}$", description="a-z, 0-9 and '_'.")
    groups: tuple[str, ...] | dict[str, tuple[str, ...]] = Field(description="Terms, or terms by type.")
    pairing: Literal["aligned", "all", "across"] = Field(
        description="aligned: n-th term with n-th term of two types; all: every term with every other; across: the terms "
        "of each type with those of each other type."
    )
    templates: Literal["all", "rotating"] = Field(
        "rotating", description="all: a pair is asked about with each template of a topic; rotating: with one, in turn."
    )
    factual_topics: tuple[str, ...] = Field(
        (), description="Codes of topics in which the groups differ by fact: no prompts."
    )
    category: str | None = Field(None, description="What the fairness variants call the axis; None: its name.")
    control: bool = Field(False, description="Made-up groups: shown, never part of a mean over axes.")

    @model_validator(mode="after")
    def _pairs_exist(self) -> "Axis":
        typed = isinstance(self.groups, Mapping)
        if typed == (self.pairing == "all"):
            wanted = "a list of terms" if self.pairing == "all" else "terms by type, as {type: [term, ...]}"
            raise ValueError(f"axis {self.name!r}: pairing {self.pairing!r} needs {wanted}")
        sizes = [len(terms) for terms in self.groups.values()] if isinstance(self.groups, Mapping) else []
        if self.pairing == "aligned" and (len(sizes) != 2 or sizes[0] != sizes[1]):
            raise ValueError(f"axis {self.name!r}: pairing 'aligned' needs two types with equally many terms")
        if len(self.groups) < 2 or not all(sizes):
            raise ValueError(f"axis {self.name!r}: give at least two groups, and at least one term a type")
        for name in dict.fromkeys(name for group in self.members for name in (group.type, group.term)):
            if wrong := _unusable(name):
                raise ValueError(f"axis {self.name!r}: group {name!r} {wrong}")
        if self.name in RESERVED:
            raise ValueError(
                f"axis {self.name!r}: choose another name; {', '.join(RESERVED)} name cells of the results"
            )
        twice = [term for term, count in Counter(group.term for group in self.members).items() if count > 1]
        if twice:
            raise ValueError(f"axis {self.name!r} names {twice[0]!r} twice")
        return self

    @property
    def members(self) -> tuple[Group, ...]:
        """Every group that questions name, in the file's order."""
        if isinstance(self.groups, Mapping):
            return tuple(Group(term, kind) for kind, terms in self.groups.items() for term in terms)
        return tuple(Group(term, term) for term in self.groups)

    def blocks(self) -> list[list[tuple[Group, Group]]]:
        """Return the unordered pairs by block: each aligned pair, all pairs of the axis, or those of two types."""
        if self.pairing == "all":
            return [list(itertools.combinations(self.members, 2))]
        types = [list(members) for _, members in itertools.groupby(self.members, key=lambda group: group.type)]
        if self.pairing == "aligned":
            return [[pair] for pair in zip(*types, strict=True)]
        return [list(itertools.product(*two)) for two in itertools.combinations(types, 2)]


class AxesFile(Frozen):
    """A whole file of axes."""

    axes: tuple[Axis, ...] = Field(min_length=1)


def load_axes(path: str | None = None) -> tuple[Axis, ...]:
    """Return the package's axes, and behind them those of the user's file at `path`: published ids stay as they are.

    Raises:
        ConfigError: the file is missing, is not YAML, breaks the rules of `Axis`, or names an axis that there is already.
    """
    axes = _read("axes.yaml")
    if path is not None:
        axes += _read(Path(path))
    twice = [name for name, count in Counter(axis.name for axis in axes).items() if count > 1]
    if twice:
        raise ConfigError(
            f"axes file {path or 'data/axes.yaml'}: there is an axis {twice[0]!r} already; choose another name"
        )
    return axes


def check_names(names: Sequence[str] | None, axes: Sequence[Axis]) -> None:
    """Raise ConfigError, with the nearest valid name, if one of the chosen `names` is no axis."""
    valid = [axis.name for axis in axes]
    for name in names or ():
        if name not in valid:
            raise ConfigError(f"study.options.axes: unknown axis {name!r}.{nearest(name, valid)}")


def _unusable(name: str) -> str | None:
    """Return why a term or type cannot be asked about or counted; else a run would find out once all essays are judged."""
    if not name.strip():
        return "is empty: write its name, or take it out"
    if name != " ".join(name.split()) or any(unicodedata.category(sign) == "Cc" for sign in name):
        return "has blanks at an end, two in a row, or a line break or control character: write it on one line, without them"
    return "holds '>', which stands between the two groups of a pair: write it in words" if ">" in name else None


def _read(path: Path | str) -> tuple[Axis, ...]:
    value, where = read_yaml(path, STUDY)
    try:
        return AxesFile.model_validate(value).axes
    except ValidationError as error:
        raise ConfigError(f"axes file {where}: {explain(error, AxesFile)}") from None
