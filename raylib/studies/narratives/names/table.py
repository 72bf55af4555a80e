"""First names with their race likelihoods, from one source or from several.

The likelihood of a race is the share of people of a name who report it (the paper's equation 5): fractional, never
one race a name. A race that no source has a column for is "not modelled", never zero.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from raylib.errors import ConfigError

RACES = ("White", "Latine", "Black", "Asian", "AI/AN", "MENA", "NH/PI")
"""The paper's seven, in the paper's order."""

JOINTS = "'’‘ʻʼ`‐‑-"
"""What joins the parts of a first name: apostrophes and hyphens (the plain hyphen last, for a regular expression)."""

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


class Aligned(NamedTuple):
    """Likelihoods in an order of races that the caller chose."""

    values: Floats
    """Shape (names, races); 0 where not covered."""
    covered: Flags
    """Shape (names, races); all false for a race that is not modelled."""


@dataclass(frozen=True)
class Likelihoods:
    """Race likelihoods of a list of names."""

    races: tuple[str, ...]
    values: Floats
    """Shape (names, races), each 0 to 1; 0 where not `covered`, and to be left out there."""
    known: Flags
    """Shape (names,): whether the default source (the first) lists the name."""
    covered: Flags
    """Shape (names, races): whether the source of the race's column lists the name. Sources list different names, so
    the mean likelihood of a race is over the names that its own source covers."""

    @property
    def coverage(self) -> float | None:
        """Share of the names that the default source lists; None for no names."""
        return float(self.known.mean()) if self.known.size else None

    def coverage_of(self, race: str) -> float | None:
        """Share of the names that the source of a race lists; None for no names, or a race that is not modelled."""
        if race not in self.races or not self.known.size:
            return None
        return float(self.covered[:, self.races.index(race)].mean())

    def aligned(self, races: Sequence[str] = RACES) -> Aligned:
        """Return values and coverage with a column for each of `races`; nothing is covered in one that is missing."""
        shape = (len(self.known), len(races))
        found = Aligned(np.zeros(shape), np.zeros(shape, dtype=bool))
        for index, race in enumerate(races):
            if race in self.races:
                column = self.races.index(race)
                found.values[:, index] = self.values[:, column]
                found.covered[:, index] = self.covered[:, column]
        return found


@dataclass(frozen=True)
class Source:
    """Where some race columns of a table come from."""

    id: str
    """Version included: comparison shares of biographies name the table that they are base rates of."""
    kind: str
    """What population the shares describe: `population` or `biographies`."""
    races: tuple[str, ...]
    provenance: Mapping[str, object]
    """`source`, `version`, `sha256`, `names`, `people` and what else is known of it."""


@dataclass(frozen=True)
class NameTable:
    """First names with their race likelihoods; look-ups ignore case, surrounding space and, where need be, marks."""

    names: pa.Array
    """Upper case, unique."""
    people: npt.NDArray[np.int64]
    """How many people have the name in the default source; the least that it lists where it gives no counts
    (provenance: `people_at_least`)."""
    races: tuple[str, ...]
    values: Floats
    """Shape (names, races)."""
    female: Floats
    """Share of the people of a name who report female, NaN where unknown; used to resolve pronouns, never to label a
    gender."""
    kind: str
    """What population the shares of the default source describe; a comparison share must be of its race's kind."""
    provenance: dict[str, object]
    sources: tuple[Source, ...] = ()
    """The source of each column, the default one first; empty: all columns are of one, which `provenance` describes."""
    covered: Flags | None = None
    """Shape (names, races): whether the column's source lists the name; None: it lists all."""

    def likelihoods(self, names: Sequence[str | None] | pa.ChunkedArray) -> Likelihoods:
        """Look up many names at once; None and unlisted names are unknown, not zero.

        A name that is not listed as it is written is looked up without its accents, then without its apostrophes and
        hyphens: the tables of the United States have none (José is JOSE there, De'Andre DEANDRE, Mary-Jane MARYJANE).
        """
        given = names if isinstance(names, pa.ChunkedArray) else pa.chunked_array([pa.array(names, type=pa.string())])
        encoded = given.combine_chunks().dictionary_encode()  # stories repeat names: each is looked up once
        values = np.zeros((len(encoded.dictionary) + 1, len(self.races)))  # the last row is of None
        covered = np.zeros_like(values, dtype=bool)
        written = encoded.dictionary
        for spelling in (letters_alone(written), without_accents(written), upper(written)):  # as it is written wins
            found = np.array([self._places.get(name, -1) for name in spelling.to_pylist()], dtype=np.int64)
            listed, index = found >= 0, np.maximum(found, 0)
            here = np.repeat(listed[:, None], len(self.races), axis=1)
            if self.covered is not None:
                here &= self.covered[index]
            values[:-1] = np.where(here, self.values[index], values[:-1])
            covered[:-1] |= here
        place = np.asarray(pc.fill_null(encoded.indices, len(encoded.dictionary)).to_numpy(zero_copy_only=False))
        default = self.races.index(self.all_sources[0].races[0])
        return Likelihoods(self.races, values[place], covered[place, default], covered[place])

    @cached_property
    def _places(self) -> dict[str, int]:
        """Name -> its row."""
        return {name: place for place, name in enumerate(self.names.to_pylist())}

    def models(self, race: str) -> bool:
        """Whether a source has a column for the race."""
        return race in self.races

    def source_of(self, race: str) -> Source:
        """Return where a race's column comes from.

        Raises:
            ConfigError: no source has a column for the race.
        """
        if not self.models(race):
            raise ConfigError(f"no source of this name table has a column for {race}: add one with jobs/build_names.py")
        return next(source for source in self.all_sources if race in source.races)

    @property
    def all_sources(self) -> tuple[Source, ...]:
        """The source of each column, the default one first; one where `sources` is empty."""
        own = Source(str(self.provenance.get("id", "")), self.kind, self.races, self.provenance)
        return self.sources or (own,)


def summary(sources: Sequence[Source], sha256: str, names: int) -> dict[str, object]:
    """Return the provenance of a table of several sources; what each is stands in its own."""
    return {
        "id": "+".join(source.id for source in sources),
        "source": "; ".join(str(source.provenance["source"]) for source in sources),
        "sha256": sha256,
        "names": names,
    }


def upper(names: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Return names in the form in which a table lists them."""
    return pc.utf8_upper(pc.utf8_trim_whitespace(names))


def without_accents(names: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Return `upper(names)` without combining marks: JOSÉ becomes JOSE; letters that are no accented ones stay."""
    decomposed = pc.utf8_normalize(upper(names), form="NFKD")
    return pc.replace_substring_regex(decomposed, pattern=r"\p{Mn}", replacement="")


def letters_alone(names: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Return `without_accents(names)` without apostrophes and hyphens: De'Andre becomes DEANDRE."""
    return pc.replace_substring_regex(without_accents(names), pattern=f"[{JOINTS}]", replacement="")
