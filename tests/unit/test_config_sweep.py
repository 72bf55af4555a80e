"""`models: [a, b]`: one run a model, all else equal."""

from pathlib import Path

import pytest

from raylib.config.loading import validate
from raylib.config.run import ModelConfig
from raylib.config.sweep import Sweep, load_sweep
from raylib.errors import ConfigError

RUN = """
run: both
study: {name: narratives}
models: [toy, {use: toy, name: toy-2, engine: {capacity: 3}}]
samples: 2
seed: 7
prices: mine
store: runs
"""


@pytest.fixture
def run_file(tmp_path: Path) -> Path:
    configs = tmp_path / "configs"
    for folder in ("runs", "models", "prices"):
        (configs / folder).mkdir(parents=True)
    (configs / "models" / "toy.yaml").write_text("name: toy\nsource: scripted\nengine: {kind: scripted, capacity: 8}\n")
    (configs / "prices" / "mine.yaml").write_text("prices: {toy: {input: 1, output: 2}}\n")
    path = configs / "runs" / "both.yaml"
    path.write_text(RUN)
    return path


def load(path: Path, *overrides: str) -> Sweep:
    return load_sweep(path, overrides)


def test_each_model_is_a_run_named_after_it_and_all_else_is_equal(run_file: Path) -> None:
    sweep = load(run_file)
    assert (sweep.name, sweep.several) == ("both", True)
    assert [run.run for run in sweep.runs] == ["both.toy", "both.toy-2"]
    assert [run.model.engine.in_parallel for run in sweep.runs] == [8, 3]
    first, second = (run.model_dump(exclude={"run", "model"}) for run in sweep.runs)
    assert first == second
    assert (first["seed"], first["prices"]["prices"]["toy"]["output"]) == (7, 2)


def test_one_model_is_one_run_under_its_own_name(run_file: Path) -> None:
    run_file.write_text(
        RUN.replace("models: [toy, {use: toy, name: toy-2, engine: {capacity: 3}}]", "model: {use: toy}")
    )
    sweep = load(run_file, "model.engine.capacity=5")
    assert (sweep.name, sweep.several, sweep.runs[0].run) == ("both", False, "both")
    assert sweep.runs[0].model.engine.in_parallel == 5


def test_set_reaches_every_run_and_every_model(run_file: Path) -> None:
    sweep = load(run_file, "samples=9", "model.engine.capacity=4", "run=other")
    assert [(run.run, run.samples, run.model.engine.in_parallel) for run in sweep.runs] == [
        ("other.toy", 9, 4),
        ("other.toy-2", 9, 4),
    ]


def test_the_models_can_be_set(run_file: Path) -> None:
    assert [run.run for run in load(run_file, "models=[toy]").runs] == ["both.toy"]
    assert [run.run for run in load(run_file, "models=null", "model={use: toy}").runs] == ["both"]


