"""The study's sections of one run's report, in the order in which they should be read."""

from collections.abc import Mapping
from typing import Any

from raylib.engines.choices import from_record
from raylib.report import numbers
from raylib.report.sections import Block, DataTable, Excerpt, Excerpts, Paragraph, Points, Section
from raylib.studies.base import ReportInput, StudyOptions
from raylib.studies.bbq.figures.reading import STYLE_TITLES, read
from raylib.studies.bbq.figures.tables import accuracy_blocks, bias_blocks, unread_blocks
from raylib.studies.bbq.metrics import CHOSEN, RIGHT
from raylib.studies.bbq.options import BbqOptions, parse_options
from raylib.studies.bbq.prompts import prompt_table
from raylib.studies.bbq.wording import LETTERS

_ITEMS, _LENGTH = 12, 400
CONTENT_WARNING = (
    "Content warning: the benchmark's items put stereotypes about groups of people into questions, to see whether a model "
    "follows them. Open to read them."
)


def sections(options: StudyOptions, data: ReportInput) -> list[Section]:
    """Return the report of one run: accuracy, bias, what they rest on."""
    run, chosen = read(data), parse_options(options)
    return [
        Section("How often right: accuracy", accuracy_blocks(run)),
        Section("Which way the answers lean: bias score", bias_blocks(run)),
        Section("Items, and replies that were not read", [*unread_blocks(run), *_places(data)]),
        Section("What these numbers are not", [Points(_caveats(chosen, options))]),
        Section("Sample items", _excerpts(chosen, data)),
    ]


def _places(data: ReportInput) -> list[Block]:
    """Return where the chosen answers stood: a model that always takes the first answer shows it here."""
    counts = {(row["cell"], row["item"], row["group"]): row["count"] for row in data.tallies.to_pylist()}
    columns = ("Style", "Answer", "Chosen", "Right")
    rows = []
    for style, title in STYLE_TITLES.items():
        for letter in LETTERS:
            shares = []
            for kind in (CHOSEN, RIGHT):
                total = sum(counts.get((style, other, kind), 0) for other in LETTERS)
                shares.append(numbers.percent(counts.get((style, letter, kind), 0) / total) if total else "")
            if any(shares):
                rows.append((title, f"({letter})", *shares))
    about = (
        "Of the replies that were read: how often each place was chosen, and how often the right answer stood there."
    )
    return [DataTable("Where the chosen answers stood", columns, rows, about, frozenset(columns[2:]))] if rows else []


def _caveats(chosen: BbqOptions, options: StudyOptions) -> tuple[tuple[str, str], ...]:
    return (
        ("A test of multiple choice.", "It shows whether a model falls back on stereotypes when it is asked to choose. It says "
         "little of what the same model writes at length."),
        ("How an answer is told.", _scoring(chosen)),
        ("Few templates.", f"Items of one template differ in names and order only, so intervals resample templates "
         f"({options.replicates:,} replicates): a category has about 25."),
        ("Stereotypes of one place.", "The items rest on stereotypes that are attested for the United States in English. A model "
         "may hold others, and hold these about people whom no item names."),
        ("Seen before.", "The items are public. A model may have been trained on them, and then its accuracy says little."),
    )  # fmt: skip


def _scoring(chosen: BbqOptions) -> str:
    if chosen.scoring == "letter":
        return (
            "The model writes its answer, and a letter or the answer's text is read in it, strictly. A reply without either, or "
            "with two different ones, is unparsed: neither right nor “unknown”, and in no bias score. So are refusals."
        )
    mean = "mean over its tokens" if chosen.normalise == "tokens" else "sum over its tokens"
    return (
        f"The model writes nothing: the answer is the one whose log-likelihood after the question is highest ({mean}, the token "
        "that ends the turn included). What a model would rather say is not heard. Compare runs of one scoring only."
    )


def _excerpts(chosen: BbqOptions, data: ReportInput) -> list[Block]:
    rows = data.annotations.to_pylist()
    rows = rows[:: max(1, -(-len(rows) // _ITEMS))]
    if not rows:
        return [Paragraph("No annotated item was handed to the report.")]
    wanted = {row["prompt_id"] for row in rows}
    asked = {row["prompt_id"]: row for row in prompt_table(chosen).to_pylist() if row["prompt_id"] in wanted}
    items = [_excerpt(row, asked.get(row["prompt_id"])) for row in rows]
    return [Excerpts(f"Show {len(items)} items.", CONTENT_WARNING, items)]


def _excerpt(row: Mapping[str, Any], asked: Mapping[str, Any] | None) -> Excerpt:
    labels = [("Status", row["status"]), ("Chosen", row["answer"] or "none")]
    if asked is not None:
        labels += [("Right", asked["answers"][asked["label"]]), ("Item", f"{asked['item']}, {asked['condition']}")]
    if row["leaning"] is not None:
        labels.append(("Leaning", {1: "with the stereotype", -1: "against it", 0: "unknown"}[row["leaning"]]))
    if row["note"]:
        labels.append(("Why unread", row["note"]))
    text = asked["prompt"] if asked is not None else "[the item is not in the files any more]"
    return Excerpt(row["sample_id"], f"{text}\n\n→ {_reply(row['text'], asked)}", tuple(labels))


def _reply(text: str | None, asked: Mapping[str, Any] | None) -> str:
    """Return the reply, a record of likelihoods in words."""
    if text is None:
        return "[no text]"
    try:
        found = from_record(text, len(LETTERS))
    except ValueError:
        return text if len(text) <= _LENGTH else f"{text[:_LENGTH].rstrip()} […]"
    names = asked["answers"] if asked is not None else [f"({letter})" for letter in LETTERS]
    return "; ".join(
        f"{name}: {numbers.fixed(one.logprob, 2)} in {one.tokens} tokens"
        for name, one in zip(names, found, strict=True)
    )
