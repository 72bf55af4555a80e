"""Units that end in errors, parts that are torn: what is said, what a retry mends, and what no manifest may hold."""

from pathlib import Path

import pytest
import yaml

from raylib.store.local import LocalStore
from raylib.store.manifests import read_manifest
from tests.pipeline_support import (
    PROMPTS,
    SAMPLES,
    completions,
    estimates,
    run_audit,
    run_verify,
    statuses,
    write_run,
)

pytestmark = pytest.mark.usefixtures("no_ray")
POISON = "oversees an IPO"  # stands in one prompt


@pytest.fixture(scope="module")
def clean(no_ray: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of a run without faults."""
    folder = tmp_path_factory.mktemp("clean")
    assert run_audit(write_run(folder, folder / "store")) == 0
    return folder / "store"


def test_an_error_that_passes_is_tried_again_within_the_unit(tmp_path: Path, store: Path, clean: Path) -> None:
    faults = [{"kind": "error", "match": POISON, "times": 1, "marker_dir": str(tmp_path / "markers")}]
    assert run_audit(write_run(tmp_path, store, model__engine__faults=faults)) == 0
    assert statuses(store)["error"] == 0
    assert max(completions(store)["attempt"].to_pylist()) == 2
    assert estimates(store) == estimates(clean)


def test_more_errors_than_allowed_end_the_stage_with_code_4_and_retry_mends_it(
    tmp_path: Path, store: Path, clean: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    faults = [{"kind": "error", "match": POISON, "retryable": False}]
    assert run_audit(write_run(tmp_path, store, model__engine__faults=faults)) == 4
    message = capsys.readouterr().err
    assert f"of {PROMPTS * SAMPLES} samples ended in an error" in message
    assert "--retry" in message
    config = write_run(tmp_path, store)
    assert run_audit(config) == 4  # what was committed stays until a retry is asked for
    assert run_audit(config, retry=True) == 0
    assert run_verify(config) == 0
    assert estimates(store) == estimates(clean)


def test_errors_within_the_limit_are_rows_with_a_reason_and_no_text(tmp_path: Path, store: Path) -> None:
    faults = [{"kind": "error", "match": POISON, "retryable": False}]
    assert run_audit(write_run(tmp_path, store, model__engine__faults=faults, limits__error_rate=0.5)) == 0
    failed = [row for row in completions(store).to_pylist() if row["status"] == "error"]
    assert len(failed) == SAMPLES
    assert all(row["text"] is None and row["error_type"] and row["error"] for row in failed)


@pytest.mark.parametrize("stage", ["generate", "annotate"])
def test_a_torn_part_is_found_and_replaced_without_touching_it(
    tmp_path: Path, store: Path, clean: Path, stage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    config = write_run(tmp_path, store)
    assert run_audit(config) == 0
    opened = LocalStore(store)
    key = read_manifest(opened, "small", stage).parts[1].key
    path = Path(opened.local_path(key) or "")
    path.write_bytes(path.read_bytes()[:-100])
    torn = path.read_bytes()
    assert run_verify(config) == 3
    assert key in capsys.readouterr().out
    assert run_audit(config) == 0
    assert run_verify(config) == 0
    assert path.read_bytes() == torn
    assert [record.key for record in read_manifest(opened, "small", stage).rejected] == [key]
    assert estimates(store) == estimates(clean)


def test_a_manifest_holds_no_absolute_path_and_no_secret(
    tmp_path: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLANTED_SECRET", "hunter2-planted-secret")
    config = write_run(tmp_path, store)
    tree = yaml.safe_load(config.read_text())
    tree["store"] = {"url": str(store), "access_key_env": "PLANTED_SECRET", "secret_key_env": "PLANTED_SECRET"}
    config.write_text(yaml.safe_dump(tree))
    assert run_audit(config) == 0
    opened = LocalStore(store)
    for info in opened.list(""):
        assert b"hunter2" not in opened.get(info.key), info.key
    manifest = read_manifest(opened, "small", "generate").to_json()
    assert str(tmp_path) not in manifest


def test_prompts_that_do_not_fit_end_with_code_3_and_name_the_setting(
    tmp_path: Path, store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_audit(write_run(tmp_path, store, model__engine__max_model_len=16)) == 3
    message = capsys.readouterr().err
    assert "prompt_too_long" in message
    assert "model.engine.max_model_len" in message
    assert not list(store.glob("runs/*/generate/manifest.*"))
