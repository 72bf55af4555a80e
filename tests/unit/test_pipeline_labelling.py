"""The model that labels: what its fingerprint holds, when a run must have one, and how it is asked."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from raylib.config.loading import load_config, validate
from raylib.config.run import RunConfig
from raylib.engines.base import Completion, EngineDeadError, EngineInfo, Message, Request
from raylib.errors import ConfigError
from raylib.pipeline.context import Context
from raylib.pipeline.labelling import LabellerFactory, LabellingModel, labeller_identity, labelling_resources
from raylib.pipeline.unit import RestartWorker
from raylib.store.open import StoreOptions
from raylib.studies.base import Question
from tests.pipeline_support import run_tree

SCRIPTED = {"name": "labeller", "source": "scripted", "engine": {"kind": "scripted"}}
SCHEMA = {"type": "object", "properties": {"score": {"type": "integer"}}, "required": ["score"]}


def config(options: dict[str, Any] | None = None, **labeller: Any) -> RunConfig:
    tree = run_tree(Path("x"), study={"name": "narratives", "options": options or {"extractor": "llm"}})
    return validate(tree | {"labeller": {"model": SCRIPTED} | labeller}, RunConfig, "test")


def identity(run: RunConfig) -> dict[str, Any]:
    return labeller_identity(run, run.labeller)


class Counting:
    """An engine that notes what it is asked and answers by `answer(request, number of earlier calls for the key)`."""

    info = EngineInfo("counting", "1", "cpu", "none")
    capacity = 4

    def __init__(self, answer: Callable[[Request, int], Completion]) -> None:
        self.requests: list[Request] = []
        self.most_at_once = self._now = 0
        self._answer = answer

    async def complete(self, request: Request) -> tuple[Completion, ...]:
        earlier = sum(other.messages == request.messages for other in self.requests)
        self.requests.append(request)
        self._now += 1
        self.most_at_once = max(self.most_at_once, self._now)
        await asyncio.sleep(0)
        self._now -= 1
        return (self._answer(request, earlier),)

    def close(self) -> None:
        pass


def ask(engine: Counting, count: int, run: RunConfig | None = None, attempts: int = 3) -> list[Completion]:
    labeller = (run or config()).labeller
    assert labeller is not None
    model = LabellingModel(LabellerFactory(labeller, "stage", attempts, StoreOptions("x")), engine)
    return asyncio.run(model([Question(f"s{i}", (Message("user", f"text {i}"),), SCHEMA) for i in range(count)]))


def said(request: Request, earlier: int) -> Completion:
    return Completion(request.messages[0].content, "ok", "stop", 1, 1)


def failed(request: Request, earlier: int) -> Completion:
    return replace(said(request, 0), text="", status="error", error_type="overload", error="busy", retryable=True)


def test_answers_come_in_the_order_of_the_questions_and_all_are_asked_at_once() -> None:
    engine = Counting(said)
    assert [answer.text for answer in ask(engine, 30)] == [f"text {i}" for i in range(30)]
    assert engine.most_at_once == 30


def test_a_question_carries_schema_adapter_sampling_and_a_seed_of_its_own() -> None:
    engine = Counting(said)
    ask(engine, 2, config(adapter="lora", sampling={"temperature": 0.5, "max_tokens": 60}))
    first, second = engine.requests
    assert (first.json_schema, first.adapter, first.n) == (SCHEMA, "lora", 1)
    assert (first.sampling.temperature, first.sampling.max_tokens) == (0.5, 60)
    assert first.seed != second.seed
    again = Counting(said)
    ask(again, 1, config(adapter="lora"))
    assert again.requests[0].seed == first.seed


def test_greedy_is_the_default() -> None:
    engine = Counting(said)
    ask(engine, 1)
    assert engine.requests[0].sampling.temperature == 0


def test_an_error_that_may_pass_is_asked_again_and_one_that_may_not_is_an_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("raylib.pipeline.labelling._RETRY_PAUSE_S", 0)
    passing = Counting(lambda request, earlier: said(request, 0) if earlier == 2 else failed(request, 0))
    assert [answer.status for answer in ask(passing, 1)] == ["ok"]
    for_good = Counting(failed)
    assert [answer.status for answer in ask(for_good, 1)] == ["error"]
    assert len(for_good.requests) == 3
    hopeless = Counting(lambda request, earlier: replace(failed(request, 0), retryable=False))
    ask(hopeless, 1)
    assert len(hopeless.requests) == 1


def test_a_dead_engine_restarts_the_worker() -> None:
    def die(request: Request, earlier: int) -> Completion:
        raise EngineDeadError("out of memory")

    with pytest.raises(RestartWorker, match="out of memory"):
        ask(Counting(die), 1)


def test_the_factory_builds_the_engine_that_the_labeller_names() -> None:
    labeller = config().labeller
    assert labeller is not None
    model = LabellerFactory(labeller, "stage", 1, StoreOptions("x")).build()
    (answer,) = asyncio.run(model([Question("s", (Message("user", "?"),), SCHEMA)]))
    assert answer.text.startswith('{"score": ')
    assert (model.info["model"], model.info["engine"]) == ("labeller", "scripted")


def test_the_identity_changes_with_model_and_sampling_and_not_with_where_it_runs() -> None:
    base = identity(config())
    assert set(base["labeller"]) == {"model", "adapter", "sampling"}
    assert base == identity(config(actors=[2, 4], gpus_per_actor=1, units_in_flight=3))
    others = [
        identity(config(sampling={"temperature": 0, "max_tokens": 401})),
        identity(config(model=SCRIPTED | {"engine": {"kind": "scripted", "version": 2}})),
        identity(config(model=SCRIPTED | {"system_prompt": "Be brief."})),
    ]
    assert all(other != base for other in others)
    assert identity(config().model_copy(update={"labeller": None})) == {}


def test_an_adapter_that_the_engine_does_not_have_is_refused() -> None:
    with pytest.raises(ConfigError, match="no adapter 'lora'"):
        identity(config(adapter="lora"))


def test_workers_take_what_the_labeller_says_and_enough_units_to_fill_its_engine() -> None:
    run = config(actors=[2, 3], gpus_per_actor=1, cpus_per_actor=4)
    assert run.labeller is not None
    found = labelling_resources(run.labeller, run)
    assert (found.actors, found.gpus, found.cpus) == ((2, 3), 1, 4)
    assert found.in_flight == 48  # 1.5 x 64 completions at once / 2 samples a unit


def test_options_that_need_a_labeller_are_refused_without_one_before_anything_runs() -> None:
    run = config().model_copy(update={"labeller": None})
    with pytest.raises(ConfigError, match=r"--set labeller\.model\.use=NAME"):
        _ = Context(run).prompts


def test_a_labeller_that_would_label_nothing_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"study\.options\.extractor=llm"):
        _ = Context(config({"extractor": "rules"})).prompts


@pytest.mark.parametrize(
    ("labeller", "why"),
    [
        ({"sampling": {"temperature": 1, "until": {"half_width": 0.1, "max": 400}}}, "drop sampling.until here"),
        ({"model": SCRIPTED | {"source": "imported", "engine": {"kind": "imported", "files": ["a.csv"],
          "columns": {"prompt": "p", "text": "t"}}}}, "answer no questions"),
        ({"actors": [2, 1]}, "fewest"),
        ({"gpus": 1}, "gpus_per_actor"),
    ],
)  # fmt: skip
def test_a_labeller_that_cannot_label_is_refused(labeller: dict[str, Any], why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        config(**labeller)


def test_a_labeller_file_names_its_model_by_use(tmp_path: Path) -> None:
    for folder in ("runs", "models", "judges"):
        (tmp_path / "configs" / folder).mkdir(parents=True)
    (tmp_path / "configs/models/toy.yaml").write_text("name: toy\nsource: scripted\nengine: {kind: scripted}\n")
    (tmp_path / "configs/judges/kind.yaml").write_text("model: {use: toy}\nsampling: {max_tokens: 60}\n")
    path = tmp_path / "configs/runs/tiny.yaml"
    path.write_text(
        "run: tiny\nstudy: {name: narratives}\nmodel: {use: toy}\nlabeller: {use: kind}\nsamples: 2\nstore: runs\n"
    )
    labeller = load_config(path, RunConfig).labeller
    assert labeller is not None
    assert (labeller.model.name, labeller.sampling.max_tokens) == ("toy", 60)
    path.write_text(path.read_text().replace("{use: kind}", "{model: {use: toi}}"))
    with pytest.raises(ConfigError, match="Did you mean 'toy'"):
        load_config(path, RunConfig)
