"""The noise floor: the degree of bias among groups that do not exist."""

from collections.abc import Sequence

from raylib.report import numbers
from raylib.report.sections import Block, DataTable, Paragraph, Warning
from raylib.report.table import Row
from raylib.studies.ltf.degrees import CORRECTED
from raylib.studies.ltf.figures.reading import RunNumbers
from raylib.studies.ltf.figures.titles import (
    BOOTSTRAP,
    CORRECTED_TITLE,
    LESS_NOISE,
    axis_title,
    boot_text,
    degree_title,
    value_text,
)

_MEANS = (
    "Nobody favours groups that do not exist. Their degree of bias (DoB) is what chance alone makes of essays like these: "
    "the noise floor. Read no other axis's plug-in DoB as bias unless it stands clearly above it. The floor is a yardstick, "
    "not a threshold: noise also depends on how many groups and essays an axis has, so “DoB corrected” takes off each "
    "axis's own noise, and is 0 on average where no group is favoured."
)
_NONE = (
    "{which} no control axis, so nothing shows how large a degree of bias chance alone makes of such essays. Read the "
    "corrected values with their intervals, and add the axis nonce to study.options.axes to have the noise floor."
)


def noise_floor(runs: Sequence[RunNumbers]) -> list[Block]:
    """Return the control axes' DoB with intervals and what they mean; a warning for runs without a control axis."""
    several = len(runs) > 1
    without = [run.name for run in runs if not run.controls]
    blocks: list[Block] = [Warning(_NONE.format(which=_which(without, several)))] if without else []
    if len(without) == len(runs):
        return blocks
    rows, found = [], []
    for run in runs:
        for axis in run.controls:
            plug_in, corrected = run.row(run.degree, axis.name), run.row(CORRECTED, axis.name)
            name = f"{run.name}, {axis_title(axis).lower()}" if several else axis_title(axis)
            rows.append(
                (
                    name, value_text(plug_in), boot_text(plug_in), value_text(corrected), boot_text(corrected),
                    numbers.integer(plug_in["n"]), numbers.integer(plug_in["clusters"]),
                )
            )  # fmt: skip
            found.append((name, corrected))
    headings = (
        "Axis", degree_title(runs[0].degree), BOOTSTRAP, CORRECTED_TITLE, LESS_NOISE, "Essays", "Templates",
    )  # fmt: skip
    table = DataTable("Noise floor", headings, rows, "", frozenset(headings[1:]))
    return [Paragraph(_MEANS), *blocks, table, *_verdicts(found)]


def _which(names: Sequence[str], several: bool) -> str:
    if not several:
        return "This run has"
    return f"These runs have ({', '.join(names)})" if len(names) > 1 else f"The run {names[0]} has"


def _verdicts(found: Sequence[tuple[str, Row]]) -> list[Block]:
    """Say which controls' corrected values are what they should be, no more than noise, and which are not."""
    unknown = [name for name, row in found if row["boot_low"] is None]
    known = [(name, row) for name, row in found if row["boot_low"] is not None]
    beyond = [f"{name} ({value_text(row)}, interval {boot_text(row)})" for name, row in known if row["boot_low"] > 0]
    fine = [name for name, row in known if row["boot_low"] <= 0]
    blocks: list[Block] = []
    if fine:
        blocks.append(Paragraph(f"No more than noise, as it should be: {'; '.join(fine)}."))
    if beyond:
        blocks.append(
            Warning(
                f"Even made-up groups differ beyond noise: {'; '.join(beyond)}. Something else than the groups moves the "
                "scores, such as the sound of a word; the other axes may hold as much of it."
            )
        )
    if unknown:
        blocks.append(Warning(f"No interval, so the floor itself is uncertain: {'; '.join(unknown)}."))
    return blocks
