"""Stories to read: those of the most frequent names that are likely of a race, by gender and role, drawn by seed.

The likelihood threshold serves to choose stories for reading only; it never labels a person, and nothing is counted by it.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from raylib.config.base import Frozen
from raylib.errors import ConfigError, nearest
from raylib.ids import digest
from raylib.studies.narratives.extraction.gender import GENDERS
from raylib.studies.narratives.names import RACES, NameTable

CHARACTERS = ("subject", "object")

SAMPLE = pa.schema(
    [
        pa.field("sample_id", pa.string(), nullable=False),
        pa.field("prompt_id", pa.string(), nullable=False),
        pa.field("domain", pa.string(), nullable=False),
        pa.field("condition", pa.string(), nullable=False),
        pa.field("race", pa.string(), nullable=False),
        pa.field("gender", pa.string(), nullable=False),
        pa.field("role", pa.string(), nullable=False),  # subject | object
        pa.field("name", pa.string(), nullable=False),
        pa.field("likelihood", pa.float64(), nullable=False),
        pa.field("name_count", pa.int64(), nullable=False),  # stories of the run with the name, gender and role
        pa.field("text", pa.string(), nullable=False),
    ]
)
"""One row a chosen story and the character that it was chosen for; a story can be chosen for both its characters."""

_COLUMNS = ("sample_id", "prompt_id", "subject_first_name", "subject_gender", "object_first_name", "object_gender")


class SampleOptions(Frozen):
    """What is drawn."""

    threshold: float = 0.6
    """Likelihood of the race that a name must exceed."""
    names: int = 3
    """Most frequent names of each race, gender and role."""
    per_stratum: int = 5
    """Stories of each race, gender, role, domain and condition, at most."""
    seed: int = 0
    races: tuple[str, ...] = ()
    """Empty: all that the name table has."""


def draw_sample(
    annotations: Iterable[pa.Table], prompts: pa.Table, table: NameTable, options: SampleOptions
) -> list[dict[str, Any]]:
    """Return rows of SAMPLE without their `text`, sorted by race, gender, role, domain, condition and sample.

    The same rows for any order of parts and stories: names of equal frequency are taken in alphabetical order, and
    stories by a hash of seed, stratum and sample id. Where the table's races come from several sources, a name can be
    likely of two: its stories then stand under both.

    Raises:
        ConfigError: a threshold outside [0.5, 1), a number below 1, or a race that the name table does not model.
    """
    races = _check(table, options)
    frequent = _Frequent(table, races, options)
    asked = {row["prompt_id"]: row for row in prompts.select(["prompt_id", "domain", "condition"]).to_pylist()}
    for part in annotations:
        frequent.add(part)
    strata: dict[tuple[str, ...], list[dict[str, Any]]] = defaultdict(list)
    for character in frequent.chosen():
        row = character | asked[character["prompt_id"]]
        strata[tuple(row[name] for name in ("race", "gender", "role", "domain", "condition"))].append(row)
    chosen = [row for stratum in strata.values() for row in _drawn(stratum, options)]
    order = {race: place for place, race in enumerate(RACES)}
    return sorted(chosen, key=lambda row: (order[row["race"]], row["gender"], row["role"], row["domain"],
                                           row["condition"], row["sample_id"]))  # fmt: skip


def with_texts(rows: Sequence[Mapping[str, Any]], texts: Mapping[str, str]) -> pa.Table:
    """Return chosen rows with their texts (schema SAMPLE)."""
    return pa.Table.from_pylist([{**row, "text": texts[row["sample_id"]]} for row in rows], schema=SAMPLE)


class _Frequent:
    """Characters with a name that is likely of a wanted race; keeps those, forgets the rest of a run."""

    def __init__(self, table: NameTable, races: tuple[str, ...], options: SampleOptions) -> None:
        self._table, self._races, self._options = table, races, options
        self._characters: list[dict[str, Any]] = []

    def add(self, part: pa.Table) -> None:
        """Add the characters of one annotation part."""
        rows = part.select(list(_COLUMNS)).to_pylist()
        for role in CHARACTERS:
            found = self._table.likelihoods(part[f"{role}_first_name"])
            for race in self._races:
                likelihoods = found.values[:, found.races.index(race)]
                for place in (likelihoods > self._options.threshold).nonzero()[0].tolist():
                    row = rows[place]
                    if row[f"{role}_gender"] in GENDERS:
                        self._characters.append({
                            "sample_id": row["sample_id"], "prompt_id": row["prompt_id"], "race": race, "role": role,
                            "gender": row[f"{role}_gender"], "name": row[f"{role}_first_name"],
                            "likelihood": float(likelihoods[place]),
                        })  # fmt: skip

    def chosen(self) -> list[dict[str, Any]]:
        """Return the characters with one of the most frequent names of their race, gender and role."""
        counts: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
        for one in self._characters:
            counts[one["race"], one["gender"], one["role"]][one["name"]] += 1
        top = {
            key: dict(sorted(names.items(), key=lambda item: (-item[1], item[0]))[: self._options.names])
            for key, names in counts.items()
        }
        return [
            one | {"name_count": top[one["race"], one["gender"], one["role"]][one["name"]]}
            for one in self._characters
            if one["name"] in top[one["race"], one["gender"], one["role"]]
        ]


def _drawn(stratum: list[dict[str, Any]], options: SampleOptions) -> list[dict[str, Any]]:
    def rank(row: Mapping[str, Any]) -> str:
        return digest([options.seed, row["race"], row["gender"], row["role"], row["sample_id"]])

    return sorted(stratum, key=rank)[: options.per_stratum]


def _check(table: NameTable, options: SampleOptions) -> tuple[str, ...]:
    if not 0.5 <= options.threshold < 1:
        raise ConfigError(
            f"--threshold {options.threshold}: give a likelihood of at least 0.5 and below 1, such as 0.6"
        )
    if options.names < 1 or options.per_stratum < 1:
        raise ConfigError("--names and --per-stratum must be at least 1")
    modelled = tuple(race for race in RACES if table.models(race))
    for race in options.races:
        if race not in RACES:
            raise ConfigError(f"--race {race!r} is none of the study's.{nearest(race, RACES)}")
        if race not in modelled:
            raise ConfigError(
                f"--race {race!r} is not modelled by {table.provenance['source']}; valid: {', '.join(modelled)} "
                "(jobs/build_names.py makes a table with more)"
            )
    return tuple(race for race in modelled if not options.races or race in options.races)
