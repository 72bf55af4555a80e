"""The terms that are searched for, as data (`data/terms.yaml`, or a file of the same form), and what they compile to."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import Field, field_validator, model_validator

from raylib.config.base import Frozen
from raylib.config.loading import validate
from raylib.errors import ConfigError, nearest
from raylib.ids import digest
from raylib.studies.narratives.data_files import read_yaml
from raylib.studies.narratives.stereotypes.words import words_of

Case = Literal["exact", "any"]


class Rule(Frozen):
    """A condition on the words around a term; it holds if one of its lists has a word there."""

    near: frozenset[str] = Field(frozenset(), description="Words at most `within` words away, on either side.")
    within: int = Field(10, ge=1, description="How many words `near` reaches.")
    next: frozenset[str] = Field(frozenset(), description="The very next word.")
    previous: frozenset[str] = Field(frozenset(), description="The very word before.")

    @model_validator(mode="after")
    def _says_something(self) -> "Rule":
        words = self.near | self.next | self.previous
        if not words:
            raise ValueError("a rule needs words in near, next or previous")
        for word in sorted(words):
            if words_of(word).keys != [word]:
                raise ValueError(f"{word!r} must be one word in lower case")
        return self


class Term(Frozen):
    """One identity term; what is None is as the group says."""

    term: str
    forms: tuple[str, ...] = Field((), description="Other words for it, counted under the term.")
    plurals: bool | None = Field(None, description="Whether term + s and form + s match too.")
    case: Case | None = Field(None, description="exact: capitals as written; any: capitals do not matter.")
    hyphens: bool = Field(True, description="False: no match where a hyphen touches the term.")
    when: tuple[str, ...] = Field((), description="Rules of which at least one must hold.")
    unless: tuple[str, ...] = Field((), description="Rules of which none may hold, besides the group's.")


class Group(Frozen):
    """Terms that are counted together."""

    group: str = Field(min_length=1)
    about: str = Field(description="What the group is, for the report.")
    case: Case
    plurals: bool
    unless: tuple[str, ...] = ()
    terms: tuple[Term, ...] = Field(min_length=1)

    @field_validator("terms", mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        return [{"term": item} if isinstance(item, str) else item for item in value]


class TermFile(Frozen):
    """A whole file of terms."""

    version: int
    rules: dict[str, Rule] = Field(default_factory=dict)
    groups: tuple[Group, ...] = Field(min_length=1)


class Pattern(NamedTuple):
    """One way to write a term."""

    keys: tuple[str, ...]
    """Words in lower case."""
    written: tuple[str, ...] | None
    """Words as they must be written; None: capitals do not matter."""
    hyphens: bool
    when: tuple[Rule, ...]
    unless: tuple[Rule, ...]
    term: str


@dataclass(frozen=True)
class TermList:
    """The terms, ready to search."""

    groups: Mapping[str, str]
    """Group -> what it is, in the order of the file."""
    group_of: Mapping[str, str]
    """Term -> its group, in the order of the file."""
    patterns: Mapping[str, tuple[Pattern, ...]]
    """First word in lower case -> patterns that begin with it, the longest first."""
    identity: str
    """Digest of the file's content: another list, other results."""


@cache
def load_terms(path: str | None = None) -> TermList:
    """Return the terms of `path`, or the study's own.

    Raises:
        ConfigError: no such file, a wrong key or value, a rule that is not declared, or two terms that are written alike.
    """
    value, where = read_yaml(Path(path) if path else "terms.yaml")
    if not isinstance(value, dict):
        raise ConfigError(f"{where} must hold the keys version, rules and groups; see data/terms.yaml")
    return compile_terms(validate(value, TermFile, where), where)


def compile_terms(content: TermFile, where: str) -> TermList:
    """Return the list that a file's content stands for. Raises ConfigError as `load_terms`."""
    group_of: dict[str, str] = {}
    owners: dict[tuple[str, ...], str] = {}
    patterns: dict[str, list[Pattern]] = {}
    for group in content.groups:
        for term in group.terms:
            if term.term in group_of:
                raise ConfigError(f"{where}: the term {term.term!r} is listed twice; drop one")
            group_of[term.term] = group.group
            for pattern in _patterns(content, group, term, where):
                owner = owners.setdefault(pattern.keys, term.term)
                if owner != term.term:
                    raise ConfigError(
                        f"{where}: {' '.join(pattern.keys)!r} stands for both {owner!r} and {term.term!r}; drop one"
                    )
                patterns.setdefault(pattern.keys[0], []).append(pattern)
    groups = {group.group: group.about for group in content.groups}
    if len(groups) < len(content.groups):
        raise ConfigError(f"{where}: two groups have one name; join them or rename one")
    ordered = {key: tuple(sorted(found, key=lambda one: -len(one.keys))) for key, found in patterns.items()}
    return TermList(groups, group_of, ordered, digest(_plain(content.model_dump())))


def _patterns(content: TermFile, group: Group, term: Term, where: str) -> Iterator[Pattern]:
    for name in (*term.when, *term.unless, *group.unless):
        if name not in content.rules:
            raise ConfigError(f"{where}: {term.term!r} names the rule {name!r}.{nearest(name, content.rules)}")
    when = tuple(content.rules[name] for name in term.when)
    unless = tuple(content.rules[name] for name in (*term.unless, *group.unless))
    plurals = group.plurals if term.plurals is None else term.plurals
    exact = (term.case or group.case) == "exact"
    forms = dict.fromkeys(form + end for form in (term.term, *term.forms) for end in ("", "s")[: 1 + plurals])
    for form in forms:
        words = words_of(form)
        if not words.keys:
            raise ConfigError(f"{where}: {form!r} holds no word; write the term in letters")
        written = tuple(words.written) if exact else None
        yield Pattern(tuple(words.keys), written, term.hyphens, when, unless, term.term)


def _plain(value: Any) -> Any:
    """Return sets as sorted lists, so that the value has one JSON text."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
