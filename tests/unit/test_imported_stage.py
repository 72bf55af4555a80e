"""Importing without Ray: parts and a manifest like any other run's, all or nothing, and on from where it was killed."""

import hashlib
from pathlib import Path
from typing import Any

import pytest

from raylib.errors import ConfigError
from raylib.pipeline import stage
from raylib.pipeline.chain import generate, import_completions
from raylib.pipeline.context import Context
from raylib.pipeline.entry import guarded
from raylib.pipeline.generate import plan_generate
from raylib.pipeline.planning.arguments import PlanArguments
from raylib.pipeline.planning.dry_run import dry_run
from raylib.pipeline.planning.plan import make_plans
from raylib.store.local import LocalStore
from raylib.store.manifests import read_manifest
from tests.import_support import PROMPT_TABLE, story, story_rows, write_csv, write_import
from tests.pipeline_support import PROMPTS, SAMPLES, arguments, completions, objects, planned_ids, statuses, write_run


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def stories(tmp_path: Path) -> Path:
    return write_csv(tmp_path / "stories.csv", ["prompt", "text"], story_rows())


def run_import(config: Path, *overrides: str) -> int:
    return guarded(lambda: import_completions(arguments(config, *overrides)))


def error_of(capsys: pytest.CaptureFixture[str], config: Path, *overrides: str) -> tuple[int, str]:
    code = run_import(config, *overrides)
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("error: ")]
    return code, lines[-1]


def fingerprint(config: Path, *overrides: str) -> str:
    context = Context(arguments(config, *overrides).load(), PROMPTS)
    return plan_generate(context.config, context.prompts).fingerprint


def provenance(store: Path) -> dict[str, Any]:
    return dict(read_manifest(LocalStore(store), "small", "generate").provenance["import"])


def test_every_text_becomes_the_sample_that_its_order_says(tmp_path: Path, store: Path, stories: Path) -> None:
    config = write_import(tmp_path, store, stories)
    assert run_import(config) == 0
    rows = completions(store).to_pylist()
    assert [row["sample_id"] for row in rows] == planned_ids(config)
    expected = {
        (PROMPT_TABLE[place]["prompt_id"], sample): story(place, sample)
        for place in range(PROMPTS)
        for sample in range(SAMPLES)
    }
    assert {(row["prompt_id"], row["sample_index"]): row["text"] for row in rows} == expected
    assert {(row["status"], row["seed"], row["attempt"]) for row in rows} == {("ok", None, 1)}
    assert rows[0]["given"] == '{"file":1,"row":2}'
    assert provenance(store)["imported"] == PROMPTS * SAMPLES


def test_the_same_command_twice_writes_nothing_even_with_retry(tmp_path: Path, store: Path, stories: Path) -> None:
    config = write_import(tmp_path, store, stories)
    assert run_import(config) == 0
    before = objects(store)
    assert run_import(config) == 0
    assert guarded(lambda: generate(arguments(config, retry=True))) == 0
    assert objects(store) == before


