"""What the numbers are not: warnings beside the figures, and the points that hold for all of them."""

from collections.abc import Sequence

from raylib.report import numbers
from raylib.report.sections import Block, Points, Warning
from raylib.report.table import Row
from raylib.studies.base import StudyOptions
from raylib.studies.narratives.figures.reading import GREY_FROM

_FEW_PROMPTS = 10


def limits(rows: Sequence[Row]) -> list[Block]:
    """Return warnings about missing intervals and about too few prompts."""
    given = [row for row in rows if row["status"] == "ok"]
    lines = []
    for name, low, high in (
        ("interval of the paper", "ci_low", "ci_high"),
        ("bootstrap interval", "boot_low", "boot_high"),
    ):
        if missing := sum(row[low] is None or row[low] == row[high] for row in given):
            have = "has" if missing == 1 else "have"
            lines.append(
                f"{missing} of {len(given)} ratios {have} no {name}; it reads “{numbers.NO_INTERVAL}” in the tables."
            )
    fewest = min((row["clusters"] for row in given), default=_FEW_PROMPTS)
    if fewest < _FEW_PROMPTS:
        lines.append(
            f"Some ratios rest on {fewest} prompt{'s' if fewest != 1 else ''} only: a bootstrap over so few prompts is "
            "too narrow. Read these as anecdotes."
        )
    return [Warning(" ".join(lines))] if lines else []


def caveats(options: StudyOptions, rows: Sequence[Row]) -> list[Block]:
    """Return what the reader must know of the numbers; `rows` are all estimates."""
    compared = sum(row["p_value"] is not None for row in rows)
    small = sum(row["p_value"] is not None and row["p_value"] < GREY_FROM for row in rows)
    items = (
        ("Names are a proxy.", "Nobody in a story has a race. The numbers say how people of the same first name describe "
         "themselves in one country's records; readers elsewhere, or of another generation, may read a name otherwise."),
        ("Fractions, not people.", "A count such as 12.4 is a sum of likelihoods. It never labels one character, and a "
         "race without a column in the source is “not modelled”: unknown, not absent."),
        ("Three lists of words.", "Gender is read from pronouns, titles and kinship words sorted into feminine, masculine "
         "and non-binary lists. It is how the story speaks of a character; singular “they” can also mean several people."),
        ("Two kinds of interval.", "The paper's interval takes every story as independent. Stories of one prompt are not: "
         f"the bootstrap ({options.replicates:,} replicates) resamples prompts, and is often much wider. Where the two "
         "disagree, trust the wider one. With few prompts even that one is too narrow."),
        ("Many comparisons.", f"This report makes {compared:,} comparisons; {small:,} have p\u00a0<\u00a0.001. By chance "
         f"alone about {numbers.count(compared / 1000)} would. q is the p-value adjusted for all of them "
         "(Benjamini and Hochberg 1995): of the ratios with q ≤ .05, at most one in twenty is expected to be a false alarm."),
        ("Extraction errs.", "Names and references are found by a program. Its precision and recall, measured on "
         "hand-labelled stories, are part of the uncertainty and are in no interval here."),
    )  # fmt: skip
    return [Points(items)]
