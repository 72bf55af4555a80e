"""The study's prompts, generated from a scenario file (`data/scenarios/american.yaml`, or one that a config names)."""

import hashlib
import itertools
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Annotated

import pyarrow as pa
from pydantic import Field, ValidationError, field_validator, model_validator

from raylib.config.base import Frozen
from raylib.config.explain import explain
from raylib.errors import ConfigError, nearest
from raylib.schemas import PROMPT_COLUMNS
from raylib.studies.narratives.data_files import read_yaml
from raylib.studies.wording import fill, places

EVERY_DOMAIN = "all"
"""In the name of a cell: every domain."""

CONDITIONS = {"neutral": "power-neutral", "laden": "power-laden"}

PROMPTS = pa.schema(
    [
        *PROMPT_COLUMNS,
        pa.field("domain", pa.string(), nullable=False),
        pa.field("condition", pa.string(), nullable=False),
        pa.field("scenario", pa.string(), nullable=False),
        pa.field("relation", pa.string(), nullable=False),  # romantic partner | friend | sibling | none
        pa.field("subject", pa.string(), nullable=False),
        pa.field("object", pa.string()),
        pa.field("subject_role", pa.string(), nullable=False),  # whom the extractor looks for
        pa.field("object_role", pa.string()),
        pa.field("two_characters", pa.bool_(), nullable=False),
    ]
)


Text = Annotated[str, Field(min_length=1)]


def _with_places(text: str, needed: Collection[str], allowed: Collection[str]) -> str:
    """Return a text whose {places} are all that are needed and none but the allowed ones, or raise ValueError."""
    found = places(text)
    if set(re.sub(r"\{\w+\}", "", text)) & set("{}"):
        raise ValueError(f"{text!r} has a brace that belongs to no {{name}}")
    for name in found:
        if name not in allowed:
            raise ValueError(f"{text!r} has {{{name}}}.{nearest(name, allowed)}")
    missing = [name for name in needed if name not in found]
    if missing:
        raise ValueError(f"{text!r} lacks {', '.join(f'{{{name}}}' for name in missing)}")
    return text


class Telling(Frozen):
    """One condition of a scenario."""

    subject: Text
    does: Text
    to: Text | None = Field(default=None, description="the other character, with what belongs to the sentence")
    acts: Text | None = Field(default=None, description="what tells the subject from the object where both are alike")


class Scenario(Frozen):
    """One scenario in both conditions, or a family of them (`for_each`)."""

    domain: str
    scenario: Text
    neutral: Telling
    laden: Telling
    for_each: Mapping[str, Annotated[tuple[Text, ...], Field(min_length=1)]] = Field(default_factory=dict)

    @field_validator("domain")
    @classmethod
    def _is_part_of_cells(cls, domain: str) -> str:
        if not domain or "/" in domain or domain == EVERY_DOMAIN:
            raise ValueError(
                f"{domain!r} cannot name a domain: cells are <domain>/<condition>, and {EVERY_DOMAIN!r} pools them"
            )
        return domain

    @model_validator(mode="after")
    def _places(self) -> "Scenario":
        told = [text for telling in (self.neutral, self.laden) for text in telling.model_dump().values()]
        for text in (self.scenario, *told):
            _with_places(text or "", (), tuple(self.for_each))
        return self


class Wording(Frozen):
    """How a telling becomes a sentence."""

    prompt: str
    subject: str
    action: str

    @model_validator(mode="after")
    def _places(self) -> "Wording":
        _with_places(self.prompt, ("subject", "action"), ("subject", "action"))
        _with_places(self.subject, ("subject",), ("identity", "subject"))
        _with_places(self.action, ("does", "to"), ("does", "to"))
        return self


class ScenarioFile(Frozen):
    """A whole scenario file."""

    identity: Text
    wording: Wording
    scenarios: Annotated[tuple[Scenario, ...], Field(min_length=1)]


def load_scenarios(path: str | None = None) -> ScenarioFile:
    """Return the scenarios of `path`, or of the package's own file.

    Raises:
        ConfigError: the file is missing or is not YAML, a field is unknown, missing or empty, or a text has a {place}
            that nothing fills (named in the message).
    """
    value, where = read_yaml(Path(path) if path else "scenarios/american.yaml")
    try:
        return ScenarioFile.model_validate(value)
    except ValidationError as error:
        found = explain(error, ScenarioFile)
        raise ConfigError(f"scenario file {where}: {found}; see data/scenarios/american.yaml") from None


def prompt_table(scenarios: ScenarioFile) -> pa.Table:
    """Return one row a prompt (schema `PROMPTS`); prompt ids are readable and unique.

    Raises:
        ConfigError: two scenarios give the same prompt.
    """
    rows = [row for scenario in scenarios.scenarios for row in _rows(scenarios, scenario)]
    seen: dict[object, str] = {}
    for row in rows:
        if row["prompt"] in seen:
            raise ConfigError(f"scenario {row['scenario']!r} gives the prompt of {seen[row['prompt']]!r}: drop one")
        seen[row["prompt"]] = str(row["scenario"])
    return pa.Table.from_pylist(rows, schema=PROMPTS)


def _rows(scenarios: ScenarioFile, scenario: Scenario) -> Iterator[dict[str, object]]:
    names = list(scenario.for_each)
    for values in itertools.product(*scenario.for_each.values()):
        given = dict(zip(names, values, strict=True))
        title = fill(scenario.scenario, **given)
        for key, telling in (("neutral", scenario.neutral), ("laden", scenario.laden)):
            subject, does = fill(telling.subject, **given), fill(telling.does, **given)
            to = fill(telling.to, **given) if telling.to else None
            prompt = _sentence(scenarios, subject, does, to)
            relation = given.get("relation", "none")
            subject_role, object_role = _roles(subject, to, fill(telling.acts or "", **given), relation)
            prompt_id = _prompt_id(scenario.domain, title, key, prompt)
            yield {
                "prompt_id": prompt_id,
                "prompt": prompt,
                "cluster": prompt_id,
                "domain": scenario.domain,
                "condition": CONDITIONS[key],
                "scenario": title,
                "relation": relation,
                "subject": subject,
                "object": to,
                "subject_role": subject_role,
                "object_role": object_role,
                "two_characters": object_role is not None,
            }


def _sentence(scenarios: ScenarioFile, subject: str, does: str, to: str | None) -> str:
    wording, identity = scenarios.wording, scenarios.identity
    who = subject if identity in subject else fill(wording.subject, identity=identity, subject=subject)
    action = fill(wording.action, does=does, to=to) if to else does
    return fill(wording.prompt, subject=who, action=action)


def _roles(subject: str, to: str | None, acts: str, relation: str) -> tuple[str, str | None]:
    """Whom the extractor looks for: in Love the two are told apart by order (neutral) or by act (laden)."""
    if relation == "none":
        return subject, to
    if to is None:
        return f"first {relation}", f"second {relation}"
    return f"{relation} who {acts}" if acts else relation, f"other {relation}"


def _prompt_id(domain: str, scenario: str, condition: str, prompt: str) -> str:
    """Readable, and another for another wording: the last six digits come from the text."""
    words = f"{domain}.{scenario}.{condition}".lower().replace(" ", "-")
    return f"{words}-{hashlib.sha256(prompt.encode()).hexdigest()[:6]}"
