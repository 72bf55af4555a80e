"""Several runs one after another: who failed, with which exit code, and what the others leave."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from raylib.config.loading import validate
from raylib.config.run import RunConfig
from raylib.config.sweep import Sweep
from raylib.errors import ConfigError, DataError, FairsweepError, LimitError, StoppedError
from raylib.pipeline.models import model_identity, prepare_model
from raylib.pipeline.sweep import Together, each_run
from tests.pipeline_support import run_tree

API_ENGINE = {"kind": "openai", "base_url": "https://host/v1", "model": "far-1"}


def sweep(*names: str, several: bool = True) -> Sweep:
    runs = (validate(run_tree(Path("x"), run=f"s.{name}", model__name=name), RunConfig, "test") for name in names)
    return Sweep("s", tuple(runs), several)


def failing(**errors: FairsweepError):
    def action(config: RunConfig) -> str:
        if config.model.name in errors:
            raise errors[config.model.name]
        return f"report-of-{config.model.name}"

    return action


def compared(finished: Sequence[RunConfig], failed: Sequence[RunConfig]) -> str:
    return f"{[run.model.name for run in finished]} without {[run.model.name for run in failed]}"


def test_the_others_go_on_and_the_first_failure_gives_the_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    left = []
    action = failing(b=LimitError("too many\nerrors"), c=DataError("torn"))
    with pytest.raises(FairsweepError, match="2 of 4 runs failed") as caught:
        each_run(sweep("a", "b", "c", "d"), action, Together(compared), lambda: left.append(1))
    assert caught.value.exit_code == LimitError.exit_code
    assert capsys.readouterr().out.splitlines() == [
        "a: ok: report-of-a",
        "b: failed: too many errors",
        "c: failed: torn",
        "d: ok: report-of-d",
        "report: ['a', 'd'] without ['b', 'c']",
    ]
    assert len(left) == 2


def test_nothing_is_compared_where_none_finished_or_some_would_be_missed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(FairsweepError):
        each_run(sweep("a"), failing(a=DataError("torn")), Together(compared))
    with pytest.raises(FairsweepError):
        each_run(sweep("a", "b"), failing(a=DataError("torn")), Together(compared, also_without_some=False))
    assert "report: " not in capsys.readouterr().out


def test_one_run_ends_with_its_own_error() -> None:
    with pytest.raises(DataError, match=r"^torn$"):
        each_run(sweep("a", several=False), failing(a=DataError("torn")))


def test_a_stop_ends_the_sweep() -> None:
    seen = []

    def action(config: RunConfig) -> None:
        seen.append(config.model.name)
        raise StoppedError("stopped")

    with pytest.raises(StoppedError):
        each_run(sweep("a", "b"), action)
    assert seen == ["a"]


def test_a_defect_is_not_taken_for_a_model_that_fails() -> None:
    def action(config: RunConfig) -> None:
        raise KeyError(config.run)

    with pytest.raises(KeyError):
        each_run(sweep("a", "b"), action)


def run_of(**model: object) -> RunConfig:
    return validate(
        run_tree(Path("x"), model={"name": "far", "source": "api", "engine": API_ENGINE, **model}), RunConfig, "t"
    )


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"retired": "2025-07-21", "successor": "near"},
         "model far is retired since 2025-07-21: take its successor near of configs/models/, or --set model.retired=null "
         "where it still answers"),
        ({"retired": True}, "model far is retired: take another model, or"),
        ({}, "engine 'openai' is not in this version of fairsweep: a model behind an API can be planned"),
    ],
)  # fmt: skip
def test_a_model_that_cannot_be_asked_ends_in_one_line(facts: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        prepare_model(run_of(**facts))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_retired_and_successor_change_no_fingerprint() -> None:
    assert model_identity(run_of(retired=True, successor="near")) == model_identity(run_of())
    assert model_identity(run_of())["engine"] == {"kind": "openai", "base_url": "https://host/v1", "model": "far-1"}


@pytest.mark.parametrize(("source", "engine"), [("api", {"kind": "vllm"}), ("hf:o/n@0123456789", API_ENGINE)])
def test_an_api_model_has_no_weights_here_and_others_have(source: str, engine: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match="belong together"):
        model_identity(run_of(source=source, engine=engine))
