"""Configuration: `use:`, `--set`, and errors that name the key and the valid ones."""

from pathlib import Path

import pytest

from raylib.config.loading import load_config
from raylib.config.run import RunConfig
from raylib.config.yaml_text import parse_yaml
from raylib.errors import ConfigError

RUN = """
run: tiny
study: {name: narratives}
model: {use: toy}
samples: 2
store: runs
"""


@pytest.fixture
def run_file(tmp_path: Path) -> Path:
    configs = tmp_path / "configs"
    for folder in ("runs", "models", "studies"):
        (configs / folder).mkdir(parents=True)
    (configs / "models" / "toy.yaml").write_text("name: toy\nsource: scripted\nengine: {kind: scripted, capacity: 8}\n")
    path = configs / "runs" / "tiny.yaml"
    path.write_text(RUN)
    return path


def load(path: Path, *overrides: str) -> RunConfig:
    return load_config(path, RunConfig, overrides)


def test_use_pulls_another_file_into_a_section(run_file: Path) -> None:
    assert load(run_file).model.source == "scripted"


def test_keys_beside_use_win_and_the_rest_of_the_file_stays(run_file: Path) -> None:
    run_file.write_text(RUN.replace("{use: toy}", "{use: toy, engine: {words_per_text: 20}}"))
    engine = load(run_file).model.engine
    assert (engine.kind, engine.words_per_text, engine.capacity) == ("scripted", 20, 8)


def test_set_overrides_what_use_pulled_in(run_file: Path) -> None:
    assert load(run_file, "model.engine.capacity=3").model.engine.capacity == 3


def test_set_may_itself_use_a_file(run_file: Path) -> None:
    (run_file.parents[1] / "models" / "other.yaml").write_text(
        "name: other\nsource: scripted\nengine: {kind: scripted}\n"
    )
    assert load(run_file, "model={use: other}").model.name == "other"


def test_set_use_puts_the_file_in_the_place_of_what_is_there(run_file: Path) -> None:
    other = "name: other\nsource: scripted\nengine: {kind: scripted, capacity: 3}\n"
    (run_file.parents[1] / "models" / "other.yaml").write_text(other)
    model = load(run_file, "model.use=other", "model.engine.words_per_text=20").model
    assert (model.name, model.engine.capacity, model.engine.words_per_text) == ("other", 3, 20)


def test_the_short_form_of_store_takes_further_keys(run_file: Path) -> None:
    store = load(run_file, "store.endpoint=http://127.0.0.1:9").store
    assert (store.url, store.endpoint) == ("runs", "http://127.0.0.1:9")


def test_windows_line_endings_and_a_byte_order_mark_are_read(run_file: Path) -> None:
    run_file.write_bytes(b"\xef\xbb\xbf" + RUN.replace("\n", "\r\n").encode())
    assert load(run_file).run == "tiny"


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("sampling.temprature=1", "unknown key 'sampling.temprature'. Did you mean 'temperature'?"),
        ("smaples=3", "unknown key 'smaples'. Did you mean 'samples'?"),
        ("model.engine.capasity=3", "unknown key 'model.engine.capasity'. Did you mean 'capacity'?"),
        ("samples=two", "samples: Input should be a valid integer"),
        ("samples=0", "samples: Input should be greater than or equal to 1"),
        ("run=../x", "run '../x' is not a valid name"),
        ("model={use: tyo}", "names no file in"),
        ("noequals", "is not of the form key=value"),
        ("samples.x=1", "which has no keys in it"),
        ("resources.actors=[3, 1]", "give [fewest, most]"),
        ("model.trust_remote_code=true", "pinned hf:org/name@revision"),
    ],
)
def test_a_mistake_is_named_in_one_line(run_file: Path, override: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(run_file, override)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_key_is_named(run_file: Path) -> None:
    run_file.write_text(RUN.replace("samples: 2\n", ""))
    with pytest.raises(ConfigError, match="key 'samples' is missing"):
        load(run_file)


def test_a_missing_file_names_its_neighbours(run_file: Path) -> None:
    with pytest.raises(ConfigError, match=r"no config file .*tini\.yaml\. Did you mean '.*tiny\.yaml'"):
        load(run_file.with_name("tini.yaml"))


def test_broken_yaml_is_placed(run_file: Path) -> None:
    run_file.write_text(RUN + "a: [1\n")
    with pytest.raises(ConfigError, match=r"at line \d+, column \d+"):
        load(run_file)


@pytest.mark.parametrize(
    "line",
    ["samples: 3", "'samples': 3", "sampling: {top_p: 0.9, top_p: 0.8}", "units: {prompts: 1, samples: 1, samples: 1}"],
)
def test_a_key_that_stands_twice_is_refused_and_not_half_lost(run_file: Path, line: str) -> None:
    run_file.write_text(RUN + line + "\n")
    with pytest.raises(
        ConfigError, match=r"at line 7, column \d+: the key '\w+' is there twice \(first in line [57]\)"
    ):
        load(run_file)


def test_what_a_merged_mapping_says_may_be_said_again(run_file: Path) -> None:
    more = "sampling: &base {top_p: 0.9, temperature: 1}\nunits: {prompts: 1, samples: 1}\n"
    run_file.write_text(RUN + more)
    text = run_file.read_text()
    assert parse_yaml(text + "b: &b {<<: *base, top_p: 0.8}\nc: {<<: *b, top_p: 0.7}\n")["c"] == {  # type: ignore[index]
        "top_p": 0.7,
        "temperature": 1,
    }


@pytest.mark.parametrize("line", ["a: 2026-13-45", "a: " + "[" * 5000])
def test_a_value_that_yaml_chokes_on_is_one_line(run_file: Path, line: str) -> None:
    run_file.write_text(RUN + line + "\n")
    with pytest.raises(ConfigError) as caught:
        load(run_file)
    assert "\n" not in str(caught.value)
    assert "cannot be read" in str(caught.value)


def test_files_that_use_each_other_are_caught(run_file: Path) -> None:
    models = run_file.parents[1] / "models"
    (models / "toy.yaml").write_text("use: toy\n")
    with pytest.raises(ConfigError, match="use each other"):
        load(run_file)


def test_a_configuration_cannot_be_changed(run_file: Path) -> None:
    with pytest.raises(Exception, match="frozen"):
        load(run_file).samples = 3  # type: ignore[misc]
