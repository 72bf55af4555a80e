"""What a person sees after a mistake: one line, an exit code, nothing half-written."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.pipeline_support import write_run

ROOT = Path(__file__).resolve().parents[2]


def job(name: str, *arguments: str, cwd: Path = ROOT) -> tuple[int, list[str]]:
    done = subprocess.run(
        [sys.executable, str(ROOT / "jobs" / name), *arguments], cwd=cwd, capture_output=True, text=True, timeout=300,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    return done.returncode, done.stderr.strip().splitlines()


@pytest.mark.parametrize(
    ("override", "code", "said"),
    [
        ("sampling.temprature=1", 2, "Did you mean 'temperature'?"),
        ("run=../x", 2, "is not a valid name"),
        ("study.name=naratives", 2, "Did you mean 'narratives'?"),
        ("study.options.extracter=rules", 2, "extracter"),
        ("model.source=hf:org/name", 2, "is not pinned"),
        ("model={name: x, source: /nowhere/model, engine: {kind: vllm}}", 2, "there is no model folder /nowhere/model"),
        ("model={name: x, source: /nowhere, engine: {kind: scripted}}", 2, "belong together"),
        ("samples=99999999999", 2, "lower samples, or split the run"),
        ("date=2026-13-40", 2, "put it in quotes"),
        ("model.sha256=abc", 2, "model.sha256"),
        ("study=narratives", 2, "{use: NAME}"),
        ("store.url=ftp://x/y", 2, "is not a store; valid: a folder"),
    ],
)
def test_a_mistake_is_one_line_with_its_code(tmp_path: Path, override: str, code: int, said: str) -> None:
    store = tmp_path / "store"
    returned, lines = job("audit.py", "--config", str(write_run(tmp_path, store)), "--set", override)
    assert returned == code
    assert len(lines) == 1, lines
    assert lines[0].startswith("error: ")
    assert said in lines[0]
    assert not list(store.glob("runs/*"))
    assert not list(store.glob("parts/*"))


def test_a_store_that_cannot_be_written_to_is_named(tmp_path: Path) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("not a folder")
    returned, lines = job("audit.py", "--config", str(write_run(tmp_path, blocker / "store")))
    assert (returned, len(lines)) == (2, 1)
    assert str(blocker) in lines[0]


def test_a_start_that_fails_does_not_bind_the_runs_name(tmp_path: Path) -> None:
    wheel = (
        "{name: x, source: 'wheel:nothing-of-this-name-fairsweep==1!a.gguf', sha256: "
        + "ab" * 32
        + ", engine: {kind: vllm}}"
    )
    returned, lines = job(
        "audit.py", "--config", str(write_run(tmp_path, tmp_path / "store")), "--set", f"model={wheel}"
    )
    assert returned == 2, lines
    assert not (tmp_path / "store" / "runs" / "small" / "run.json").exists()


@pytest.mark.ray
def test_a_gpu_that_a_local_ray_does_not_have_is_missed_at_once(tmp_path: Path) -> None:
    config = write_run(tmp_path, tmp_path / "store")
    returned, lines = job("audit.py", "--config", str(config), "--limit", "2", "--set", "resources.gpus_per_actor=64")
    assert returned == 2
    assert lines[-1].startswith("error: generate: the cluster has")
    assert "of 64 GPUs" in lines[-1]


@pytest.mark.parametrize(
    ("name", "before"),
    [("annotate.py", "generate"), ("metrics.py", "annotate"), ("report.py", "generate"), ("verify.py", "generate")],
)
def test_a_job_out_of_order_names_the_one_to_run_first(tmp_path: Path, name: str, before: str) -> None:
    returned, lines = job(name, "--config", str(write_run(tmp_path, tmp_path / "store")))
    assert (returned, len(lines)) == (3, 1), lines
    assert before in lines[0]


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [("--limit", "x", "'x' is not a positive whole number"), ("--run", "a'b", 'run "a\'b" is not a valid name')],
)
def test_a_wrong_option_value_is_named(tmp_path: Path, option: str, value: str, said: str) -> None:
    returned, lines = job("audit.py", "--config", str(write_run(tmp_path, tmp_path / "store")), option, value)
    assert (returned, len(lines)) == (2, 1)
    assert said in lines[0]


def test_an_unknown_option_points_to_help(tmp_path: Path) -> None:
    returned, lines = job("audit.py", "--confg", "x")
    assert (returned, len(lines)) == (2, 1)
    assert "--help" in lines[0]


def test_a_dry_run_says_the_plan_and_writes_nothing(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "jobs/audit.py", "--config", str(write_run(tmp_path, tmp_path / "store")), "--dry-run"],
        cwd=ROOT, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert "400 (4 a prompt)" in done.stdout
    assert max(len(line) for line in done.stdout.splitlines() if not line.startswith("store")) <= 80
    assert not (tmp_path / "store").exists()


def test_prompts_are_written_from_a_study_file_and_from_a_run_file(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    run_file = write_run(tmp_path, tmp_path / "store")
    for config, out in (("configs/studies/narratives.yaml", "a.parquet"), (str(run_file), "b.parquet")):
        done = subprocess.run(
            [sys.executable, "jobs/prompts.py", "--config", config, "--out", str(tmp_path / out)], cwd=ROOT, check=True,
            capture_output=True, text=True, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert done.stdout.startswith("100 prompts: ")
    assert pq.read_table(tmp_path / "a.parquet") == pq.read_table(tmp_path / "b.parquet")


@pytest.mark.parametrize("path", sorted((ROOT / "jobs").glob("*.py")), ids=lambda p: p.name)
def test_every_job_is_at_most_40_lines(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 40
