"""A user's table of names: what its declaration means, and every fault with its row."""

from pathlib import Path

import polars as pl
import pytest

from raylib.errors import ConfigError, DataError, FairsweepError
from raylib.studies.narratives.names.user_table import read_user_table

DECLARATION = """
id: florida-2022
source: Florida voter registration, 2022
version: "2022-02"
kind: population
file: florida.csv
unit: percent
name: first_name
count: people
races: {White: white, Latine: hispanic}
"""
ROWS = "first_name,people,white,hispanic\nAnna,200,75,25\n josé ,40,12.5,87.5\nNull,12,0,100\n"


def declare(folder: Path, text: str = DECLARATION, rows: str | bytes | None = ROWS) -> Path:
    if rows is not None:
        (folder / "florida.csv").write_bytes(rows if isinstance(rows, bytes) else rows.encode())
    path = folder / "florida.yaml"
    path.write_text(text)
    return path


def test_percentages_become_likelihoods_and_names_upper_case(tmp_path):
    table = read_user_table(declare(tmp_path))
    assert table.names.to_pylist() == ["ANNA", "JOSÉ", "NULL"]
    assert table.people.tolist() == [200, 40, 12]
    assert (table.races, table.values.tolist()) == (("White", "Latine"), [[0.75, 0.25], [0.125, 0.875], [0.0, 1.0]])
    assert not table.models("Black")


def test_provenance_says_what_was_read_and_its_base_rates(tmp_path):
    provenance = read_user_table(declare(tmp_path)).provenance
    assert (provenance["id"], provenance["version"], provenance["names"], provenance["people"]) == (
        "florida-2022", "2022-02", 3, 252,
    )  # fmt: skip
    assert len(str(provenance["sha256"])) == 64
    assert provenance["base_rates"] == pytest.approx({"White": (150 + 5) / 252, "Latine": (50 + 35 + 12) / 252})


def test_fractions_in_a_parquet_file_are_the_same_table(tmp_path):
    rows = {"first_name": ["Anna", "josé", "Null"], "people": [200, 40, 12], "white": [0.75, 0.125, 0.0],
            "hispanic": [0.25, 0.875, 1.0]}  # fmt: skip
    pl.DataFrame(rows).write_parquet(tmp_path / "florida.parquet")
    text = DECLARATION.replace("florida.csv", "florida.parquet").replace("percent", "fraction")
    table = read_user_table(declare(tmp_path, text, None))
    assert table.values.tolist() == read_user_table(declare(tmp_path)).values.tolist()


HEADER = "first_name,people,white,hispanic\n"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("Anna,200,75,25\n,40,10,80\n", "row 2: no name"),
        ("Anna,200,75,25\nBea,9,1,1\n anna,40,10,80\n", r"row 3: ANNA stands in row 1 too \(case does not matter\)"),
        ("Anna,few,75,25\n", "row 1: people is 'few', not a number of people"),
        ("Anna,,75,25\n", "row 1: people is None, not a number of people"),
        ("Anna,-3,75,25\n", "row 1: people is '-3', not a number of people"),
        ("Anna,2.5,75,25\n", "row 1: people is '2.5', not a number of people"),
        ("Anna,inf,75,25\n", "row 1: people is 'inf', not a number of people"),
        ("Anna,200,75,25\nBea,20,101,0\n", r"row 2: white \(White\) is '101', not a percent from 0 to 100"),
        ("Anna,200,-1,25\n", r"row 1: white \(White\) is '-1', not a percent from 0 to 100"),
        ("Anna,200,75,(S)\n", r"row 1: hispanic \(Latine\) is '\(S\)', not a percent"),
        ("Anna,200,75,\n", r"row 1: hispanic \(Latine\) is None, not a percent"),
        ("Anna,200,75,nan\n", r"row 1: hispanic \(Latine\) is 'nan', not a percent"),
        ("Anna,200,75,45\n", r"row 1: its shares add up to 1\.2, more than 1"),
        (
            "Anna,200,.75,.25\nBea,20,.5,.5\n",
            r"no share of the table exceeds 1 percent: it looks as if `unit: fraction`",
        ),
        ("", "counts nobody"),
        ("Anna,0,75,25\n", "counts nobody"),
        ("Anna,200,75,25,3\n", r"cannot be read .* give UTF-8 CSV or Parquet"),
        (b"\xff\xfe,1,1,1\n", "cannot be read .* give UTF-8 CSV or Parquet"),
    ],
)
def test_faults_of_rows(tmp_path, rows, message):
    data = HEADER.encode() + (rows if isinstance(rows, bytes) else rows.encode())
    with pytest.raises(DataError, match=message):
        read_user_table(declare(tmp_path, rows=data))


def test_every_fault_is_counted_and_the_first_five_shown(tmp_path):
    rows = HEADER + "".join(f"N{number},x,75,200\n" for number in range(4))
    with pytest.raises(
        DataError, match=r"row 1: .*row 1: .*row 2: .*row 2: .*row 3: .*; and 3 more in rows 3, 4\. Mend"
    ):
        read_user_table(declare(tmp_path, rows=rows))


def test_shares_of_biographies_may_overlap(tmp_path):
    text = DECLARATION.replace("population", "biographies")
    table = read_user_table(declare(tmp_path, text, HEADER + "Anna,200,75,45\n"))
    assert table.values.tolist() == [[0.75, 0.45]]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("count: people\n", "", "key 'count' is missing"),
        ("unit: percent", "unit: per cent", "unit: Input should be 'fraction' or 'percent'"),
        ("kind: population", "kind: census", "kind: Input should be 'population' or 'biographies'"),
        ("unit: percent", "units: percent", "unknown key 'units'. Did you mean 'unit'"),
        ("Latine:", "Latin:", "unknown race 'Latin'. Did you mean 'Latine'"),
        ("hispanic}", "latino}", r"florida\.csv has no column 'latino'\."),
        ("hispanic}", "white}", "a column is declared twice"),
        ("{White: white, Latine: hispanic}", "{}", "races: Dictionary should have at least 1 item"),
        ("florida-2022", "Florida 2022", "name table .*: id"),
        ("florida-2022", "rosenman", "id 'rosenman' is a source of fairsweep's own"),
        ("florida-2022", "name2nat-0.5.1", "id 'name2nat-0.5.1' is a source of fairsweep's own"),
        ("florida.csv", "gone.csv", "cannot read file .*gone.csv: No such file"),
        ("florida.csv", "florida.yaml", "must end in .csv or .parquet"),
        ("id: florida-2022", "id: [", "is not YAML"),
    ],
)
def test_faults_of_the_declaration(tmp_path, old, new, message):
    path = declare(tmp_path, DECLARATION.replace(old, new))
    with pytest.raises(ConfigError, match=message) as caught:
        read_user_table(path)
    assert isinstance(caught.value, FairsweepError)


def test_utf16_is_refused_by_name(tmp_path):
    with pytest.raises(DataError, match="holds NUL bytes, as UTF-16 does"):
        read_user_table(declare(tmp_path, rows=ROWS.encode("utf-16")))


def test_a_missing_declaration_is_one_line(tmp_path):
    with pytest.raises(ConfigError, match=r"cannot read .*none\.yaml"):
        read_user_table(tmp_path / "none.yaml")
