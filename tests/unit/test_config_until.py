"""`sampling.until`: what it needs, what it refuses, and that it changes no text."""

from pathlib import Path
from typing import Any

import pytest

from raylib.config.loading import validate
from raylib.config.run import RunConfig
from raylib.errors import ConfigError
from raylib.pipeline.generate import generation_identity
from tests.pipeline_support import run_tree

UNTIL = {"half_width": 0.02, "max": 1000}


def load(*dropped: str, until: object = UNTIL, **changes: Any) -> RunConfig:
    tree = run_tree(Path("x"), sampling__until=until, **changes)
    return validate({key: value for key, value in tree.items() if key not in dropped}, RunConfig, "run.yaml")


def test_without_samples_the_most_that_until_allows_is_the_number_of_samples() -> None:
    assert load("samples").samples == 1000
    assert load(samples=None).samples == 1000
    assert load(samples=1000).samples == 1000


def test_until_is_no_part_of_what_changes_a_text() -> None:
    fixed = validate(run_tree(Path("x")), RunConfig, "run.yaml")
    assert generation_identity(load("samples")) == generation_identity(fixed)
    assert set(generation_identity(fixed)["sampling"]) == {
        "temperature", "top_p", "top_k", "min_p", "repetition_penalty", "max_tokens", "stop",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("until", "line"),
    [
        ({"half_width": 0, "max": 9}, "run.yaml: sampling.until.half_width: Input should be greater than 0 (got 0)"),
        ({"half_width": 0.7, "max": 9}, "run.yaml: sampling.until.half_width: Input should be less than 0.5 (got 0.7)"),
        ({"half_width": 0.1}, "run.yaml: key 'sampling.until.max' is missing; add it to the file or give --set "),
        ({"half_width": 0.1, "max": "many"}, "run.yaml: sampling.until.max: Input should be a valid integer"),
        ({"half_width": 0.1, "max": 20}, "run.yaml: sampling.until: first is 50, above max 20: lower first"),
        ({"half_width": 0.1, "max": 90, "fist": 9}, "unknown key 'sampling.until.fist'. Did you mean 'first'?"),
        (
            {"half_width": 0.1, "max": 90, "growth": 1},
            "sampling.until.growth: Input should be greater than or equal to",
        ),
    ],
)
def test_a_wrong_until_is_one_line(until: object, line: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load("samples", until=until)
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "more problem" not in str(caught.value)


def test_samples_that_contradict_until_are_refused() -> None:
    with pytest.raises(
        ConfigError, match=r"until\.max is 1000, but samples is 4: leave samples out \(--set samples=null"
    ):
        load()


def test_engine_seeding_is_refused_since_later_rounds_would_repeat_the_first() -> None:
    with pytest.raises(ConfigError, match="until needs seeding: per_sample"):
        load("samples", seeding="engine")


def test_greedy_sampling_has_nothing_to_wait_for() -> None:
    with pytest.raises(ConfigError, match="temperature 0 draws the same text every time"):
        load("samples", sampling__temperature=0)


def test_without_until_samples_is_still_needed() -> None:
    tree = run_tree(Path("x"))
    del tree["samples"]
    with pytest.raises(ConfigError, match="key 'samples' is missing"):
        validate(tree, RunConfig, "run.yaml")


def test_imported_texts_cannot_be_drawn_until_anything() -> None:
    engine = {"kind": "imported", "files": ["x.csv"], "columns": {"prompt": "prompt", "text": "text"}}
    with pytest.raises(ConfigError, match="these are imported: drop until"):
        load("samples", model={"name": "given", "source": "imported", "engine": engine})
