"""The comparison on a terminal: at most 80 columns."""

import textwrap
from collections.abc import Iterator, Sequence

import numpy as np

from raylib.pipeline.compare.result import FOUND, Compared, Row
from raylib.report import numbers
from raylib.report.visible import make_visible

WIDTH = 80
_WIDTHS = (14, 9, 9, 22, 6, 13)
_HEADINGS = ("", "A", "B - A", "95% interval", "p", "n")
_MOST_FLIPS = 5


def summary_lines(found: Compared) -> Iterator[str]:
    """Yield the lines: what differs, the headlines with intervals, what was found among all, what flipped."""
    yield from _wrapped(f"{found.a.study.name}: A = {found.a.name}, B = {found.b.name}")
    for setting in found.settings:
        yield from _wrapped(f"differs: {setting.in_words()}")
    if not found.settings:
        yield "differs: nothing that changes a text or a label"
    for caution in found.cautions:
        yield from _wrapped(f"warning: {caution}")
    yield ""
    yield _columns(_HEADINGS)
    for panel, rows in found.headlines.items():
        yield from _wrapped(panel)
        yield from (_line(label, row) for label, row in rows)
    yield ""
    yield from _wrapped(in_all(found))
    if found.flips is not None:
        yield from _wrapped(flips_in_words(found))
        yield from _largest_flips(found)


def in_all(found: Compared) -> str:
    """Return how many differences there are, were tested, and were found."""
    return (
        f"{_many(len(found.rows), 'difference')}, {numbers.integer(found.tested)} with a p-value, "
        f"{numbers.integer(len(found.found))} with q < {FOUND:g}"
    )


def flips_in_words(found: Compared) -> str:
    """Return how many prompts flipped, of how many, and which way; "" where the study has no scores."""
    if found.flips is None:
        return ""
    change = found.flips.rows["change"].to_numpy()
    text = (
        f"{numbers.integer(len(change))} of {_many(len(found.flips.compared), 'prompt')} flipped: "
        f"{numbers.integer(int(np.sum(change > 0)))} to a higher score, {numbers.integer(int(np.sum(change < 0)))} to a "
        "lower one"
    )
    lost = found.flips.uncompared
    return text + (f"; {_many(lost, 'prompt')} without a score in both runs" if lost else "")


def _line(label: str, row: Row) -> str:
    name = f"  {label}"
    name = name if len(name) <= _WIDTHS[0] else f"{name[: _WIDTHS[0] - 1]}…"
    if row["difference"] is None:
        return _columns((name, numbers.number(row["estimate_a"]), numbers.UNKNOWN, f"({row['status']})", "", ""))
    counts = row["n_a"], row["n_b"]
    exact = "/".join(numbers.integer(count) for count in dict.fromkeys(counts))
    return _columns(
        (
            name, numbers.number(row["estimate_a"]), numbers.number(row["difference"]),
            numbers.interval(row["low"], row["high"]), numbers.p_value(row["p_value"]) if row["p_value"] is not None else "",
            exact if len(exact) <= _WIDTHS[-1] else f"≥{numbers.integer(min(counts))}",
        )
    )  # fmt: skip


def _columns(texts: Sequence[str]) -> str:
    numbers_right = (text.rjust(width) for text, width in zip(texts[1:], _WIDTHS[1:], strict=True))
    return " ".join([texts[0].ljust(_WIDTHS[0]), *numbers_right]).rstrip()


def _largest_flips(found: Compared) -> Iterator[str]:
    study = found.a.comparable
    for row in found.flip_table.slice(0, _MOST_FLIPS).to_pylist():
        named = " ".join(str(row[name]) for name in study.prompt_columns[:-1])
        text = f"{row[study.prompt_key]} {named}: {row['score_a']:g} -> {row['score_b']:g}"
        yield "  " + make_visible(textwrap.shorten(text, WIDTH - 2, placeholder="…"))


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(make_visible(text), WIDTH, subsequent_indent="  ")


def _many(number: int, what: str) -> str:
    return f"{numbers.integer(number)} {what}{'' if number == 1 else 's'}"