def test_a_price_table_may_be_a_path_from_where_one_stands(run_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(run_file.parents[2])
    Path("cheap.yaml").write_text("prices: {toy: {input: 0, output: 0.5}}\n")
    prices = load(run_file, "prices=cheap.yaml").runs[0].prices
    assert prices is not None
    assert prices.prices["toy"].output == 0.5


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        (("model={use: toy}",), "it names both `model` and `models`; keep one and set the other to null"),
        (("models=null",), "no model is named: add `model: {use: NAME}` for one, or `models: [NAME, NAME]`"),
        (("models=null", "modles=[toy]"), "no model is named (unknown key 'modles'. Did you mean 'models'?"),
        (("models=[]",), "models must list at least one model"),
        (("models=toy",), "models must list at least one model"),
        (("models=[toy, 3]",), "models must list at least one model"),
        (("models=[toy, toy]",), "models names 'toy' 2 times; each model needs a `name` of its own"),
        (("models=[tyo]",), "'use: tyo' names no file in"),
        (("model.use=toy",), "this config names several models; say which with --set models=[NAME, NAME]"),
        (("model.name=x",), "this config names several models"),
        (("model.engine.capasity=1",), "model toy: unknown key 'engine.capasity'. Did you mean 'capacity'?"),
        (("smaples=3",), "unknown key 'smaples'. Did you mean 'samples'?"),
        (("run=../x",), "run '../x' is not a valid name"),
        (("run=x.",), "run 'x..toy' is not a valid name"),
        (("run=" + "r" * 59,), "has 65 characters, 64 at most: shorten `run` (59) or the model's `name` (5)"),
        (("prices=nothing",), "'use: nothing' names no file in"),
    ],
)
def test_a_mistake_is_one_line(run_file: Path, overrides: tuple[str, ...], said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(run_file, *overrides)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


EACH = "each={study.options.extractor: [rules, llm], seed: [1, 2]}"


def test_each_crosses_values_with_models(run_file: Path) -> None:
    sweep = load(run_file, "models=[toy]", EACH)
    assert (sweep.name, sweep.several) == ("both", True)
    assert [(run.run, run.shown_as, run.study.options["extractor"], run.seed) for run in sweep.runs] == [
        ("both.toy.rules.1", "toy rules 1", "rules", 1),
        ("both.toy.rules.2", "toy rules 2", "rules", 2),
        ("both.toy.llm.1", "toy llm 1", "llm", 1),
        ("both.toy.llm.2", "toy llm 2", "llm", 2),
    ]
    assert len(load(run_file, EACH).runs) == 8


def test_each_goes_with_one_model_too(run_file: Path) -> None:
    sweep = load(run_file, "models=null", "model={use: toy}", "each={seed: [3]}")
    assert (sweep.several, sweep.runs[0].run, sweep.runs[0].seed) == (True, "both.3", 3)
    assert load(run_file).runs[0].shown_as == "toy"


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        (("each=[seed]",), "each must give a list of values by dotted key, for example"),
        (("each={}",), "each must give a list of values by dotted key"),
        (("each={seed: 1}",), "each.seed must be a list of single values"),
        (("each={seed: []}",), "each.seed must be a list of single values"),
        (("each={seed: [[1]]}",), "each.seed must be a list of single values"),
        (("each={seed: [1, 1]}",), "each value of `each` must differ"),
        (("each={model.name: [a]}",), "each cannot vary 'model.name': list models under `models`"),
        (("each={seed: [1, 2]}", "seed=3"), "--set seed=3: this config takes seed from `each` in turn"),
        (("each={sede: [1]}",), "unknown key 'sede'. Did you mean 'seed'?"),
        (("each={study.options.x: [a b]}",), "is not a valid name"),
    ],
)
def test_a_mistake_in_each_is_one_line(run_file: Path, overrides: tuple[str, ...], said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(run_file, *overrides)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


API = {"name": "m", "source": "api", "engine": {"kind": "openai", "base_url": "http://host:1/v1/", "model": "m-1"}}


def model(**engine: object) -> ModelConfig:
    return validate({**API, "engine": {**API["engine"], **engine}}, ModelConfig, "test")  # type: ignore[dict-item]


def test_a_model_behind_an_api_is_an_address_a_name_and_a_variable() -> None:
    engine = model(api_key_env="MY_KEY").engine
    assert engine.kind == "openai"
    assert (engine.base_url, engine.model, engine.api_key_env) == ("http://host:1/v1", "m-1", "MY_KEY")


@pytest.mark.parametrize("key", ["sk-abcdef123", "AIzaSyD4example", ""])
def test_a_key_in_the_place_of_its_name_is_refused_and_not_repeated(key: str) -> None:
    with pytest.raises(ConfigError, match="never the key itself") as caught:
        model(api_key_env=key)
    assert not key or key not in str(caught.value)


@pytest.mark.parametrize(
    "address", ["host:1/v1", "ftp://host/v1", "https://user:secret@host/v1", "https://host/v1?key=secret"]
)
def test_an_address_that_is_none_or_holds_a_secret_is_refused(address: str) -> None:
    with pytest.raises(ConfigError, match="address") as caught:
        model(base_url=address)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("written", "read"), [("2025-07-21", "2025-07-21"), (True, "yes"), (False, None), (None, None)]
)
def test_retired_is_a_date_or_yes(written: object, read: str | None) -> None:
    assert validate({**API, "retired": written}, ModelConfig, "test").retired == read
