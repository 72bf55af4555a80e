"""Identity: what may and may not change an id."""

import itertools
import subprocess
import sys

import pytest

from raylib.errors import ConfigError
from raylib.ids import base_seed, canonical_json, check_name, digest, fingerprint, sample_id, unit_id


def test_key_order_does_not_change_a_digest() -> None:
    assert digest({"a": 1, "b": [1.5, None]}) == digest({"b": [1.5, None], "a": 1})


def test_canonical_json_is_sorted_and_without_spaces() -> None:
    assert canonical_json({"b": "é", "a": [1, True]}) == '{"a":[1,true],"b":"é"}'


@pytest.mark.parametrize("value", [object(), {1, 2}, float("nan"), float("inf"), {"a": [b"x"]}, {1: "a"}])
def test_a_value_without_an_exact_form_is_an_error_and_never_stringified(value: object) -> None:
    with pytest.raises(ConfigError):
        digest(value)


def test_stages_with_equal_inputs_have_different_fingerprints() -> None:
    assert fingerprint("generate", {"a": 1}) != fingerprint("annotate", {"a": 1})


def test_ids_are_the_same_in_every_process() -> None:
    code = "from raylib.ids import sample_id, base_seed; print(sample_id('f', 'p', 3), base_seed('f', 'p'))"
    other = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": "7"}
    )
    assert other.stdout.split() == [sample_id("f", "p", 3), str(base_seed("f", "p"))]


def test_sample_ids_differ_by_fingerprint_prompt_and_index() -> None:
    ids = {sample_id("f", "p", 0), sample_id("g", "p", 0), sample_id("f", "q", 0), sample_id("f", "p", 1)}
    assert len(ids) == 4


def test_a_unit_id_depends_on_what_the_unit_covers() -> None:
    assert unit_id("f", [["p"], 0, 250]) != unit_id("f", [["p"], 250, 250])


def test_seeds_of_prompts_are_far_apart_and_fit_into_64_bits() -> None:
    seeds = sorted(base_seed("f", f"prompt {i}") for i in range(1000))
    assert min(b - a for a, b in itertools.pairwise(seeds)) > 1000
    assert seeds[-1] < 2**62


@pytest.mark.parametrize("name", ["../x", "a/b", "", "A", "-x", ".x", "x" * 65, "a b", "a\n", "a..b", "ü"])
def test_a_name_that_could_leave_its_folder_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match="not a valid name"):
        check_name(name, "run")


@pytest.mark.parametrize("name", ["a", "llama3-8b", "run_1.2", "x" * 64])
def test_ordinary_names_are_taken(name: str) -> None:
    assert check_name(name, "run") == name
