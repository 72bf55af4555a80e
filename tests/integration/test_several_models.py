"""Several models in one config, on the scripted engine: one that fails does not take the others with it."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from raylib.errors import EXIT_DATA, EXIT_LIMIT, EXIT_UNFINISHED
from raylib.pipeline.chain import audit, report
from raylib.pipeline.context import Context
from raylib.pipeline.entry import guarded
from raylib.pipeline.generate import plan_generate
from tests.pipeline_support import PROMPTS, SAMPLES, arguments, objects, run_audit, run_tree, run_verify

pytestmark = pytest.mark.usefixtures("no_ray")

FAULTS = [{"kind": "error", "rate": 1.0, "retryable": False}]


def scripted(name: str, version: int, **engine: Any) -> dict[str, Any]:
    return {
        "name": name,
        "source": "scripted",
        "engine": {"kind": "scripted", "version": version, "capacity": 4, **engine},
    }


ONE, TWO = scripted("one", 1), scripted("two", 2)


def write(folder: Path, *models: dict[str, Any]) -> Path:
    tree = run_tree(folder / "store", models=list(models))
    del tree["model"]
    path = folder / "run.yaml"
    path.write_text(yaml.safe_dump(tree))
    return path


def reports(store: Path, run: str) -> list[Path]:
    return sorted(store.glob(f"runs/{run}/report/*.html"))


@pytest.fixture(scope="module")
def audited(no_ray: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an audit of three models, the first of which always fails."""
    folder = tmp_path_factory.mktemp("several")
    assert run_audit(write(folder, scripted("bad", 3, faults=FAULTS), ONE, TWO)) == EXIT_LIMIT
    return folder


def test_the_others_have_their_reports_and_one_that_compares_them(audited: Path) -> None:
    store = audited / "store"
    assert [len(reports(store, run)) for run in ("small.bad", "small.one", "small.two", "small")] == [0, 1, 1, 1]
    page = reports(store, "small")[0].read_text()
    assert "Not in this report, since they have no finished run: bad." in page
    assert "Median of 2 models" in page
    assert page.count("<dd>small.one</dd>") + page.count("<td>small.one</td>") == 1
    assert f"{2 * PROMPTS * SAMPLES:,}" in page
    (csv,) = store.glob("runs/small/report/*.csv")
    assert {line.split(",")[0] for line in csv.read_text().splitlines()} == {"model", "one", "two"}


def test_again_it_is_the_same_end_and_writes_no_text_and_no_report(
    audited: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = audited / "store"
    before = objects(store)
    assert run_audit(audited / "run.yaml") == EXIT_LIMIT
    said = capsys.readouterr()
    bad, one, two, compared = said.out.splitlines()
    assert bad.startswith("bad: failed: generate: ")
    assert one == f"one: ok: {reports(store, 'small.one')[0]}"
    assert two == f"two: ok: {reports(store, 'small.two')[0]}"
    assert compared == f"report: {reports(store, 'small')[0]}"
    assert said.err.splitlines()[-1].startswith("error: 1 of 3 runs failed")
    bad_run = arguments(audited / "run.yaml").sweep().runs[0]
    bad_texts = plan_generate(bad_run, Context(bad_run, PROMPTS).prompts).fingerprint
    new = objects(store) - before
    assert {
        key for key in new if not key.startswith((f"parts/generate/{bad_texts}/", "runs/small.bad/generate/"))
    } == set()


def test_the_finished_models_verify_and_their_reports_are_written_again(
    audited: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = reports(audited / "store", "small")
    assert run_verify(audited / "run.yaml") == EXIT_DATA
    said = capsys.readouterr().out
    assert "bad: failed: run 'small.bad' has no manifest of stage 'generate'" in said
    assert said.splitlines()[-2:] == ["one: ok", "two: ok"]
    good = f"models={json.dumps([ONE, TWO])}"
    assert guarded(lambda: report(arguments(audited / "run.yaml", good))) == 0
    assert len(reports(audited / "store", "small")) == len(before) + 1
    finished = arguments(audited / "run.yaml", good)._replace(finished=True)
    assert guarded(lambda: audit(finished)) == 0
    again = f"models={json.dumps([ONE, scripted('new', 9)])}"
    capsys.readouterr()
    assert guarded(lambda: audit(finished._replace(overrides=(again,)))) == EXIT_UNFINISHED
    assert "report: " not in capsys.readouterr().out
