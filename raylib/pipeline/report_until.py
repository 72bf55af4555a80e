"""The report's section on `sampling.until`: what was watched, when it stopped, and the intervals that hold there."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from raylib.report.sections import DataTable, Paragraph, Section, Warning
from raylib.store.manifests import Manifest

_COLUMNS = ("Share", "Samples a prompt", "Observations", "Share found", "Interval", "Half width")
_WHAT = (
    "Samples were drawn in chunks, up to {looks} of a prompt, and after each chunk a cell was looked at: it was done once "
    "each of its shares was known to within {half_width:g}. Each look has an interval of level {look:.2%}, so that all "
    "{number} hold together with {confidence:.0%}, and the one below holds whatever made the drawing stop. It is about "
    "these prompts: what more samples of them would give. What other prompts would give is the wider bootstrap interval "
    "of the estimates, which, like Wilson's and Katz's, takes the number of samples as given. The interval here holds for "
    "each share by itself, not for all rows of the table at once."
)


def samples_drawn(generation: Manifest) -> str | None:
    """Return the samples of a prompt in words ("50 to 400"); None if all prompts were to have equally many."""
    record = generation.provenance.get("until")
    if not record:
        return None
    counts = sorted(record["samples"].values())
    return (
        f"{counts[0]} to {counts[-1]} (sampling.until)" if counts[0] < counts[-1] else f"{counts[0]} (sampling.until)"
    )


def drawing_sections(generation: Manifest) -> list[Section]:
    """Return the section, or none for a run that drew equally many samples of each prompt."""
    record = generation.provenance.get("until")
    if not record:
        return []
    shares = record["shares"]
    looks = record["looks"]
    text = _WHAT.format(
        looks=", ".join(map(str, looks)), number=len(looks), half_width=record["half_width"],
        look=record["confidence_of_a_look"], confidence=record["confidence"],
    )  # fmt: skip
    rows_of_cell = Counter(one["cell"] for one in shares)  # the shares of a cell stand together
    table = DataTable(
        title="Shares that were watched",
        columns=_COLUMNS,
        rows=[_row(one) for one in shares],
        numeric=frozenset(_COLUMNS[1:]),
        groups=tuple((cell.replace("/", ", "), rows) for cell, rows in rows_of_cell.items()),
    )
    wide = sum(not one["narrow"] for one in shares)
    warning = (
        [Warning(f"{wide} of {len(shares)} shares are wider than wanted: the most samples were drawn.")] if wide else []
    )
    drawn, most = sum(record["samples"].values()), len(record["samples"]) * looks[-1]
    saved = Paragraph(f"{drawn:,} samples were planned, of {most:,} at most: {1 - drawn / most:.0%} were saved.")
    return [Section("How many samples were drawn", [Paragraph(text), saved, *warning, table])]


def _row(one: Mapping[str, Any]) -> tuple[str, ...]:
    estimate, half = one["estimate"], one["half_width"]
    return (
        one["share"],
        f"{one['samples']:,}",
        f"{one['observations']:,.0f}",
        "no data" if estimate is None else f"{estimate:.3f}",
        "unknown" if half is None else f"{one['low']:.3f} to {one['high']:.3f}",
        "unknown" if half is None else f"{half:.3f}" + ("" if one["narrow"] else " (wide)"),
    )
