"""Sums of two runs on the same clusters: what one lacks is left out of both, by name, and told."""

import pyarrow as pa

from raylib.schemas import SUMS
from raylib.studies.matching import matched_sums


def sums(*places: str) -> pa.Table:
    """One row a place, `cell:cluster`."""
    rows = [
        {"cell": place.split(":")[0], "cluster": place.split(":")[1], "measure": "m", "values": [float(number)]}
        for number, place in enumerate(places)
    ]
    return pa.Table.from_pylist(rows, schema=SUMS)


def test_runs_that_fit_keep_every_byte() -> None:
    a, b = sums("x:1", "x:2"), sums("x:1", "x:2").slice(0)
    assert matched_sums(a, b) == (a, b, ())


def test_a_cluster_that_one_run_lacks_is_left_out_of_both() -> None:
    a, b = sums("x:1", "x:2", "y:1", "y:2"), sums("x:1", "y:1", "y:3")
    found = matched_sums(a, b)
    for table in (found.a, found.b):
        assert list(zip(table["cell"].to_pylist(), table["cluster"].to_pylist(), strict=True)) == [
            ("x", "1"),
            ("y", "1"),
        ]
    assert found.notes == (
        "clusters with data in A alone, left out: 2",
        "clusters with data in B alone, left out: 3",
        "A: 2 cells lost clusters that the other run has no data of: x, y",
        "B: 1 cells lost clusters that the other run has no data of: y",
    )


def test_cells_are_matched_each_for_itself() -> None:
    # Cluster 1 has data in both runs, but in cell y in B alone.
    found = matched_sums(sums("x:1", "y:2"), sums("x:1", "y:1", "y:2"))
    assert found.b["cell"].to_pylist() == ["x", "y"]
    assert found.notes == ("B: 1 cells lost clusters that the other run has no data of: y",)


def test_a_cell_and_a_cluster_are_never_taken_for_another_pair() -> None:
    found = matched_sums(sums("a:bc"), sums("ab:c"))
    assert (found.a.num_rows, found.b.num_rows) == (0, 0)
