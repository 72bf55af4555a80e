"""A user's own table of first names: a Parquet or CSV file, and a YAML file that declares its columns.

    id: florida-2022
    source: Florida voter registration, 2022
    version: "2022-02"
    kind: population              # or biographies
    file: florida.csv             # beside the YAML file
    unit: percent                 # or fraction
    name: first_name
    count: people
    races: {White: white, Latine: hispanic, Black: black, Asian: api, AI/AN: aian}

Row numbers in messages count from 1 below the header.
"""

import hashlib
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl
import pyarrow as pa
from pydantic import Field, ValidationError

from raylib.config.base import Frozen
from raylib.config.explain import explain
from raylib.errors import ConfigError, DataError, nearest
from raylib.ids import check_name
from raylib.studies.narratives.data_files import read_yaml
from raylib.studies.narratives.names.biographies import wikipedia_id
from raylib.studies.narratives.names.table import RACES, NameTable, upper

_SHOWN, _ROWS_SHOWN = 5, 50
_ROUNDING = 0.01
"""By how much a row's shares may exceed 1: published percentages are rounded."""


class UserTable(Frozen):
    """What a user's table is, and which columns hold what."""

    id: str = Field(description="Short name with the version in it; comparison shares of biographies name it.")
    source: str = Field(min_length=1, description="What was counted, for a reader of the report.")
    version: str = Field(min_length=1, description="Year or release.")
    kind: Literal["population", "biographies"] = Field(description="Comparison shares must be of the same kind.")
    file: str = Field(description="Parquet or CSV, relative to the YAML file.")
    unit: Literal["fraction", "percent"] = Field(description="How shares are written: 0 to 1, or 0 to 100.")
    name: str = Field(description="Column of the first names.")
    count: str = Field(description="Column of the number of people of the name; the privacy rule needs it.")
    races: dict[str, str] = Field(
        min_length=1, description="Race -> column of its share. A race left out: not modelled."
    )


def read_user_table(path: Path) -> NameTable:
    """Return the table that a YAML file declares, rare names included.

    Raises:
        ConfigError: the declaration is wrong, or the file that it names cannot be read.
        DataError: rows that break the declaration; names each with its number.
    """
    declared = _declared(path)
    file = path.parent / declared.file
    try:
        data = file.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path}: cannot read file {file}: {error.strerror or error}") from None
    frame = _frame(data, file)
    wanted = [declared.name, declared.count, *declared.races.values()]
    for column in wanted:
        if column not in frame.columns:
            raise ConfigError(f"{path}: {file.name} has no column {column!r}.{nearest(column, frame.columns)}")
    names = upper(pa.array(frame[declared.name].cast(pl.String).to_list(), type=pa.string()))
    people = _numbers(frame[declared.count])
    shares = np.stack([_numbers(frame[column]) for column in declared.races.values()], axis=1)
    shares = shares / 100 if declared.unit == "percent" else shares
    faults = sorted(_faults(declared, frame, names, people, shares))
    if faults:
        shown = "; ".join(f"row {row + 1}: {text}" for row, text in faults[:_SHOWN])
        raise DataError(f"{file}: {shown}{_others(faults[_SHOWN:])}. Mend the rows, or the declaration {path}")
    if not people.sum():
        raise DataError(f"{file} counts nobody; a name table needs at least one name of somebody")
    shares = shares.clip(0, 1)
    rates = (shares * people[:, None]).sum(axis=0) / people.sum()
    return NameTable(
        names=names, people=people.astype(np.int64), races=tuple(declared.races), values=shares,
        female=np.full(frame.height, np.nan), kind=declared.kind,
        provenance={
            "id": declared.id, "source": declared.source, "version": declared.version, "file": declared.file,
            "sha256": hashlib.sha256(data).hexdigest(), "names": frame.height, "people": int(people.sum()),
            "base_rates": dict(zip(declared.races, rates.tolist(), strict=True)),
        },
    )  # fmt: skip


