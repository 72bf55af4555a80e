"""A run's context: what is refused before anything starts."""

from pathlib import Path

import pytest

from raylib.config.loading import validate
from raylib.config.run import RunConfig
from raylib.errors import ConfigError
from raylib.pipeline.context import Context, first_difference
from tests.pipeline_support import run_tree


def test_the_first_difference_is_named_by_its_path_and_shows_both_values() -> None:
    before = {"a": {"same": 1, "b": {"dtype": "auto"}}, "z": 1}
    now = {"a": {"same": 1, "b": {"dtype": "bfloat16"}}, "z": 2}
    assert first_difference(before, now) == ("a.b.dtype", "auto", "bfloat16")


def test_a_key_that_one_side_lacks_is_the_difference() -> None:
    assert first_difference({"a": 1}, {"a": 1, "b": {"c": 2}}) == ("b", None, {"c": 2})


def context(url: str) -> Context:
    return Context(validate({**run_tree(Path("x")), "store": url}, RunConfig, "test"))


def test_a_relative_store_in_a_jobs_working_folder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "working_dir_files" / "_ray_pkg_1"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    with pytest.raises(ConfigError, match="absolute path or s3://"):
        _ = context("runs").store_options


@pytest.mark.parametrize("url", ["/data/runs", "s3://bucket/prefix", "file:///data/runs"])
def test_a_store_that_outlives_the_job_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    folder = tmp_path / "working_dir_files" / "_ray_pkg_1"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    assert context(url).store_options.url.endswith(url.removeprefix("file://"))
