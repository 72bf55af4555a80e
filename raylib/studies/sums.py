"""Sufficient statistics as tables: vectors of measures by (cell, cluster) that add up exactly, in any order.

A study names its measures and what each entry of their vectors stands for; a map step sums rows with `grouped`, a
combine step adds tables with `add_up`, and an estimator reads them back with `read_cells`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from raylib.errors import DataError
from raylib.schemas import SUMS, TALLIES
from raylib.stats.arrays import Floats
from raylib.stats.exact import LIKELIHOOD_STEP

Measures = Mapping[str, tuple[str, ...]]
"""For example {"gender": ("F", "M", "NB")}: a measure's name, and the meaning of its vector's entries."""

_LARGEST = 2.0**53


@dataclass(frozen=True)
class Cell:
    """The sums of one cell, by cluster."""

    clusters: tuple[str, ...]
    measures: Measures
    vectors: Mapping[str, Floats] = field(default_factory=dict)
    """Measure -> shape (clusters, entries)."""

    def vector(self, measure: str, clusters: Sequence[str] | None = None) -> Floats:
        """Return a measure by cluster, shape (clusters, entries); zeros where nothing was summed.

        `clusters` asks for these clusters in this order, so that several cells can stand side by side.
        """
        wanted = self.clusters if clusters is None else clusters
        values = self.vectors.get(measure)
        result = np.zeros((len(wanted), len(self.measures[measure])))
        if values is not None:
            place = {cluster: row for row, cluster in enumerate(self.clusters)}
            for row, cluster in enumerate(wanted):
                if cluster in place:
                    result[row] = values[place[cluster]]
        return result


def grouped(cells: npt.ArrayLike, clusters: npt.ArrayLike, measure: str, values: Floats) -> pa.Table:
    """Return the sums of rows as a table (schema SUMS), sorted by cell and cluster.

    Args:
        cells: each row's cell; shape (rows,).
        clusters: each row's cluster; shape (rows,).
        measure: name of what is summed.
        values: shape (rows, entries); fractions on a binary grid (`raylib.stats.exact.on_grid`).
    """
    cell_codes, cell_names = pd.factorize(np.asarray(cells, dtype=object), sort=True)
    cluster_codes, cluster_names = pd.factorize(np.asarray(clusters, dtype=object), sort=True)
    keys = cell_codes.astype(np.int64) * max(1, len(cluster_names)) + cluster_codes
    found, place = np.unique(keys, return_inverse=True)
    totals = np.zeros((len(found), values.shape[1]))
    order = np.argsort(place, kind="stable")
    if len(found):
        starts = np.searchsorted(place[order], np.arange(len(found)))
        totals = np.add.reduceat(values[order], starts, axis=0)
    lists = pa.ListArray.from_arrays(
        np.arange(len(found) + 1, dtype=np.int32) * values.shape[1], pa.array(totals.ravel())
    )
    columns = [
        pa.array(np.asarray(cell_names, dtype=object)[found // max(1, len(cluster_names))], type=pa.string()),
        pa.array(np.asarray(cluster_names, dtype=object)[found % max(1, len(cluster_names))], type=pa.string()),
        pa.array([measure] * len(found), type=pa.string()),
        lists,
    ]
    return pa.Table.from_arrays(columns, schema=SUMS)


def add_up(tables: Sequence[pa.Table], measures: Measures) -> pa.Table:
    """Add tables of sums into one, sorted by cell, cluster and measure: the same bytes in any order and grouping.

    Raises:
        DataError: an unknown measure, a vector of another length, or values that would not add exactly.
    """
    whole = pa.concat_tables([SUMS.empty_table(), *tables]).combine_chunks()
    names = whole["measure"].to_numpy(zero_copy_only=False)
    unknown = sorted(set(names) - set(measures))
    if unknown:
        raise DataError(f"sums hold the measure {unknown[0]!r}, which the study does not name")
    added = []
    for measure in measures:
        part = whole.filter(pa.array(names == measure, type=pa.bool_()))
        if part.num_rows:
            values = _matrix(part, measure, len(measures[measure]))
            cells, clusters = (part[name].to_numpy(zero_copy_only=False) for name in ("cell", "cluster"))
            added.append(grouped(cells, clusters, measure, values))
    result = pa.concat_tables([SUMS.empty_table(), *added])
    keys = ["cell", "cluster", "measure"]
    return result.sort_by([(key, "ascending") for key in keys]).combine_chunks()


def add_tallies(tables: Sequence[pa.Table]) -> pa.Table:
    """Add tables of tallies (schema TALLIES) into one, sorted by cell, item and group."""
    keys = ["cell", "item", "group"]
    whole = pa.concat_tables([TALLIES.empty_table(), *tables])
    added = whole.group_by(keys, use_threads=False).aggregate([("count", "sum")])
    ordered = added.rename_columns([*keys, "count"]).sort_by([(key, "ascending") for key in keys])
    return ordered.cast(TALLIES).combine_chunks()


def read_cells(sums: pa.Table, measures: Measures) -> dict[str, Cell]:
    """Return the cells of a table of sums that `add_up` made, in sorted order, clusters sorted in each.

    Measures that are not among `measures` are left out.
    """
    sums = sums.filter(pc.is_in(sums["measure"], pa.array(list(measures), type=pa.string()))).combine_chunks()
    cell_of, cells = _codes(sums["cell"])
    cluster_of, clusters = _codes(sums["cluster"])
    measure_of, names = _codes(sums["measure"])
    matrices = {}
    place = np.zeros(len(cell_of), dtype=np.int64)  # of a row in its measure's matrix
    for code, name in enumerate(names):
        rows = np.flatnonzero(measure_of == code)
        matrices[code] = _matrix(sums.take(pa.array(rows)), name, len(measures[name]))
        place[rows] = np.arange(len(rows))
    order = np.argsort(cell_of, kind="stable")
    ends = np.searchsorted(cell_of[order], np.arange(len(cells) + 1))
    result = {}
    for cell, (start, end) in zip(cells, pairwise(ends), strict=True):
        rows = order[start:end]
        own = np.unique(cluster_of[rows])
        vectors = {}
        for measure in np.unique(measure_of[rows]):
            of_measure = rows[measure_of[rows] == measure]
            values = matrices[measure][place[of_measure]]
            full = np.zeros((len(own), values.shape[1]))
            np.add.at(full, np.searchsorted(own, cluster_of[of_measure]), values)
            vectors[names[measure]] = full
        result[cell] = Cell(tuple(clusters[one] for one in own), measures, vectors)
    return result


def _codes(column: pa.ChunkedArray) -> tuple[npt.NDArray[np.int64], list[str]]:
    """Return each row's place among the sorted distinct texts, and these."""
    codes, names = pd.factorize(column.to_numpy(zero_copy_only=False), sort=True)
    return codes.astype(np.int64), [str(name) for name in names]


def _matrix(table: pa.Table, measure: str, entries: int) -> Floats:
    """Return the vectors of one measure, shape (rows, entries), checked: right length, finite, on a grid."""
    column = table["values"].combine_chunks()
    lengths = column.value_lengths().to_numpy(zero_copy_only=False)
    if (lengths != entries).any():
        raise DataError(
            f"measure {measure!r} has a vector of {int(lengths[lengths != entries][0])} entries, not {entries}"
        )
    values = np.asarray(column.flatten().to_numpy(zero_copy_only=False), dtype=np.float64).reshape(-1, entries)
    scaled = values / LIKELIHOOD_STEP
    fine = (scaled == np.rint(scaled)) & (np.abs(scaled) <= _LARGEST)
    whole = (values == np.rint(values)) & (np.abs(values) <= _LARGEST)
    exact = fine.all(axis=0) | whole.all(axis=0)
    if not exact.all():
        row, entry = np.argwhere(~(fine & exact | whole & exact))[0]
        raise DataError(
            f"measure {measure!r} of cell {table['cell'][int(row)].as_py()!r} holds {values[row, entry]!r}: sums must be "
            "whole numbers, or below 2^21 and rounded by raylib.stats.exact.on_grid, or they depend on the order of adding"
        )
    return values
