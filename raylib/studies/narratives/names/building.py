"""Build a name table from the sources that a user names, write it, and say what is in it."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from raylib.errors import ConfigError, nearest
from raylib.studies.narratives.names.biographies import wikipedia
from raylib.studies.narratives.names.combining import MIN_COUNT, combine, suppress
from raylib.studies.narratives.names.packaged import census_2020, rosenman
from raylib.studies.narratives.names.stored import read_names, write_names
from raylib.studies.narratives.names.table import RACES, NameTable, Source
from raylib.studies.narratives.names.user_table import read_user_table

_READERS = {"census2020": census_2020, "rosenman": rosenman, "wikipedia": wikipedia}
SOURCES = tuple(_READERS)
_SHOWN = 10


class Build(NamedTuple):
    """What to build."""

    out: Path
    sources: Sequence[str] = ("census2020",)
    min_count: int = MIN_COUNT
    check: Path | None = None
    """A list of names, one a line, whose coverage is wanted."""


def build_names(build: Build) -> list[str]:
    """Build and write the table, and return lines that say what it holds, and how much of `check` it covers.

    Raises:
        ConfigError: an unknown source, one that cannot be read or does not fit, or a path that cannot be written.
        DataError: a source's rows break its contract.
    """
    if build.out.suffix != ".parquet":
        raise ConfigError(f"--out {build.out} must end in .parquet")
    if build.min_count < 1:
        raise ConfigError(f"--min-count {build.min_count} must be 1 or more (1: no name is left out)")
    asked = _names(build.check) if build.check else None
    table = combine([suppress(_read(source), build.min_count) for source in build.sources])
    sha256 = write_names(table, build.out)
    lines = [*describe(table), f"{len(table.names):,} names: {build.out} (sha256 {sha256})"]
    return [*lines, *coverage(read_names(build.out), asked)] if asked is not None else lines


def _read(source: str) -> NameTable:
    if source in _READERS:
        return _READERS[source]()
    if source.endswith((".yaml", ".yml")):
        return read_user_table(Path(source))
    raise ConfigError(
        f"unknown source {source!r} (or give a .yaml file that declares a table).{nearest(source, SOURCES)}"
    )


def describe(table: NameTable) -> Iterator[str]:
    """Yield lines that say where each race comes from, how much that counts, what was left out and what is lacking."""
    for source in table.all_sources:
        about = source.provenance
        people = f"{about['people']:,} people" if about["people"] is not None else "no counts"
        yield f"{_races(source)}: {about['source']} ({source.kind}; {about['names']:,} names, {people})"
        if about.get("suppressed_names"):
            yield (f"  left out: {about['suppressed_names']:,} names of fewer than {about['min_count']} people "
                   f"({about['suppressed_people']:,} people)")  # fmt: skip
        for key, text in (("base_rates", "all"), ("base_rates_listed", "those whose name is listed")):
            rates = about.get(key)
            if isinstance(rates, dict):
                shares = ", ".join(f"{race} {rates[race]:.4%}" for race in source.races)
                yield f"  base rates of {text}: {shares}"
        absent = about.get("absent_nationalities")
        if isinstance(absent, dict):
            lacking = "; ".join(f"{race}: {', '.join(absent[race])}" for race in source.races if absent.get(race))
            yield f"  nationalities that the source lacks: {lacking}"
    missing = [race for race in RACES if not table.models(race)]
    if missing:
        yield f"not modelled: {', '.join(missing)}"


def coverage(table: NameTable, names: Sequence[str]) -> Iterator[str]:
    """Yield a line for each source: how many of `names` it lists, and the first that it does not."""
    found = table.likelihoods(names)
    for source in table.all_sources:
        covered = found.covered[:, found.races.index(source.races[0])]
        lacking = list(dict.fromkeys(name for name, has in zip(names, covered, strict=True) if not has))
        share = f" ({covered.mean():.2%})" if len(names) else ""
        line = f"coverage of {_races(source)}: {covered.sum():,} of {len(names):,} names{share}"
        more = f" and {len(lacking) - _SHOWN:,} more" if len(lacking) > _SHOWN else ""
        yield f"{line}; not listed: {', '.join(lacking[:_SHOWN])}{more}" if lacking else line


def _races(source: Source) -> str:
    return ", ".join(source.races)


def _names(path: Path) -> list[str]:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"cannot read --check {path}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"--check {path} is not UTF-8 text ({error.reason}): give one name a line") from None
    return [line.strip() for line in text.splitlines() if line.strip()]
