"""A run's results in two lines, and one line that says what to do where they are not there."""

from pathlib import Path

import pyarrow as pa
import pytest

from raylib.errors import ConfigError, DataError
from raylib.results import open_run
from raylib.schemas import PROVENANCE
from raylib.store.manifests import Manifest, write_manifest
from tests.results_support import ESTIMATE_TABLE, LABELS, SUM_TABLE, TEXTS, finished_run


def test_every_table_is_what_was_written(tmp_path: Path) -> None:
    finished_run(tmp_path)
    run = open_run(str(tmp_path), "small")
    assert run.tables == ("estimates", "sums")
    assert (run.estimates, run.sums) == (ESTIMATE_TABLE, SUM_TABLE)
    assert (run.completions, run.annotations) == (TEXTS, LABELS)
    assert [part.num_rows for part in run.parts("generate")] == [2, 1]


def test_estimates_become_a_data_frame_in_two_lines(tmp_path: Path) -> None:
    finished_run(tmp_path)
    frame = open_run(tmp_path, "small").estimates.to_pandas()
    assert frame.loc[0, ["group", "estimate", "n"]].tolist() == ["F", 1.25, 8]
    assert frame["estimate"].isna().tolist() == [False, True]


def test_whatever_tables_the_manifest_names_can_be_read(tmp_path: Path) -> None:
    provenance = pa.table({"cell": ["c"], "parts": [["u1", "u2"]]})
    finished_run(tmp_path, provenance=provenance)
    run = open_run(str(tmp_path), "small")
    assert run.provenance.to_pylist() == provenance.to_pylist()
    with pytest.raises(ConfigError, match=r"no result table 'sum'\. Did you mean 'sums'"):
        run.table("sum")


def test_a_number_leads_back_to_its_samples_and_their_texts(tmp_path: Path) -> None:
    rows = [{"stage": "reduce", "kind": "cluster", "name": prompt, "value": cluster} for prompt, cluster in
            (("p1", "p"), ("p2", "other"))]  # fmt: skip
    finished_run(tmp_path, provenance=pa.Table.from_pylist(rows, schema=PROVENANCE))
    run = open_run(str(tmp_path), "small")
    assert run.samples_of("c").select(["sample_id", "gender", "text"]).to_pylist() == [
        {"sample_id": "a", "gender": "F", "text": "one"},
        {"sample_id": "c", "gender": None, "text": "three"},
    ]
    with pytest.raises(ConfigError, match=r"counted nothing in cell 'cc'\. Did you mean 'c'"):
        run.samples_of("cc")


def test_an_unknown_run_names_the_nearest(tmp_path: Path) -> None:
    finished_run(tmp_path, "small")
    finished_run(tmp_path, "large")
    with pytest.raises(ConfigError, match=r"no run 'smal' in .* Did you mean 'small'\? Valid: large, small"):
        open_run(str(tmp_path), "smal")
    with pytest.raises(ConfigError, match="not a valid name"):
        open_run(str(tmp_path), "../small")


def test_a_store_without_runs_says_so(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no run 'small' in .*Valid: \(none\)\. A run is there once jobs/audit\.py"):
        open_run(str(tmp_path / "nothing"), "small")
    assert not (tmp_path / "nothing").exists()


def test_a_run_without_results_says_which_job_makes_them(tmp_path: Path) -> None:
    store = finished_run(tmp_path)
    store.put_if_absent("runs/begun/witness", b"")
    run = open_run(str(tmp_path), "begun")
    with pytest.raises(DataError, match=r"no manifest of stage 'reduce' .* run jobs/metrics\.py"):
        _ = run.estimates
    with pytest.raises(DataError, match=r"no manifest of stage 'generate' .* run jobs/generate\.py"):
        _ = run.completions


def test_a_run_whose_units_were_all_given_up_says_so(tmp_path: Path) -> None:
    store = finished_run(tmp_path)
    lost = {"unit_id": "u", "reason": "crash", "attempts": 3, "ids": 2}
    write_manifest(store, Manifest("generate", "f", "empty", (), (lost,), (), 1, 2))
    with pytest.raises(DataError, match="stage 'generate' has no part"):
        _ = open_run(str(tmp_path), "empty").completions


def test_a_part_that_was_changed_is_named(tmp_path: Path) -> None:
    finished_run(tmp_path)
    part = tmp_path / "parts/annotate/f/u2.parquet"
    data = part.read_bytes()
    part.chmod(0o644)
    part.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    run = open_run(str(tmp_path), "small")
    assert run.completions == TEXTS
    with pytest.raises(DataError, match=r"parts/annotate/f/u2\.parquet does not have the recorded sha256"):
        _ = run.annotations


def test_results_of_older_annotations_are_refused(tmp_path: Path) -> None:
    store = finished_run(tmp_path)
    write_manifest(store, Manifest("annotate", "g", "small", (), (), (), 0, 0))
    with pytest.raises(DataError, match="the reduce manifest was made from an older annotate manifest"):
        _ = open_run(str(tmp_path), "small").estimates
