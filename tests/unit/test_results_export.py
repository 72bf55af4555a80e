"""Exports: the same values in every format, and a folder that appears whole or not at all."""

import csv
import json
import logging
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from raylib.errors import ConfigError, DataError
from raylib.results import RunResults, datasets_folder, open_run
from raylib.results.by_axis import by_axis
from raylib.results.export import export
from raylib.results.latex import left_out, to_latex
from raylib.store.manifests import Manifest, write_manifest
from tests.report_support import estimate, table, without_number
from tests.results_support import ESTIMATE_TABLE, SUM_TABLE, TEXTS, finished_run


@pytest.fixture
def run(tmp_path: Path) -> RunResults:
    finished_run(tmp_path / "store")
    return open_run(str(tmp_path / "store"), "small")


def names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_parquet_and_csv_read_back_to_the_same_values(run: RunResults, tmp_path: Path) -> None:
    export(run, str(tmp_path / "out"), ["parquet", "csv"])
    assert names(tmp_path / "out") == {
        "estimates.csv", "estimates.parquet", "sums.csv", "sums.parquet", "export.json",
    }  # fmt: skip
    assert pq.read_table(tmp_path / "out/estimates.parquet") == ESTIMATE_TABLE
    with (tmp_path / "out/sums.csv").open(newline="") as stream:
        head, row = csv.reader(stream)
    assert (head, row) == (["cell", "cluster", "measure", "values"], ["c", "p", "m", "[0.30000000000000004, 2.0]"])
    with (tmp_path / "out/estimates.csv").open(newline="") as stream:
        first, second = csv.DictReader(stream)
    assert (first["note"], first["estimate"], second["estimate"]) == ("'=50% & more", "1.25", "")


def test_latex_is_escaped_and_rounded_as_in_the_report(run: RunResults, tmp_path: Path) -> None:
    export(run, str(tmp_path / "out"), ["latex"])
    lines = (tmp_path / "out/estimates.tex").read_text().splitlines()
    assert r"\toprule" in lines
    assert (
        r"R\_rep & Labor/x\_1 & gender & F & 1.25 [0.500, 2.00] & [0.750, 1.50] & 62.5\% vs 50.0\% & 5 / 8 & 2 & < .001 & "
        r"unknown & unknown & =50\% \& more \\"
    ) in lines
    assert r"R\_rep & Labor/x\_1 & gender & MENA & not modelled &  &  &  &  &  &  &  & no such column \\" in lines
    assert r"c & p & m & 0.300, 2.00 \\" in (tmp_path / "out/sums.tex").read_text().splitlines()


def test_numbers_of_whole_axes_have_a_latex_table_of_their_own() -> None:
    gender = estimate("all groups", "gender", "gender", statistic="DoB", estimate=0.3141, ci_low=None, ci_high=None)
    share = estimate("all groups", "gender", "gender", statistic="absolute discrimination", estimate=0.614)
    every = without_number("all groups", "no data", "all", "all") | {"statistic": "DoB"}
    parts = [estimate("man", "gender", "gender"), estimate("all groups", "gender/LI", "gender")]
    found = by_axis(table([gender, share, every, *parts]))
    assert found is not None
    assert found.to_pydict() == {
        "axis": ["gender", "all"],
        "DoB": ["0.314 [1.100, 2.040]", "no data"],
        "absolute discrimination": ["0.614 [1.310, 1.760]", ""],
    }
    assert r"gender & 0.314 [1.100, 2.040] & 0.614 [1.310, 1.760] \\" in to_latex("by_axis", found)


def test_estimates_without_whole_axes_have_no_such_table(run: RunResults, tmp_path: Path) -> None:
    export(run, str(tmp_path / "out"), ["latex"])
    assert "by_axis.tex" not in names(tmp_path / "out")


def test_a_latex_row_never_begins_with_an_option() -> None:
    assert "\n{[}x] & 1" in to_latex("other", pa.table({"a": ["[x]"], "b": [1]}))


