"""Which prompts flipped: another sign, or two points and more, on samples of the same index."""

import numpy as np
import pandas as pd
import pytest

from raylib.studies.flips import flips


def samples(name: str, scores: dict[tuple[int, int], float | None]) -> pd.DataFrame:
    """(prompt, sample index) -> score."""
    rows = [
        {"prompt": prompt, "sample_index": index, "sample_id": f"{name}{prompt}.{index}", "refused": False,
         "score": np.nan if score is None else float(score)}
        for (prompt, index), score in scores.items()
    ]  # fmt: skip
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    ("a", "b", "flipped"),
    [
        (1, -1, True), (0, 1, True), (1, 0, True), (-1, 0, True), (0, 2, True),
        (1, 2, False), (2, 1, False), (0, 0, False), (-1, -1, False),
    ],
)  # fmt: skip
def test_one_sample_flips_with_its_sign(a: int, b: int, flipped: bool) -> None:
    assert len(flips(samples("a", {(7, 0): a}), samples("b", {(7, 0): b})).rows) == flipped


def test_a_change_of_two_counts_within_one_sign() -> None:
    # Another study's scale: no sign changes from 1 to 3.
    assert len(flips(samples("a", {(7, 0): 1}), samples("b", {(7, 0): 3})).rows) == 1


def test_several_samples_count_by_their_mean() -> None:
    found = flips(
        samples("a", {(1, 0): 2, (1, 1): -1, (2, 0): 1, (2, 1): 2}),
        samples("b", {(1, 0): -1, (1, 1): 0, (2, 0): 2, (2, 1): 1}),
    )
    (row,) = found.rows.to_dict("records")
    assert (row["prompt"], row["score_a"], row["score_b"], row["change"], row["samples"]) == (1, 0.5, -0.5, -1.0, 2)
    # Sample 0 fell by 3, sample 1 rose: the pair that shows the fall.
    assert (row["sample_a"], row["sample_b"]) == ("a1.0", "b1.0")
    assert found.compared.to_dict() == {1: -1.0, 2: 0.0}


def test_samples_without_a_score_in_either_run_are_left_out_of_both_means() -> None:
    found = flips(
        samples("a", {(1, 0): 2, (1, 1): 2, (1, 2): None, (2, 0): 1}),
        samples("b", {(1, 0): None, (1, 1): -1, (1, 2): 0, (2, 0): None}),
    )
    (row,) = found.rows.to_dict("records")
    assert (row["score_a"], row["score_b"], row["samples"]) == (2, -1, 1)
    assert (len(found.compared), found.uncompared) == (1, 1)


def test_an_index_that_one_run_did_not_draw_is_left_out() -> None:
    found = flips(samples("a", {(1, 0): 0, (1, 1): 2}), samples("b", {(1, 0): 0}))
    assert found.rows.empty
    assert found.compared.to_dict() == {1: 0.0}


def test_the_largest_change_comes_first_and_equal_ones_by_prompt() -> None:
    found = flips(samples("a", {(1, 0): 0, (2, 0): 2, (3, 0): 0}), samples("b", {(1, 0): 1, (2, 0): -1, (3, 0): -1}))
    assert found.rows["prompt"].tolist() == [2, 1, 3]


def test_refusals_are_counted_beside_the_scores() -> None:
    refused = samples("b", {(1, 0): 0})
    refused["refused"] = True
    (row,) = flips(samples("a", {(1, 0): 2}), refused).rows.to_dict("records")
    assert (row["refused_a"], row["refused_b"]) == (0, 1)


def test_runs_without_a_score_in_common_compare_nothing() -> None:
    found = flips(samples("a", {(1, 0): None}), samples("b", {(1, 0): 1}))
    assert (len(found.rows), len(found.compared), found.uncompared) == (0, 0, 1)
