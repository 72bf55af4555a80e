"""Heat maps as figures of the report: cells from estimates, and the words that go with them."""

from collections import Counter
from collections.abc import Sequence

from raylib.report import numbers
from raylib.report.heatmap import HeatBlock, HeatCell, HeatMap, heatmap
from raylib.report.sections import Figure
from raylib.report.table import Row
from raylib.studies.narratives.figures.reading import GREY_FROM, median_of, status_of

_SPOKEN = 60
"""More cells than this are too many to be read aloud: the alternative text says the extremes."""


def heat_figure(title: str, grid: HeatMap, caption: str) -> Figure:
    """Return a heat map with its alternative text, for a desktop and for a phone."""
    return Figure(title, heatmap(grid), f"Heat map. {spoken(grid)}", caption, heatmap(grid, narrow=True))


def share_cell(row: Row) -> HeatCell:
    """Return a share with its ratio to the baseline; the colour is the ratio, grey for p >= .001 or unknown."""
    if row["status"] != "ok":
        return HeatCell(row["status"], modelled=False)
    small = f"× {numbers.number(row['estimate'])}"
    return HeatCell(numbers.percent(row["share"]), row["estimate"] if told_apart(row) else None, small)


def ratio_cell(rows: Sequence[Row]) -> HeatCell:
    """Return the median of several models' ratios (one model: its own), grey where none of them has p < .001."""
    median = median_of(rows)
    if median is None:
        return HeatCell(status_of(rows), modelled=False)
    return HeatCell(numbers.number(median), median if any(told_apart(row) for row in rows) else None)


def told_apart(row: Row) -> bool:
    """Say whether a ratio has p < .001 against one."""
    return row["status"] == "ok" and row["p_value"] is not None and row["p_value"] < GREY_FROM


def grey_means(models: int) -> str:
    """Return what grey means in a heat map of medians."""
    return "p ≥ .001 or unknown" if models == 1 else "no model has p < .001"


def spoken(grid: HeatMap) -> str:
    """Return the cells' texts, row by row; of a large map only the extremes, and what has no number."""
    lines = [
        (", ".join(filter(None, (block.title, row))), line)
        for block in grid.blocks
        for row, line in zip(block.rows, block.cells, strict=True)
    ]
    if sum(len(line) for _, line in lines) <= _SPOKEN:
        said = [
            f"{name}: " + ", ".join(f"{group} {cell.text}" for (_, group), cell in zip(grid.columns, line, strict=True))
            for name, line in lines
        ]
        return f"{'. '.join(said)}."
    return _extremes([(f"{group} in {name}", cell) for name, line in lines for (_, group), cell in _paired(grid, line)])


def _paired(grid: HeatMap, line: Sequence[HeatCell]) -> list[tuple[tuple[str, str], HeatCell]]:
    return list(zip(grid.columns, line, strict=True))


def _extremes(cells: Sequence[tuple[str, HeatCell]]) -> str:
    coloured = sorted(((cell.ratio, name) for name, cell in cells if cell.ratio is not None), key=lambda pair: pair[0])
    parts = [f"{len(cells)} cells"]
    if coloured:
        low, high = (f"{name} at {numbers.number(ratio)}" for ratio, name in (coloured[0], coloured[-1]))
        parts.append(f"the lowest ratio told apart from 1 is {low}, the highest {high}")
    parts.append(f"{sum(cell.modelled and cell.ratio is None for _, cell in cells)} grey")
    statuses = Counter(cell.text for _, cell in cells if not cell.modelled)
    parts += [f"{number} {status}" for status, number in statuses.items()]
    return f"{'; '.join(parts)}."


def block(title: str, rows: Sequence[str], cells: Sequence[Sequence[HeatCell]]) -> HeatBlock:
    """Return a block of rows."""
    return HeatBlock(title, tuple(rows), cells)
