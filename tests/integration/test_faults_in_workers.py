"""Workers that crash, hang or fail: nothing lost, nothing twice, and the same numbers as a run without faults."""

from pathlib import Path

import pytest

from raylib.pipeline.ledger import UNKNOWN_DEATH
from raylib.store.local import LocalStore
from raylib.store.manifests import read_manifest
from tests.pipeline_support import (
    PROMPTS,
    SAMPLES,
    completions,
    estimates,
    planned_ids,
    run_audit,
    run_verify,
    write_run,
)
from tests.without_ray import without_ray

pytestmark = [pytest.mark.ray, pytest.mark.usefixtures("ray_here")]
POISON = "oversees an IPO"  # stands in one prompt


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of a run without faults."""
    folder = tmp_path_factory.mktemp("clean")
    with without_ray():
        assert run_audit(write_run(folder, folder / "store")) == 0
    return folder / "store"


def test_a_worker_that_crashes_once_changes_nothing(tmp_path: Path, store: Path, clean: Path) -> None:
    faults = [{"kind": "crash", "match": POISON, "times": 1, "marker_dir": str(tmp_path / "markers")}]
    config = write_run(tmp_path, store, model__engine__faults=faults)
    assert run_audit(config) == 0
    assert run_verify(config) == 0
    assert completions(store)["sample_id"].to_pylist() == planned_ids(config)
    assert estimates(store) == estimates(clean)


def test_a_unit_that_always_kills_its_worker_is_quarantined_named_in_the_report_and_comes_back_with_retry(
    tmp_path: Path, store: Path, clean: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    units = {"prompts": 1, "samples": SAMPLES}
    faults, limits = [{"kind": "crash", "match": POISON}], {"unit_attempts": 2}
    config = write_run(tmp_path, store, model__engine__faults=faults, units=units, limits=limits)
    assert run_audit(config) == 0
    page = Path(capsys.readouterr().out.strip().splitlines()[-1].removeprefix("report: ")).read_text()
    manifest = read_manifest(LocalStore(store), "small", "generate")
    (given_up,) = manifest.quarantined
    assert (given_up["attempts"], given_up["reason"]) == (2, UNKNOWN_DEATH)
    assert given_up["unit_id"] in page
    assert len(manifest.parts) + 1 == manifest.planned_units
    assert completions(store).num_rows == (PROMPTS - 1) * SAMPLES
    with without_ray():
        assert run_verify(config) == 0
        config = write_run(tmp_path, store, units=units)
        assert run_audit(config, retry=True) == 0
        assert run_verify(config) == 0
    assert completions(store)["sample_id"].to_pylist() == planned_ids(config)
    assert estimates(store) == estimates(clean)


def test_a_unit_without_an_answer_is_given_up_with_its_reason(tmp_path: Path, store: Path) -> None:
    faults = [{"kind": "hang", "match": POISON}]
    limits = {"unit_timeout_s": 5, "unit_attempts": 1}
    units = {"prompts": 1, "samples": SAMPLES}
    assert run_audit(write_run(tmp_path, store, model__engine__faults=faults, limits=limits, units=units)) == 0
    (given_up,) = read_manifest(LocalStore(store), "small", "generate").quarantined
    assert given_up["reason"] == "no answer within limits.unit_timeout_s = 5 s"
