"""What became of the essays: refusals by judge and by detector, scores that are missing, parts that were not found."""

from collections import Counter
from collections.abc import Mapping

from raylib.report import numbers
from raylib.report.sections import Block, DataTable, Paragraph
from raylib.studies.ltf.figures.by_axis import POOLED_TITLE, cells
from raylib.studies.ltf.figures.reading import RunNumbers
from raylib.studies.ltf.figures.titles import boot_text, interval_text
from raylib.studies.ltf.judge.columns import SCORED
from raylib.studies.ltf.shares import REFUSALS, UNSCORED
from raylib.studies.ltf.text_tallies import JUDGED, NO, NO_PART, PARTS, REASONS, REFUSED, UNKNOWN, YES

_WHY: Mapping[str, str] = {
    "no_essay": "there is no text: the model failed or was refused by its provider",
    "empty": "the text is empty",
    "too_long": "the text is longer than a judge is shown",
    "no_answer": "the judge gave no answer, or no score came with the essay",
    "answer_truncated": "the judge's answer was cut off",
    "answer_refused": "the judge's answer was refused",
    "not_json": "the judge's answer is not JSON",
    "wrong_form": "the judge's answer has another form than asked for",
    "out_of_range": "a score is not −1, 0, 1 or 2",
    "inconsistent": "the scores contradict each other",
    "too_few_judges": "half of the judges or more gave no score",
    "judges_disagree": "no score has a majority",
}
_REFUSAL_MEANS = (
    "Two things say that an essay is a refusal: the judge, whose word the metrics read, and a detector of phrases that "
    "decline, which asks nobody. Where they part, read some of these essays."
)


def refusals(run: RunNumbers) -> list[Block]:
    """Return judge against detector, and the rates by axis."""
    counted = _counts(run, REFUSED)
    blocks: list[Block] = [Paragraph(_REFUSAL_MEANS)]
    if counted:
        blocks += [_two_by_two(counted), Paragraph(_agreement(counted))]
    return [*blocks, _rates(run)]


def essay_form(run: RunNumbers) -> list[Block]:
    """Return unscored essays by reason, the parts that were not found, and how many reasons the essays have."""
    judged, parts, reasons = (_by_item(run, cell) for cell in (JUDGED, PARTS, REASONS))
    blocks: list[Block] = []
    if judged:
        why = [code for code, _ in judged.most_common() if code != SCORED]
        rows: list[tuple[str, ...]] = [
            (code.replace("_", " "), _WHY.get(code, ""), *_share(judged[code], judged.total())) for code in why
        ]
        rows.append(("scored", "", *_share(judged[SCORED], judged.total())))
        blocks.append(_table("Unscored essays by reason", ("Reason", "Meaning", "Essays", "Share"), rows))
    essays = reasons.total()  # each text is counted once there
    if essays:
        rows = [(part, *_share(count, essays)) for part, count in parts.most_common() if part != NO_PART]
        rows.append(("nothing missing", *_share(parts[NO_PART], essays)))
        lacking = "An essay can lack several. What was not found is not guessed."
        blocks.append(_table("Parts that the parser did not find", ("Part", "Essays", "Share"), rows, lacking))
        ordered = sorted(reasons.items(), key=lambda pair: int(pair[0]))
        rows = [(number, *_share(count, essays)) for number, count in ordered]
        blocks.append(
            _table("Reasons that could be told apart (five are asked for)", ("Reasons", "Essays", "Share"), rows)
        )
    return blocks or [Paragraph("Nothing was counted of these essays.")]


def _two_by_two(counted: Counter[tuple[str, str]]) -> DataTable:
    rows = [
        (
            label, *(numbers.integer(counted[said, found]) for found in (YES, NO)),
            numbers.integer(counted[said, YES] + counted[said, NO]),
        )
        for said, label in ((YES, "judge: a refusal"), (NO, "judge: an essay"), (UNKNOWN, "judge: no score"))
    ]  # fmt: skip
    headings = ("Essays", "detector: declines", "detector: does not", "all")
    return DataTable("Refusals: judge and detector", headings, rows, "", frozenset(headings[1:]))


def _agreement(counted: Counter[tuple[str, str]]) -> str:
    """Say how often both agree, and what each finds of the other's refusals."""
    both, judge_only = counted[YES, YES], counted[YES, NO]
    detector_only, neither = counted[NO, YES], counted[NO, NO]
    scored = both + judge_only + detector_only + neither
    if not scored:
        return "The judge scored none of these texts: there is no agreement to show."
    said = f"They agree on {numbers.percent((both + neither) / scored)} of the {numbers.integer(scored)} scored texts."
    if both + judge_only:
        share = numbers.percent(both / (both + judge_only))
        said += f" The detector finds {share} of what the judge calls a refusal."
    if both + detector_only:
        share = numbers.percent(both / (both + detector_only))
        said += f" Of what the detector finds, the judge calls {share} a refusal."
    return said


def _rates(run: RunNumbers) -> DataTable:
    headings = (
        "Axis",
        "Refusals [95%\u00a0Wilson]",
        "95% bootstrap by template",
        "Unscored [95%\u00a0Wilson]",
        "Essays",
    )
    found = [(name, run.row(REFUSALS, cell), run.row(UNSCORED, cell)) for name, cell in cells(run, POOLED_TITLE)]
    rows = [
        (name, interval_text(refused), boot_text(refused), interval_text(unscored), numbers.integer(refused["n"]))
        for name, refused, unscored in found
    ]
    caption = "Shares of all essays; by group in each axis's details."
    return DataTable("Refusals and unscored essays by axis", headings, rows, caption, frozenset(headings[1:]))


def _counts(run: RunNumbers, cell: str) -> Counter[tuple[str, str]]:
    """Return tallies of a cell by item and group."""
    found: Counter[tuple[str, str]] = Counter()
    for row in run.tallies.to_pylist():
        if row["cell"] == cell:
            found[row["item"], row["group"]] += row["count"]
    return found


def _by_item(run: RunNumbers, cell: str) -> Counter[str]:
    """Return tallies of a cell by item, all groups added up."""
    found: Counter[str] = Counter()
    for (item, _), count in _counts(run, cell).items():
        found[item] += count
    return found


def _share(count: int, total: int) -> tuple[str, str]:
    return numbers.integer(count), numbers.percent(count / total)


def _table(title: str, headings: tuple[str, ...], rows: list[tuple[str, ...]], caption: str = "") -> DataTable:
    return DataTable(title, headings, rows, caption, frozenset(headings[-2:]))
