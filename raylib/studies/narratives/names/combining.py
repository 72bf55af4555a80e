"""One table from several sources, with the privacy rule: a name that few people have is not in it.

A rare name can point at a person. Names under the minimum count are left out of each source when a table is built, so
that nothing made with the table (sums, estimates, exports, reports) rests on them or can show them: in a story such a
name counts as one that the source does not list. What is lost is said in the provenance (`suppressed_names`,
`suppressed_people`), and for biographies also how the base rates of those that are left differ (`base_rates_listed`).
"""

import dataclasses
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from raylib.errors import ConfigError
from raylib.ids import digest
from raylib.studies.narratives.names.table import RACES, NameTable, Source, summary

MIN_COUNT = 10


def suppress(table: NameTable, min_count: int = MIN_COUNT) -> NameTable:
    """Return a table of one source without the names that fewer than `min_count` people have.

    Raises:
        ConfigError: the source gives no counts, and lists names of fewer people; or no name has so many.
    """
    at_least = table.provenance.get("people_at_least")
    if isinstance(at_least, int) and at_least < min_count:
        raise ConfigError(
            f"--min-count {min_count}: the source {table.provenance['id']} gives no counts, only that each of its names has "
            f"at least {at_least} people; take --min-count {at_least} or less, or another source"
        )
    keep = table.people >= min_count
    people = table.people[keep]
    if not len(people):
        raise ConfigError(
            f"--min-count {min_count}: no name of the source {table.provenance['id']} has so many people; the most that one has "
            f"is {table.people.max(initial=0):,}"
        )
    counted = at_least is None
    about: dict[str, object] = {
        "min_count": min_count, "names": int(keep.sum()), "suppressed_names": int((~keep).sum()),
        "people": int(people.sum()) if counted else None,
        "suppressed_people": int(table.people[~keep].sum()) if counted else 0,
    }  # fmt: skip
    if "base_rates" in table.provenance and len(people):
        listed = (table.values[keep] * people[:, None]).sum(axis=0) / people.sum()
        about["base_rates_listed"] = dict(zip(table.races, listed.tolist(), strict=True))
    return dataclasses.replace(
        table, names=table.names.filter(pa.array(keep)), people=people, values=table.values[keep],
        female=table.female[keep], provenance=table.provenance | about,
    )  # fmt: skip


def combine(tables: Sequence[NameTable]) -> NameTable:
    """Return one table of tables of one source each, the default one first.

    Each race's column comes from the first table that has it. Names are the union, sorted; a column covers the names
    that its own source lists.

    Raises:
        ConfigError: no table, the same source twice, or a table that adds no race to those before it.
    """
    if not tables:
        raise ConfigError("a name table needs at least one source: give --source census2020")
    sources: list[Source] = []
    for table in tables:
        taken = {race for source in sources for race in source.races}
        name = str(table.provenance["id"])
        races = tuple(race for race in table.races if race not in taken)
        if any(source.id == name for source in sources):
            raise ConfigError(f"source {name} is given twice; give each source once")
        if not any(race in RACES for race in races):
            there = ", ".join(race for race in table.races if race in RACES)
            raise ConfigError(
                f"source {name} adds no race: {there} come from sources before it; leave it out, or give it first"
            )
        sources.append(Source(name, table.kind, races, table.provenance))
    names = pc.unique(pa.chunked_array([table.names for table in tables])).sort()
    size = len(names)
    people, female = np.zeros(size, dtype=np.int64), np.full(size, np.nan)
    values, covered = [], []
    for table, source in zip(tables, sources, strict=True):
        place = np.asarray(pc.index_in(table.names, value_set=names).to_numpy(zero_copy_only=False))
        own = [table.races.index(race) for race in source.races]
        columns = np.zeros((size, len(own)))
        columns[place] = table.values[:, own]
        listed = np.zeros(size, dtype=bool)
        listed[place] = True
        values.append(columns)
        covered.append(np.repeat(listed[:, None], len(own), axis=1))
        spread = np.full(size, np.nan)
        spread[place] = table.female
        female = np.where(np.isnan(female), spread, female)
        if table is tables[0]:
            people[place] = table.people
    sha256 = digest([source.provenance["sha256"] for source in sources])
    return NameTable(
        names=names, people=people, races=tuple(race for source in sources for race in source.races),
        values=np.hstack(values), female=female, kind=sources[0].kind,
        provenance=summary(sources, sha256, size), sources=tuple(sources), covered=np.hstack(covered),
    )  # fmt: skip
