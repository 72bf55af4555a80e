"""Forest plots of one model's ratios: each with the paper's interval and the bootstrap's."""

from collections.abc import Sequence

from raylib.report import numbers
from raylib.report.forest import ForestLabels, ForestPanel, ForestRow, forest
from raylib.report.sections import Figure
from raylib.report.table import Row
from raylib.studies.narratives.figures.titles import short_title

BOOTSTRAP = "95% bootstrap by prompt"


def forest_figure(title: str, rows: Sequence[Row], ratio: str, interval: str, caption: str) -> Figure:
    """Return the ratios of some cells as a forest plot, one panel a cell.

    Args:
        title: of the figure.
        rows: estimates.
        ratio: what the ratio is called.
        interval: whose interval the paper's is: Wilson, Katz.
        caption: begins the figure's caption.
    """
    labels = ForestLabels(f"{ratio} (log scale)", f"95% {interval} interval, as in the paper", BOOTSTRAP)
    cells = list(dict.fromkeys(row["cell"] for row in rows))
    panels = [
        ForestPanel(short_title(cell), [_forest_row(row) for row in rows if row["cell"] == cell]) for cell in cells
    ]
    caption += "F, M, NB: characters called by feminine, masculine or non-binary words. "
    caption += "An open triangle is a value beyond the scale (zero, on the left); an arrow, an interval that goes on."
    said = [f"{panel.title}: " + ", ".join(f"{row.group} {_value(row)}" for row in panel.rows) for panel in panels]
    alt = f"Dot plot on a log scale with a line at 1. {'. '.join(said)}. Intervals are in the tables below."
    return Figure(title, forest(panels, labels), alt, caption, forest(panels, labels, narrow=True))


def _forest_row(row: Row) -> ForestRow:
    names = ("axis", "group", "status", "estimate", "ci_low", "ci_high", "boot_low", "boot_high")
    return ForestRow(*(row[name] for name in names))


def _value(row: ForestRow) -> str:
    return numbers.number(row.estimate) if row.status == "ok" else row.status