def test_a_run_killed_in_the_middle_goes_on(
    tmp_path: Path, store: Path, stories: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config, committed = write_import(tmp_path, store, stories), []
    commit = stage.commit

    def dies(*arguments: Any) -> Any:
        if len(committed) == 3:
            raise KeyboardInterrupt
        committed.append(arguments)
        return commit(*arguments)

    monkeypatch.setattr(stage, "commit", dies)
    with pytest.raises(KeyboardInterrupt):
        run_import(config)
    monkeypatch.undo()
    half = {key for key in objects(store) if key.startswith("parts/")}
    assert len(half) == 3
    assert not [key for key in objects(store) if "manifest" in key]
    assert run_import(config) == 0
    assert half < {key for key in objects(store) if key.startswith("parts/")}
    assert completions(store)["sample_id"].to_pylist() == planned_ids(config)


def test_the_fingerprint_knows_bytes_and_mapping_but_no_path(tmp_path: Path, store: Path, stories: Path) -> None:
    config = write_import(tmp_path, store, stories)
    first = fingerprint(config)
    moved = tmp_path / "elsewhere" / "other.csv"
    moved.parent.mkdir()
    moved.write_bytes(stories.read_bytes())
    assert fingerprint(config, f"model.engine.files=[{moved}]") == first
    assert fingerprint(config, "sampling.temperature=0.5", "seed=9", "model.engine.gaps=allow") == first
    assert fingerprint(config, "model.engine.columns.text=prompt") != first
    moved.write_bytes(stories.read_bytes() + b"\r\n")
    assert fingerprint(config, f"model.engine.files=[{moved}]") != first


def test_pinned_files_need_not_be_there_once_imported(tmp_path: Path, store: Path, stories: Path) -> None:
    plain = write_import(tmp_path / "plain", store, stories)
    pinned = [hashlib.sha256(stories.read_bytes()).hexdigest()]
    assert fingerprint(plain) == fingerprint(write_import(tmp_path / "pinned", store, stories, {"sha256": pinned}))
    config = write_import(tmp_path, store, stories, {"sha256": pinned})
    assert run_import(config) == 0
    stories.unlink()
    assert run_import(config) == 0
    assert run_import(plain) == 2


def test_a_defect_in_the_last_row_writes_nothing(
    tmp_path: Path, store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write_csv(tmp_path / "stories.csv", ["prompt", "text"], story_rows())
    file.write_bytes(file.read_bytes() + b'a prompt,"cut o')
    code, line = error_of(capsys, write_import(tmp_path, store, file))
    assert (code, f"stories.csv, line {PROMPTS * SAMPLES + 2}: a quote" in line) == (3, True)
    assert not [key for key in objects(store) if key.startswith("parts/") or "manifest" in key or "run.json" in key]


def test_declared_gaps_are_error_rows_that_no_limit_counts(
    tmp_path: Path, store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write_csv(tmp_path / "stories.csv", ["prompt", "text"], story_rows(PROMPTS, SAMPLES)[:-3])
    config = write_import(tmp_path, store, file)
    code, line = error_of(capsys, config)
    assert (code, "3 of 6 prompts have fewer than 4 texts, 3 are missing" in line) == (3, True)
    assert run_import(config, "model.engine.gaps=allow") == 0
    assert statuses(store) == {"ok": PROMPTS * SAMPLES - 3, "error": 3}
    lost = [row for row in completions(store).to_pylist() if row["status"] == "error"]
    assert {(row["error_type"], row["text"]) for row in lost} == {("missing", None)}
    assert provenance(store)["gaps"]["texts"] == 3


def test_rows_without_a_text_count_against_the_error_rate(
    tmp_path: Path, store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = story_rows()
    rows[5][1] = " "
    config = write_import(tmp_path, store, write_csv(tmp_path / "stories.csv", ["prompt", "text"], rows))
    code, line = error_of(capsys, config)
    assert (code, "1 of 24 samples have no text (stories.csv, line 7)" in line) == (4, True)
    assert not [key for key in objects(store) if key.startswith("parts/")]
    assert "--set limits.error_rate=0.05" in line
    assert run_import(config, "limits.error_rate=0.05") == 0
    (row,) = [row for row in completions(store).to_pylist() if row["status"] == "error"]
    assert (row["error_type"], row["error"]) == ("empty", "stories.csv, line 7: the row has no text")


def test_an_import_has_no_model_and_a_model_no_import(
    tmp_path: Path, store: Path, stories: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, line = error_of(capsys, write_run(tmp_path / "a", store))
    assert (code, "has a model of engine kind 'scripted'" in line) == (2, True)
    code, line = error_of(capsys, write_import(tmp_path / "b", store, stories), "model.source=scripted")
    assert (code, "'source: scripted' and 'engine: {kind: scripted}' belong together" in line) == (2, True)


def test_a_dry_run_says_what_would_be_imported(tmp_path: Path, store: Path) -> None:
    rows = [*story_rows(), ["Sing.", "La."]]
    file = write_csv(tmp_path / "stories.csv", ["prompt", "text"], rows)
    config = write_import(tmp_path, store, file, {"unknown": "skip"})
    text = " ".join(dry_run(arguments(config).sweep(), arguments(config)).split())
    assert "24 of 25 are imported" in text
    assert "1 rows of 1 unknown prompts were left out: stories.csv, line 26: 'Sing.'" in text
    assert not store.exists()


def test_there_is_no_plan_for_an_import(tmp_path: Path, store: Path, stories: Path) -> None:
    config = write_import(tmp_path, store, stories)
    with pytest.raises(ConfigError, match=r"nothing to plan: jobs/import_completions\.py with --dry-run"):
        make_plans(PlanArguments(arguments(config)))
