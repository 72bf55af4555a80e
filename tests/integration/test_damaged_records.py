"""A store in which something small is torn, replaced or stale: one line, or healed; never a traceback, never silence."""

import shutil
from pathlib import Path

import pytest

from raylib.pipeline.chain import generate, metrics, report
from raylib.pipeline.entry import guarded
from tests.pipeline_support import arguments, estimates, run_audit, run_verify, write_run

pytestmark = pytest.mark.usefixtures("no_ray")


@pytest.fixture(scope="module")
def finished(no_ray: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of a finished run."""
    folder = tmp_path_factory.mktemp("finished")
    assert run_audit(write_run(folder, folder / "store")) == 0
    return folder / "store"


@pytest.fixture
def damaged(finished: Path, tmp_path: Path) -> Path:
    """A copy of that store, to be damaged."""
    return Path(shutil.copytree(finished, tmp_path / "store"))


def tear(store: Path, pattern: str) -> Path:
    (path,) = store.glob(pattern)
    path.write_bytes(path.read_bytes()[:40])
    return path


def test_a_torn_run_record_is_one_line_that_says_what_to_do(
    damaged: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tear(damaged, "runs/small/run.json")
    config = write_run(tmp_path, damaged)
    assert run_audit(config) == 3
    assert "--run NAME" in capsys.readouterr().err
    assert run_audit(config, "run=other") == 0


def test_a_torn_worker_record_is_left_out(damaged: Path, tmp_path: Path) -> None:
    tear(damaged, "runs/small/generate/workers/*.json")
    config = write_run(tmp_path, damaged)
    assert run_audit(config) == 0
    assert run_verify(config) == 0


@pytest.mark.parametrize("text", ["{", "[]", "{}"])
def test_a_damaged_quarantine_record_gives_up_no_unit(damaged: Path, tmp_path: Path, text: str) -> None:
    path = damaged / "runs/small/generate/quarantine/x.1.json"
    path.parent.mkdir()
    path.write_text(text)
    assert run_audit(write_run(tmp_path, damaged)) == 0


@pytest.mark.parametrize("stage", ["generate", "annotate", "reduce"])
def test_a_torn_manifest_is_found_by_verify_and_written_anew(damaged: Path, tmp_path: Path, stage: str) -> None:
    config = write_run(tmp_path, damaged)
    before = estimates(damaged)
    tear(damaged, f"runs/small/{stage}/manifest.0001.json")
    assert run_verify(config) == 3
    assert run_audit(config) == 0
    assert run_verify(config) == 0
    assert estimates(damaged) == before


@pytest.mark.parametrize("name", ["estimates", "sums"])
def test_a_torn_result_table_is_found_by_verify_and_computed_anew(
    damaged: Path, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    config = write_run(tmp_path, damaged)
    tear(damaged, f"results/*/{name}.parquet")
    assert run_verify(config) == 3
    assert f"{name}.parquet" in capsys.readouterr().out
    assert run_audit(config) == 0
    assert run_verify(config) == 0


def test_a_manifest_with_an_empty_quarantine_record_is_refused_in_one_line(damaged: Path, tmp_path: Path) -> None:
    path = damaged / "runs/small/generate/manifest.0001.json"
    path.write_text(path.read_text().replace('"quarantined":[]', '"quarantined":[{}]'))
    assert run_verify(write_run(tmp_path, damaged)) == 3


def test_later_stages_refuse_what_was_made_from_an_older_generate(
    tmp_path: Path, store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    faults = [{"kind": "error", "match": "oversees an IPO", "retryable": False}]
    assert run_audit(write_run(tmp_path, store, model__engine__faults=faults, limits__error_rate=1)) == 0
    config = write_run(tmp_path, store)
    assert guarded(lambda: generate(arguments(config, retry=True))) == 0
    for job in (metrics, report):
        assert guarded(lambda job=job: job(arguments(config))) == 3
        assert "the annotate manifest was made from an older generate manifest" in capsys.readouterr().err
    assert run_audit(config) == 0
    assert run_verify(config) == 0


def test_another_cut_under_the_same_name_is_refused_before_texts_are_made_again(
    damaged: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_audit(write_run(tmp_path, damaged), "units.prompts=2") == 2
    assert "units.prompts was 1, is now 2" in capsys.readouterr().err
