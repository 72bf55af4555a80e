"""Hours from assumed speeds and dollars from prices, worked out by hand."""

from pathlib import Path

import pytest

from raylib.config.loading import load_config, validate
from raylib.config.prices import Prices
from raylib.config.run import ModelConfig, RunConfig
from raylib.errors import ConfigError
from raylib.pipeline.planning.assumptions import Assumptions, Device, load_assumptions
from raylib.pipeline.planning.cost import PriceTable, api_cost, price_table
from raylib.pipeline.planning.hours import assumed_hours, gpus_needed, parameters_in, parameters_of
from tests.pipeline_support import run_tree

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("text", "billions"),
    [
        ("smollm2-135m-instruct", 0.135), ("llama-3.1-8b", 8), ("qwen2.5-0.5b-instruct", 0.5), ("mistral7b", 7),
        ("mixtral-8x7b-v0.1", 56), ("qwen3-30b-a3b", 30), ("SmolLM2-135M-Instruct.Q4_1.gguf", 0.135),
    ],
)  # fmt: skip
def test_a_models_name_says_its_size(text: str, billions: float) -> None:
    found = parameters_in(text)
    assert found is not None
    assert found[0] == pytest.approx(billions)


@pytest.mark.parametrize("text", ["phi-4-mini", "gpt-4", "my-model", "model-4bit", "v2beta", "llama-3", "0b"])
def test_a_name_without_a_size_is_unknown(text: str) -> None:
    assert parameters_in(text) is None


def model(name: str, source: str) -> ModelConfig:
    return validate({"name": name, "source": source, "engine": {"kind": "vllm"}}, ModelConfig, "test")


def test_what_is_given_counts_before_the_name_and_the_name_before_the_source() -> None:
    ours = model("tuned-8b", "hf:org/base-7b@abc1b")
    assert parameters_of(ours, "13b") == (13, "13b", "given")
    assert parameters_of(ours, None) == (8, "8b", "the model's name")
    assert parameters_of(model("tuned", "hf:org/base-7b@abc1b"), None) == (7, "7b", "the model's source")
    assert parameters_of(model("tuned", "hf:org/base@abc1b"), None) is None
    assert parameters_of(model("tuned", "/data/70b/tuned"), None) is None


def test_gpus_needed_by_hand() -> None:
    # 7 x 2 x 1.2 = 16.8 GB; 13 x 2.4 = 31.2 of 24: two; 70 x 2.4 = 168 of 80: 2.1, so four.
    assert [gpus_needed(7, 24), gpus_needed(13, 24), gpus_needed(70, 80), gpus_needed(0.1, 80)] == [1, 2, 4, 1]


DEVICE = validate(
    {
        "name": "X", "memory_gb": 80,
        "speeds": [
            {"up_to_billion": 10, "low": 1000, "high": 4000, "note": "assumed"},
            {"up_to_billion": 3, "low": 5000, "high": 9000, "note": "assumed"},
        ],
    },
    Device, "test",
)  # fmt: skip


def test_hours_by_hand() -> None:
    # 7.2 million tokens: at 4,000 a second 1,800 s, at 1,000 two hours.
    hours = assumed_hours(DEVICE, 7, 7_200_000)
    assert (hours.low, hours.high, hours.unit) == (0.5, 2.0, "GPU hours")
    assert assumed_hours(DEVICE, 3, 7_200_000).tokens_per_s == (5000, 9000)


def test_a_model_above_all_classes_is_unknown_and_says_what_to_do() -> None:
    hours = assumed_hours(DEVICE, 405, 1000)
    assert (hours.low, hours.high) == (None, None)
    assert "--pilot" in hours.rests_on


def test_every_figure_of_the_package_is_a_range_that_says_that_it_is_assumed() -> None:
    ours = load_assumptions()
    speeds = [speed for device in ours.devices for speed in device.speeds]
    assert all(speed.low < speed.high and "assumed" in speed.note for speed in speeds)
    assert ours.correlation.low < ours.correlation.high
    assert "assumed" in ours.correlation.note


def test_an_upside_down_range_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("correlation: {low: 0.3, high: 0.1, note: x}\ndevices: []\n")
    with pytest.raises(ConfigError, match="low is above high"):
        load_config(path, Assumptions)


def prices(**facts: object) -> PriceTable:
    table = {"prices": {"my-model": {"input": 0.5, "output": 2.0}}, **facts}
    return PriceTable(validate(table, Prices, "test"), "prices.yaml")


def test_cost_by_hand() -> None:
    # 3 million at $0.5 and 4 million at $2.
    assert api_cost("my-model", prices(), 3e6, 4e6).usd == pytest.approx(9.5)


def test_a_cost_says_of_which_day_its_prices_are() -> None:
    rests_on = api_cost("my-model", prices(as_of="2026-11-30", note="examples"), 1, 1).rests_on
    assert rests_on == "prices.yaml of 2026-11-30: $0.5 in, $2 out a million tokens; no discounts; examples"


def test_without_a_price_the_cost_is_unknown_and_says_what_to_give() -> None:
    assert api_cost("m", None, 1, 1) == (None, "give --prices FILE (see configs/prices/example.yaml)")
    missing = api_cost("my-modle", prices(), 1, 1)
    assert missing.usd is None
    assert "Did you mean 'my-model'?" in missing.rests_on


def test_a_file_of_prices_goes_before_the_prices_of_the_config(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("prices: {other: {input: 1, output: 1}}\n")
    own = prices().prices
    config = validate(run_tree(tmp_path, prices=own.model_dump()), RunConfig, "test")
    assert price_table(None, config) == (own, "the config's prices")
    assert price_table(str(path), config) == (load_config(path, Prices), str(path))
    assert price_table(None, validate(run_tree(tmp_path), RunConfig, "test")) is None


@pytest.mark.parametrize("path", sorted((ROOT / "configs/prices").glob("*.yaml")), ids=lambda path: path.stem)
def test_the_shipped_prices_say_that_they_are_examples(path: Path) -> None:
    assert path.read_text().startswith("# EXAMPLES ONLY")
    assert load_config(path, Prices).prices
