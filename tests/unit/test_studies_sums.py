"""Sums of measures: they add up to the same bytes in any order, and refuse what would not."""

import numpy as np
import pyarrow as pa
import pytest

from raylib.errors import DataError
from raylib.schemas import SUMS
from raylib.stats.exact import LIKELIHOOD_STEP, on_grid
from raylib.studies.sums import add_up, grouped, read_cells

MEASURES = {"race": ("White", "Black"), "stories": ("stories",)}


def rows(*given: tuple[str, str, str, list[float]]) -> pa.Table:
    return pa.Table.from_pylist([dict(zip(SUMS.names, row, strict=True)) for row in given], schema=SUMS)


def test_rows_are_summed_by_cell_and_cluster_and_sorted() -> None:
    table = grouped(
        ["b", "a", "b", "b"], ["y", "x", "x", "y"], "race", np.array([[1, 0], [2, 1], [4, 0], [8, 3]], float)
    )
    assert [tuple(row.values()) for row in table.to_pylist()] == [
        ("a", "x", "race", [2.0, 1.0]),
        ("b", "x", "race", [4.0, 0.0]),
        ("b", "y", "race", [9.0, 3.0]),
    ]


def test_no_rows_give_an_empty_table() -> None:
    assert grouped([], [], "race", np.zeros((0, 2))).equals(SUMS.empty_table())
    assert add_up([], MEASURES).equals(SUMS.empty_table())
    assert read_cells(SUMS.empty_table(), MEASURES) == {}


def test_any_order_and_any_tree_gives_the_same_bytes() -> None:
    rng = np.random.default_rng(5)
    parts = []
    for _ in range(40):
        size = int(rng.integers(1, 30))
        values = on_grid(rng.random((size, 2)), LIKELIHOOD_STEP)
        parts.append(grouped(rng.choice(list("abc"), size), rng.choice(list("xyz"), size), "race", values))
        parts.append(
            grouped(rng.choice(list("abc"), size), rng.choice(list("xyz"), size), "stories", np.ones((size, 1)))
        )
    whole = add_up(parts, MEASURES)
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(len(parts))
        cuts = np.sort(np.random.default_rng(seed).integers(0, len(parts), 6))
        leaves = [add_up([parts[index] for index in group], MEASURES) for group in np.split(order, cuts)]
        assert add_up([add_up(leaves[:3], MEASURES), *leaves[3:]], MEASURES).equals(whole)


def test_cells_are_read_back_by_cluster_with_zeros_where_nothing_was_summed() -> None:
    table = add_up([rows(("a", "y", "race", [1, 2]), ("a", "x", "stories", [3]), ("b", "x", "race", [4, 5]))], MEASURES)
    cells = read_cells(table, MEASURES)
    assert list(cells) == ["a", "b"]
    assert cells["a"].clusters == ("x", "y")
    assert cells["a"].vector("race").tolist() == [[0, 0], [1, 2]]
    assert cells["a"].vector("stories").tolist() == [[3], [0]]
    assert cells["b"].vector("stories").tolist() == [[0]]
    assert cells["b"].vector("race", ["z", "x"]).tolist() == [[0, 0], [4, 5]]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (("a", "x", "gender", [1]), "measure 'gender', which the study does not name"),
        (("a", "x", "race", [1, 2, 3]), "measure 'race' has a vector of 3 entries, not 2"),
        (("a", "x", "race", [0.1, 1]), "measure 'race' of cell 'a' holds .*0.1.*on_grid"),
        (("a", "x", "race", [float("nan"), 1]), "holds .*nan"),
        (("a", "x", "race", [2.0**21 + 0.5, 1]), "below 2\\^21"),
    ],
)
def test_sums_that_would_not_add_exactly_are_refused(row: tuple[str, str, str, list[float]], said: str) -> None:
    with pytest.raises(DataError, match=said):
        add_up([rows(row)], MEASURES)


def test_large_whole_counts_are_exact_and_allowed() -> None:
    table = add_up([rows(("a", "x", "stories", [2.0**40])), rows(("a", "x", "stories", [1]))], MEASURES)
    assert table["values"].to_pylist() == [[2.0**40 + 1]]
