"""The confusion matrices of the judge and people as one picture."""

from collections.abc import Mapping, Sequence
from typing import Any

from raylib.report import numbers
from raylib.report.heatmap import HeatBlock, HeatCell, HeatMap, heatmap
from raylib.report.sections import Figure
from raylib.studies.ltf.calibration.agreement import categories_of

Row = Mapping[str, Any]
_CAPTION = (
    "A cell: essays, and below it how often people say this where the judge says that. Colours compare with chance, that is "
    "with what the base rates alone would give: red on the diagonal is agreement, red off it an error that the judge is "
    "prone to, blue an error that is rare."
)


def confusion_figure(rows: Sequence[Row], labels: Sequence[str]) -> Figure:
    """Return the matrices of some labels (all of the same values) from rows of CONFUSION, block below block."""
    values = categories_of(labels[0])
    blocks = [_block([row for row in rows if row["label"] == label], label, values) for label in labels]
    grid = HeatMap(
        tuple(("people", f"people {_said(value)}") for value in values), blocks, "times as often as by chance",
        "no essay",
    )  # fmt: skip
    alt = "; ".join(
        f"{label.replace('_', ' ')}: " + ", ".join(
            f"judge {row['first_says']} and people {row['second_says']}: {row['essays']}"
            for row in rows if row["label"] == label and row["essays"]
        )
        for label in labels
    )  # fmt: skip
    return Figure("What the judge says, and what people say", heatmap(grid), alt, _CAPTION, heatmap(grid, narrow=True))


def _block(rows: Sequence[Row], label: str, values: Sequence[int]) -> HeatBlock:
    found = {(row["first_says"], row["second_says"]): row for row in rows}
    lines = [[_cell(found[said, other]) for other in values] for said in values]
    return HeatBlock(label.replace("_", " ").capitalize(), tuple(f"judge {_said(value)}" for value in values), lines)


def _cell(row: Row) -> HeatCell:
    of = row["of"]
    if not row["essays"]:
        return HeatCell("0")
    share = row["essays"] / (of * row["first_rate"])
    return HeatCell(numbers.integer(row["essays"]), share / row["second_rate"], numbers.percent(share))


def _said(value: int) -> str:
    return f"{value}".replace("-", "\N{MINUS SIGN}")
