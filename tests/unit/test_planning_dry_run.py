"""What --dry-run says of hours and costs: by hand, and unknown where nothing is known."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from raylib.pipeline.arguments import Arguments
from raylib.pipeline.chain import audit
from raylib.pipeline.entry import guarded
from raylib.pipeline.planning.arguments import parse_plan
from raylib.pipeline.planning.job import plan
from tests.pipeline_support import run_tree

LOCAL = {
    "name": "local-7b",
    "source": "hf:org/name@0123456789abcdef0123456789abcdef01234567",
    "engine": {"kind": "vllm"},
}
API = {"name": "far", "source": "api", "engine": {"kind": "openai", "base_url": "https://host/v1", "model": "far-1"}}
GPU = {"actors": [1, 2], "gpus_per_actor": 1}


def write(tmp_path: Path, *models: dict[str, Any], **changes: Any) -> Path:
    tree = run_tree(Path("/store"), **changes)
    del tree["model"]
    path = tmp_path / "run.yaml"
    path.write_text(yaml.safe_dump({**tree, "models": list(models)}))
    return path


def said(path: Path, capsys: pytest.CaptureFixture[str], *overrides: str) -> list[dict[str, str]]:
    """Return the blocks of a dry run as label -> text."""
    audit(Arguments(str(path), overrides, None, 6, dry_run=True, retry=False))
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 80
    joined = text.replace("\n" + " " * 15, " ")
    return [{line[:14].strip(): line[15:] for line in block.splitlines()} for block in joined.split("\n\n")]


def test_hours_and_costs_are_summed_over_the_models(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    second = {**LOCAL, "name": "second-7b"}
    prices = {"prices": {"far": {"input": 10.0, "output": 100.0}}}
    path = write(
        tmp_path, LOCAL, second, API, samples=100_000 // 6, sampling={"max_tokens": 2000}, resources=GPU, prices=prices
    )
    *runs, total = said(path, capsys)
    assert [block["run"] for block in runs] == ["small.local-7b", "small.second-7b", "small.far"]
    # 99,996 texts of at most 2,000 tokens; a 7b model on one A100: 1,200 to 5,000 tokens a second, 11.1 to 46.3 hours.
    assert "A100-80GB 11 to 46;" in runs[0]["GPU hours"]
    assert "A100-80GB 22 to 93;" in total["GPU hours"]
    assert total["GPU hours"].endswith("(local-7b, second-7b)")
    assert (runs[0]["API cost"], runs[2]["actors"]) == ("none: it runs on your machines", "1 to 2, each 1 CPU")
    assert (total["samples"], total["new tokens"]) == ("299,988", "at most 599,976,000")
    prompt_tokens = int(runs[2]["prompt tokens"].removeprefix("about ").replace(",", ""))
    usd = (prompt_tokens * 10 + 99_996 * 2000 * 100) / 1e6
    assert runs[2]["API cost"].startswith(f"at most ${usd:,.2f} (the config's prices: $10 in")
    assert total["API cost"] == f"at most ${usd:,.2f}"


def test_what_is_unknown_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    unsized = {**LOCAL, "name": "local"}
    near = {**API, "name": "near"}
    local, far, _, total = said(write(tmp_path, unsized, API, near, resources=GPU), capsys)
    assert local["GPU hours"].startswith("unknown: its name does not say how large it is")
    assert far["API cost"] == "unknown: name a table: prices: {use: example}"
    assert (total["GPU hours"], total["API cost"]) == ("unknown, see above (local)", "unknown, see above")
    prices = {"prices": {"far": {"input": 0.0, "output": 1.0}}}
    total = said(write(tmp_path, API, near, prices=prices), capsys)[-1]
    assert total["GPU hours"] == "none: no model runs here"
    assert total["API cost"] == "at most $0.00; without near, whose price is unknown"


def test_a_retired_model_is_planned_and_said_to_be_retired(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = {**API, "name": "old", "retired": "2025-07-21", "successor": "far"}
    (block, _) = said(write(tmp_path, old), capsys)
    assert block["retired"] == "2025-07-21; successor: far. It can be planned, not run"


def test_the_plan_job_plans_each_model_and_the_total(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["--config", str(write(tmp_path, LOCAL, API, resources=GPU)), "--limit", "6"]
    assert guarded(lambda: plan(parse_plan("test", "plan.py", argv))) == 0
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 80
    assert text.index("small.local-7b") < text.index("small.far") < text.index("total          2 runs")
    assert "none here: the model is behind an API" in text


def test_every_labelling_model_is_planned(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study = {"name": "ltf", "options": {"axes": ["nonce"], "topics": ["LI"]}}
    judge = {"model": LOCAL, "sampling": {"max_tokens": 100}, "gpus_per_actor": 1}
    far = {"model": API, "sampling": {"max_tokens": 100}}
    tree = run_tree(Path("/store"), study=study, labellers={"near": judge, "far": far}, samples=1)
    path = tmp_path / "run.yaml"
    path.write_text(yaml.safe_dump(tree))
    audit(Arguments(str(path), (), None, None, dry_run=True, retry=False))
    text = capsys.readouterr().out.replace("\n" + " " * 15, " ")
    assert "labelled by    local-7b: 56 answers, at most 5,600 tokens" in text
    assert "labelled by    far: 56 answers, at most 5,600 tokens" in text
    assert "API cost unknown: give --prices FILE" in text
