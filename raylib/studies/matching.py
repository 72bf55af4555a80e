"""Two runs of one study on the same clusters: what one of them lacks is left out of both, and told."""

from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

_SHOWN = 5


class Matched(NamedTuple):
    """The sums of two runs, with the same clusters in each cell."""

    a: pa.Table
    b: pa.Table
    notes: tuple[str, ...]
    """What was left out, a line each; nothing where the runs fit."""


def matched_sums(a: pa.Table, b: pa.Table) -> Matched:
    """Return both tables (schema SUMS) without the clusters that have data in one run only, cell by cell.

    A cluster is matched by its name. Whatever a run lacks (quarantined units, samples that ended in an error), the other
    run's numbers are then of the same clusters, and both draw the same ones in each replicate.
    """
    first, second = _places(a), _places(b)
    common = pa.array(sorted(set(first.to_pylist()) & set(second.to_pylist())), pa.string())
    kept = a.filter(pc.is_in(first, common)), b.filter(pc.is_in(second, common))
    notes = [*_clusters_left_out(a, b), *_cells_left_out(a, kept[0], "A"), *_cells_left_out(b, kept[1], "B")]
    return Matched(*kept, tuple(notes))


def _places(sums: pa.Table) -> pa.Array:
    """Return each row's cell and cluster as one text."""
    joined = pc.binary_join_element_wise(sums["cell"], sums["cluster"], "\0")
    return joined.combine_chunks()


def _clusters_left_out(a: pa.Table, b: pa.Table) -> list[str]:
    notes = []
    clusters = {"A": set(a["cluster"].to_pylist()), "B": set(b["cluster"].to_pylist())}
    for name, other in (("A", "B"), ("B", "A")):
        alone = sorted(clusters[name] - clusters[other])
        if alone:
            notes.append(f"clusters with data in {name} alone, left out: {_listed(alone)}")
    return notes


def _cells_left_out(whole: pa.Table, kept: pa.Table, name: str) -> list[str]:
    """Say in how many cells a run lost clusters that the other one has no data of."""
    before, after = (
        set(zip(*(one[key].to_pylist() for key in ("cell", "cluster")), strict=True)) for one in (whole, kept)
    )
    cells = sorted({cell for cell, _ in before - after})
    if not cells:
        return []
    return [f"{name}: {len(cells)} cells lost clusters that the other run has no data of: {_listed(cells)}"]


def _listed(names: list[str]) -> str:
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more:,} more" if more > 0 else "")
