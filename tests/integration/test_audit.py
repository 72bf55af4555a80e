"""The whole chain on the scripted engine: what is planned, committed, counted and reported."""

import json
from pathlib import Path

import pytest

from raylib.pipeline.chain import audit
from raylib.pipeline.entry import guarded
from raylib.pipeline.planning.arguments import PlanArguments
from raylib.pipeline.planning.job import plan
from tests.pipeline_support import (
    PROMPTS,
    SAMPLES,
    arguments,
    completions,
    estimates,
    objects,
    planned_ids,
    run_audit,
    run_verify,
    statuses,
    write_run,
)

pytestmark = pytest.mark.ray


@pytest.fixture(scope="module")
def audited(ray_here: None, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The config and the store of a finished audit."""
    folder = tmp_path_factory.mktemp("audited")
    config = write_run(folder, folder / "store")
    assert run_audit(config) == 0
    return config, folder / "store"


def test_an_audit_commits_every_planned_sample_once_and_verifies(audited: tuple[Path, Path]) -> None:
    config, store = audited
    assert completions(store)["sample_id"].to_pylist() == planned_ids(config)
    assert len(set(planned_ids(config))) == PROMPTS * SAMPLES
    assert run_verify(config) == 0


def test_the_same_command_twice_prints_the_report_and_writes_nothing(
    audited: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    config, store = audited
    before = objects(store)
    assert run_audit(config) == 0
    assert Path(capsys.readouterr().out.strip().removeprefix("report: ")).is_file()
    assert objects(store) == before


def test_asking_whether_a_run_is_finished_never_begins_it(
    audited: tuple[Path, Path], tmp_path: Path, store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done, begun = audited[0], write_run(tmp_path, store)
    assert guarded(lambda: audit(arguments(done)._replace(finished=True))) == 0
    assert guarded(lambda: audit(arguments(begun)._replace(finished=True))) == 5
    assert "12 of 12 units to do" in capsys.readouterr().err
    assert not list(store.glob("parts/*"))


def test_the_report_is_one_file_that_says_what_is_not_known(audited: tuple[Path, Path]) -> None:
    _, store = audited
    (path,) = store.glob("runs/small/report/*.html")
    page = path.read_text()
    assert page.lower().startswith("<!doctype html>")
    assert "not modelled" in page


def test_an_estimate_has_a_number_if_and_only_if_its_status_is_ok(audited: tuple[Path, Path]) -> None:
    rows = estimates(audited[1]).to_pylist()
    assert {row["status"] for row in rows} >= {"ok", "not modelled"}
    for row in rows:
        assert (row["estimate"] is not None) == (row["status"] == "ok")


def test_another_setting_under_the_same_name_is_refused(
    audited: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    config, _ = audited
    assert run_audit(config, "sampling.max_tokens=150") == 2
    assert "was started with other settings" in capsys.readouterr().err


@pytest.mark.usefixtures("no_ray")
def test_another_cut_of_the_units_changes_no_text_and_no_number(
    audited: tuple[Path, Path], tmp_path: Path, store: Path
) -> None:
    assert run_audit(write_run(tmp_path, store, units={"prompts": 3, "samples": 250})) == 0
    columns = ["sample_id", "seed", "text", "status"]
    key = [("sample_id", "ascending")]
    assert completions(store).select(columns).sort_by(key) == completions(audited[1]).select(columns).sort_by(key)
    assert estimates(store) == estimates(audited[1])


@pytest.mark.usefixtures("no_ray")
def test_a_second_run_of_the_same_texts_generates_nothing(audited: tuple[Path, Path]) -> None:
    config, store = audited
    parts = {key for key in objects(store) if key.startswith("parts/generate/")}
    assert run_audit(config, "run=again", "statistics.replicates=300") == 0
    assert {key for key in objects(store) if key.startswith("parts/generate/")} == parts


def test_a_finished_audit_is_a_pilot_whose_speed_and_sums_a_plan_reads(
    audited: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    asked = PlanArguments(arguments(audited[0], "run=full", "samples=40"), pilot="small", json=True)
    assert guarded(lambda: plan(asked)) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["tokens"]["new"] == pytest.approx(
        completions(audited[1])["completion_tokens"].to_pandas().mean() * 240
    )
    (hours,) = found["time"]["hours"]
    assert (hours["device"], hours["basis"]) == ("cpu", "pilot small")
    assert {line["basis"] for line in found["precision"]["shares"]} <= {"measured", "share measured"}


@pytest.mark.usefixtures("no_ray")
def test_every_sample_ends_in_exactly_one_status(tmp_path: Path, store: Path) -> None:
    faults = [{"kind": "refuse", "rate": 0.3}, {"kind": "truncate", "rate": 0.3}]
    assert run_audit(write_run(tmp_path, store, model__engine__faults=faults)) == 0
    counts = statuses(store)
    assert counts.total() == PROMPTS * SAMPLES
    assert set(counts) <= {"ok", "refused", "truncated", "error"}
    assert counts["truncated"] > 0


def test_seeding_by_the_engine_gives_another_fingerprint(tmp_path: Path, store: Path) -> None:
    first, second = write_run(tmp_path / "a", store), write_run(tmp_path / "b", store, seeding="engine")
    assert set(planned_ids(first)).isdisjoint(planned_ids(second))