def _declared(path: Path) -> UserTable:
    value, where = read_yaml(path)
    try:
        declared = UserTable.model_validate(value)
    except ValidationError as error:
        raise ConfigError(f"name table {where}: {explain(error, UserTable)}") from None
    check_name(declared.id, f"name table {where}: id")
    if declared.id in ("census2020", "rosenman", wikipedia_id()):
        raise ConfigError(f"name table {where}: id {declared.id!r} is a source of fairsweep's own; choose another")
    for race in declared.races:
        if race not in RACES:
            raise ConfigError(f"name table {where}: unknown race {race!r}.{nearest(race, RACES)}")
    columns = [declared.name, declared.count, *declared.races.values()]
    if len(set(columns)) < len(columns):
        raise ConfigError(f"name table {where}: a column is declared twice; give each of name, count and races its own")
    return declared


def _frame(data: bytes, file: Path) -> pl.DataFrame:
    try:
        if file.suffix == ".parquet":
            return pl.read_parquet(io.BytesIO(data))
        if file.suffix == ".csv" and b"\0" in data:
            raise DataError(f"{file} is not UTF-8 text (it holds NUL bytes, as UTF-16 does); give UTF-8 CSV or Parquet")
        if file.suffix == ".csv":
            return pl.read_csv(io.BytesIO(data), infer_schema=False)
    except pl.exceptions.PolarsError as error:
        raise DataError(
            f"{file} cannot be read ({' '.join(str(error).split())[:120]}); give UTF-8 CSV or Parquet"
        ) from None
    raise ConfigError(f"{file} must end in .csv or .parquet")


def _numbers(column: pl.Series) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return a column's numbers, NaN where there is none."""
    text = column.str.strip_chars() if column.dtype == pl.String else column
    return text.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()


def _faults(
    declared: UserTable,
    frame: pl.DataFrame,
    names: pa.Array,
    people: np.ndarray[tuple[int], np.dtype[np.float64]],
    shares: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
) -> Iterator[tuple[int, str]]:
    """Yield every fault with the place of its row."""
    listed = names.to_pylist()
    first: dict[str, int] = {}
    for row, name in enumerate(listed):
        if not name:
            yield row, "no name"
        elif first.setdefault(name, row) != row:
            yield row, f"{name} stands in row {first[name] + 1} too (case does not matter)"
    with np.errstate(invalid="ignore"):
        for row in np.flatnonzero(~((people >= 0) & (people == np.floor(people)) & np.isfinite(people))):
            yield int(row), f"{declared.count} is {frame[declared.count][int(row)]!r}, not a number of people"
        for index, (race, column) in enumerate(declared.races.items()):
            for row in np.flatnonzero(~((shares[:, index] >= 0) & (shares[:, index] <= 1))):
                found = frame[column][int(row)]
                yield int(row), f"{column} ({race}) is {found!r}, not a {declared.unit} from 0 to {_most(declared)}"
        if declared.kind == "population":
            valid = ((shares >= 0) & (shares <= 1)).all(axis=1)
            for row in np.flatnonzero(valid & (shares.sum(axis=1) > 1 + _ROUNDING)):
                yield int(row), f"its shares add up to {shares[row].sum():.4g}, more than 1"
    if declared.unit == "percent" and frame.height > 1 and shares.max(initial=0) <= 0.01 and shares.any():
        yield 0, "no share of the table exceeds 1 percent: it looks as if `unit: fraction` were right"


def _others(faults: list[tuple[int, str]]) -> str:
    """Say how many faults more there are, and in which rows."""
    if not faults:
        return ""
    rows = [f"{row + 1:,}" for row in dict.fromkeys(row for row, _ in faults)]
    beyond = " ..." if len(rows) > _ROWS_SHOWN else ""
    return f"; and {len(faults):,} more in rows {', '.join(rows[:_ROWS_SHOWN])}{beyond}"


def _most(declared: UserTable) -> int:
    return 100 if declared.unit == "percent" else 1
