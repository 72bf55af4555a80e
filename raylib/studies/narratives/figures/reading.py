"""The report's input of a model, read once for all figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
import pyarrow as pa

from raylib.report import numbers
from raylib.report.table import Row
from raylib.stats.arrays import Floats
from raylib.studies.base import ReportInput
from raylib.studies.narratives.measures import MEASURES, POOLED
from raylib.studies.sums import Cell, read_cells

GREY_FROM = 0.001
"""A ratio with this p-value or a larger one is grey in a heat map, as in the paper."""


@dataclass(frozen=True)
class ModelNumbers:
    """One model's estimates, sums and tallies."""

    name: str
    rows: Mapping[tuple[str, str, str, str], Row]
    """Estimates by statistic, cell, axis and group, in the table's order."""
    cells: Mapping[str, Cell]
    tallies: pa.Table

    def row(self, statistic: str, cell: str, axis: str, group: str) -> Row:
        """Return an estimate; where the table has none, one without data."""
        return self.rows.get((statistic, cell, axis, group), {"status": numbers.NO_DATA, "group": group})


def read(data: ReportInput) -> ModelNumbers:
    """Return a model's numbers from what the report stage hands to the study."""
    names = ("statistic", "cell", "axis", "group")
    rows = {tuple(row[name] for name in names): row for row in data.estimates.to_pylist()}
    return ModelNumbers(data.model, rows, read_cells(data.sums, MEASURES), data.tallies)


def rows_of(models: Sequence[ModelNumbers], statistic: str, axes: Sequence[str], ending: str = "") -> list[Row]:
    """Return the estimates of a statistic along some axes, in cells with this ending, model after model."""
    return [
        row
        for model in models
        for (name, cell, axis, _), row in model.rows.items()
        if name == statistic and axis in axes and cell.endswith(ending)
    ]


def cells_of(rows: Sequence[Row]) -> list[str]:
    """Return the cells of some estimates in order of appearance, the pooled ones last."""
    return sorted(dict.fromkeys(row["cell"] for row in rows), key=lambda cell: cell.startswith(f"{POOLED}/"))


def any_number(rows: Sequence[Row]) -> bool:
    """Say whether one of the estimates is a number."""
    return any(row["status"] == "ok" for row in rows)


def median_of(rows: Sequence[Row]) -> float | None:
    """Return the median of those estimates that are numbers, None without any."""
    found = [row["estimate"] for row in rows if row["status"] == "ok"]
    return float(np.median(found)) if found else None


def status_of(rows: Sequence[Row]) -> str:
    """Return what to write where none of the estimates is a number: not modelled only if no model models it."""
    found = {row["status"] for row in rows}
    return found.pop() if len(found) == 1 else numbers.NO_DATA


def pooled_vector(models: Sequence[ModelNumbers], cell: str, measure: str, clusters: Sequence[str]) -> Floats:
    """Return a measure of a cell by cluster, all models added up; shape (clusters, entries), zeros without a story."""
    found = [model.cells[cell].vector(measure, clusters) for model in models if cell in model.cells]
    return reduce(np.add, found, np.zeros((len(clusters), len(MEASURES[measure]))))


def pooled_clusters(models: Sequence[ModelNumbers], *cells: str) -> list[str]:
    """Return the clusters of some cells in any of the models, sorted."""
    return sorted(
        {name for model in models for cell in cells if cell in model.cells for name in model.cells[cell].clusters}
    )