def test_tables_that_nobody_would_read_are_left_out_of_latex(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    replicates = pa.table({"cell": ["c"], "values": [[float("nan")] + [1.5] * 20]})
    finished_run(tmp_path / "store", replicates=replicates)
    logging.getLogger("raylib").propagate = True  # a job in this process may have turned it off
    export(open_run(str(tmp_path / "store"), "small"), str(tmp_path / "out"), ["latex", "csv"])
    assert "table replicates is not written as LaTeX: its column 'values' holds lists of more than 20" in caplog.text
    assert "replicates.tex" not in names(tmp_path / "out")
    with (tmp_path / "out/replicates.csv").open(newline="") as stream:
        _, row = csv.reader(stream)
    assert json.loads(row[1]) == [None] + [1.5] * 20
    assert left_out(pa.table({"a": [1] * 20_001})) == "it has more than 20,000 rows"
    assert left_out(SUM_TABLE) is None


def test_the_index_names_every_file(run: RunResults, tmp_path: Path) -> None:
    written = export(run, str(tmp_path / "out"), ["csv"])
    index = json.loads((tmp_path / "out/export.json").read_text())
    assert (index["run"], index["fingerprints"]["reduce"], set(index["files"])) == (
        "small", "f", {"estimates.csv", "sums.csv"},
    )  # fmt: skip
    assert {path.name for path in written} == {"estimates.csv", "sums.csv", "export.json"}


def test_a_datasets_folder_has_a_config_for_each_table(
    run: RunResults, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(datasets_folder, "_SHARD_ROWS", 2)
    export(run, str(tmp_path / "out"), ["datasets"])
    folder = tmp_path / "out/datasets"
    _, head, body = (folder / "README.md").read_text().split("---\n", 2)
    configs = {one["config_name"]: one["data_files"] for one in yaml.safe_load(head)["configs"]}
    assert set(configs) == {"completions", "annotations", "estimates", "sums"}
    assert configs["completions"] == [{"split": "train", "path": "data/completions/*.parquet"}]
    shards = sorted(folder.glob(configs["completions"][0]["path"]))
    assert [pq.read_table(shard).num_rows for shard in shards] == [2, 1]
    assert pa.concat_tables([pq.read_table(shard) for shard in shards]) == TEXTS
    assert "`completions`: 3 rows" in body


def test_an_earlier_export_of_the_run_is_replaced_as_a_whole(run: RunResults, tmp_path: Path) -> None:
    export(run, str(tmp_path / "out"), ["csv", "parquet"])
    export(run, str(tmp_path / "out"), ["parquet"])
    assert names(tmp_path / "out") == {"estimates.parquet", "sums.parquet", "export.json"}
    assert {path.name for path in tmp_path.iterdir()} == {"store", "out"}


@pytest.mark.parametrize(
    ("file", "message"),
    [("notes.txt", "files that are no export of ours"), ("export.json", "files that are no export of ours")],
)
def test_a_folder_with_other_files_is_left_alone(run: RunResults, tmp_path: Path, file: str, message: str) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / file).write_text("mine")
    with pytest.raises(ConfigError, match=message):
        export(run, str(tmp_path / "out"), ["csv"])
    assert (tmp_path / "out" / file).read_text() == "mine"


def test_an_export_of_another_run_or_with_files_added_is_left_alone(run: RunResults, tmp_path: Path) -> None:
    finished_run(tmp_path / "store", "large")
    export(open_run(str(tmp_path / "store"), "large"), str(tmp_path / "out"), ["csv"])
    with pytest.raises(ConfigError, match="an export of run 'large'; give a new or empty folder"):
        export(run, str(tmp_path / "out"), ["csv"])
    export(run, str(tmp_path / "mine"), ["csv"])
    (tmp_path / "mine/paper.txt").write_text("a year's work")
    with pytest.raises(ConfigError, match=r"paper\.txt, which no export wrote"):
        export(run, str(tmp_path / "mine"), ["csv"])
    assert (tmp_path / "mine/paper.txt").read_text() == "a year's work"


@pytest.mark.parametrize(("formats", "message"), [(["cvs"], "Did you mean 'csv'"), ([], "no format given")])
def test_an_unknown_format_names_the_nearest(run: RunResults, tmp_path: Path, formats: list[str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        export(run, str(tmp_path / "out"), formats)
    assert not (tmp_path / "out").exists()


def test_a_damaged_table_leaves_the_earlier_export_as_it_was(run: RunResults, tmp_path: Path) -> None:
    export(run, str(tmp_path / "out"), ["csv"])
    before = (tmp_path / "out/export.json").read_bytes()
    damaged = tmp_path / "store/results/f/sums.parquet"
    damaged.chmod(0o644)
    damaged.write_bytes(damaged.read_bytes()[:-1])
    with pytest.raises(DataError, match=r"results/f/sums\.parquet has \d+ bytes"):
        export(run, str(tmp_path / "out"), ["parquet"])
    assert (tmp_path / "out/export.json").read_bytes() == before
    assert {path.name for path in tmp_path.iterdir()} == {"store", "out"}


def test_a_run_without_results_says_which_job_makes_them(tmp_path: Path) -> None:
    store = finished_run(tmp_path / "store")
    write_manifest(store, Manifest("generate", "f", "begun", (), (), (), 0, 0))
    with pytest.raises(DataError, match=r"run jobs/annotate\.py"):
        export(open_run(str(tmp_path / "store"), "begun"), str(tmp_path / "out"), ["csv"])
    assert not (tmp_path / "out").exists()


def test_a_file_in_the_place_of_the_folder_is_refused(run: RunResults, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    with pytest.raises(ConfigError, match="is a file; give a folder"):
        export(run, str(tmp_path / "out"), ["csv"])
