"""Every file in configs/ loads, and what can be planned passes --dry-run in 80 columns."""

from pathlib import Path

import pytest

from raylib.config.loading import load_config
from raylib.config.prices import Prices
from raylib.config.run import LabellerConfig, ModelConfig, ResourcesConfig, StudyConfig
from raylib.config.sweep import load_sweep
from raylib.pipeline.arguments import Arguments
from raylib.pipeline.chain import audit
from raylib.pipeline.training.evaluator import EvaluatorTrainConfig
from raylib.studies.ltf.regard_training import RegardTrainConfig
from raylib.studies.narratives.training import ExtractorTrainConfig

ROOT = Path(__file__).resolve().parents[2]
CONFIGS = ROOT / "configs"
QUICKSTART = str(CONFIGS / "runs" / "quickstart.yaml")
KINDS = {
    "judges": LabellerConfig,
    "models": ModelConfig,
    "prices": Prices,
    "resources": ResourcesConfig,
    "studies": StudyConfig,
}
TRAINING = {"evaluator": EvaluatorTrainConfig, "extractor": ExtractorTrainConfig, "regard_ft": RegardTrainConfig}
PAPER = ("chatgpt-3.5", "chatgpt-4", "claude-2.0", "llama-2-7b-chat", "palm-2")
LTF_PAPER = (
    "llama-3-8b-instruct", "mistral-7b-instruct-v0.2", "mixtral-8x7b-instruct-v0.1", "gpt-3.5-turbo-0125",
    "gpt-4o-2024-05-13",
)  # fmt: skip


def files(folder: str) -> list[Path]:
    return sorted((CONFIGS / folder).glob("*.yaml"))


def dry_run(config: str, capsys: pytest.CaptureFixture[str], *overrides: str) -> str:
    audit(Arguments(config, ("store.url=/nowhere/at/all", *overrides), None, None, dry_run=True, retry=False))
    said = capsys.readouterr().out
    assert max(map(len, said.splitlines())) <= 80
    assert not Path("/nowhere").exists()
    return said


def test_no_folder_of_configs_is_left_out() -> None:
    assert {path.name for path in CONFIGS.iterdir()} == {*KINDS, "runs", "training"}
    assert {path.stem for path in files("training")} == {*TRAINING}


@pytest.mark.parametrize(
    "path", [path for folder in KINDS for path in files(folder)], ids=lambda path: f"{path.parent.name}-{path.stem}"
)
def test_every_file_loads(path: Path) -> None:
    found = load_config(path, KINDS[path.parent.name])
    if isinstance(found, ModelConfig | StudyConfig):
        assert found.name == path.stem


@pytest.mark.parametrize("name", TRAINING)
def test_every_training_loads_as_its_jobs_own_kind(name: str) -> None:
    assert load_config(CONFIGS / "training" / f"{name}.yaml", TRAINING[name]).run.replace("-", "_") == name


@pytest.mark.parametrize("path", files("runs"), ids=lambda path: path.stem)
def test_every_run_passes_a_dry_run(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sweep = load_sweep(path)
    assert sweep.name.replace("-", "_") == path.stem
    engine = sweep.runs[0].model.engine
    if engine.kind == "imported":
        lacking = [file for file in engine.files if not Path(file).is_file()]
        if lacking:
            pytest.skip(f"there is no {lacking[0]} here")
        assert "are imported" in dry_run(str(path), capsys)
        return
    files = sweep.runs[0].study.options.get("files", ())
    if lacking := [file for file in files if not Path(file).is_file()]:  # a benchmark that is not part of fairsweep
        pytest.skip(f"there is no {lacking[0]} here")
    said = dry_run(str(path), capsys)
    for label in ("units", "samples", "prompt tokens", "new tokens", "GPU hours", "API cost"):
        assert f"\n{label:<14} " in said


@pytest.mark.parametrize("path", files("models"), ids=lambda path: path.stem)
def test_every_model_passes_a_dry_run(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert f"model          {path.stem}" in dry_run(QUICKSTART, capsys, f"model.use={path.stem}")


@pytest.mark.parametrize("path", files("models"), ids=lambda path: path.stem)
def test_a_retired_model_has_a_successor_that_is_not_retired(path: Path) -> None:
    model = load_config(path, ModelConfig)
    if model.retired is not None:
        successor = load_config(CONFIGS / "models" / f"{model.successor}.yaml", ModelConfig)
        assert successor.retired is None


def test_the_papers_run_is_five_models_of_a_hundred_thousand_stories(capsys: pytest.CaptureFixture[str]) -> None:
    path = CONFIGS / "runs" / "narratives_paper.yaml"
    assert tuple(run.model.name for run in load_sweep(path).runs) == PAPER
    said = dry_run(str(path), capsys)
    total = said[said.index("total ") :]
    assert "5 runs" in total
    assert "samples        500,000\n" in total
    assert "units          2,000\n" in total
    assert "new tokens     at most 100,000,000\n" in total
    assert "H100-80GB" in total
    # 100 x 1,000 prompts of 25.62 tokens, and 20 million new ones: .5/1.5, 30/60, 8/24 and 1/2 dollars a million.
    assert "API cost       at most $1,851.20" in total


def test_every_api_model_of_the_paper_and_every_successor_has_an_example_price() -> None:
    prices = load_config(CONFIGS / "prices" / "paper_models.yaml", Prices).prices
    models = [load_config(CONFIGS / "models" / f"{name}.yaml", ModelConfig) for name in (*PAPER, *LTF_PAPER)]
    behind_api = [model for model in models if model.engine.kind == "openai"]
    assert set(prices) == {name for model in behind_api for name in (model.name, model.successor) if name}


def test_the_papers_ltf_run_is_five_models_of_three_variants(capsys: pytest.CaptureFixture[str]) -> None:
    path = CONFIGS / "runs" / "ltf_paper.yaml"
    runs = load_sweep(path).runs
    assert [(run.model.name, run.study.options["variant"]) for run in runs] == [
        (model, variant) for model in LTF_PAPER for variant in ("base", "abstract", "detailed")
    ]
    assert {run.sampling.max_tokens for run in runs} == {3072}
    assert runs[2].shown_as == "llama-3-8b-instruct detailed"
    said = dry_run(str(path), capsys)
    mixtral = said[said.index("ltf_paper.mixtral-8x7b-instruct-v0.1.base") :]
    assert "each 2 GPU" in mixtral[: mixtral.index("fingerprint")]
    assert "each 1 GPU" in said[: said.index("fingerprint")]
    assert "labelled by    llama-3-8b-instruct: 11,948 answers, at most 4,779,200 tokens\n" in said
    total = said[said.index("total ") :]
    assert "15 runs" in total
    assert "samples        179,220\n" in total
    assert f"new tokens     at most {179_220 * 3072:,}\n" in total
    assert "API cost       at most $1,834.02" in total
