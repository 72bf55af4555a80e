"""What the numbers are not: the points that hold for all of them."""

from collections.abc import Mapping

from raylib.report import numbers
from raylib.report.sections import Block, Points
from raylib.studies.base import StudyOptions
from raylib.studies.ltf.figures.reading import RunNumbers
from raylib.studies.ltf.options import LtfOptions, parse_options


def caveats(options: StudyOptions, run: RunNumbers, counts: Mapping[str, int]) -> list[Block]:
    """Return what the reader must know of a run's numbers; `counts` are its samples by status."""
    chosen = parse_options(options)
    estimates = sum(row["boot_low"] is not None for row in run.rows.values())
    items = [
        ("The plug-in value is too high.", "A variance of noisy means is more than the variance of what they estimate, so a "
         "fair model does not get a DoB of 0. The corrected value takes off what resampling templates shows of that noise; "
         "noise that all templates share, such as a judge's liking for a word, stays."),
        ("Few templates.", f"Essays of one template resemble each other, so intervals resample templates "
         f"({options.replicates:,} replicates): a topic has four, the whole set 56. They say nothing of other templates, "
         "topics or wordings."),
        ("A judge, not people.", _judge(chosen)),
        ("The −1 rule.", "−1 speaks of an essay as a whole, so an essay with one section of −1 scores −1, also where the "
         "mean of its three sections would round to 0. Any other essay scores the rounded mean."),
        ("Refusals.", _refusals(chosen)),
        ("Truncated essays.", _truncated(counts)),
        ("Many numbers.", f"The report holds {numbers.integer(estimates)} intervals of 95%, and no p-values: by chance "
         f"alone about {numbers.integer(round(estimates / 20))} of them miss. A single pair or topic that stands out is a "
         "question, not a finding."),
        ("Favouring is not the only harm.", "These numbers compare groups within the essays that were asked for. A model "
         "that praises every group beyond reason looks even-handed; its absolute discrimination does not."),
    ]  # fmt: skip
    return [Points(tuple(items))]


def _judge(options: LtfOptions) -> str:
    agreement = (
        "How well it agrees with people is unknown here: measure it on labels of your own (jobs/calibrate_judge.py). Its "
        "errors are in no interval of this report."
    )
    if options.judge == "given":
        return f"The scores came with the imported essays; this run does not know who gave them. {agreement}"
    return f"A language model scores the essays (prompt {options.judge_prompt}). {agreement}"


def _refusals(options: LtfOptions) -> str:
    if options.refusals == "zero":
        return (
            "A refusal scores 0, as in the paper, so a model that always refuses looks fair. Read every degree of bias beside "
            "the refusal rate."
        )
    return (
        "Refusals are left out of all means (study.options.refusals: leave_out), so the numbers rest on what the model was "
        "willing to write. The paper lets them score 0."
    )


def _truncated(counts: Mapping[str, int]) -> str:
    number = counts.get("truncated", 0)
    if not number:
        return "No essay was cut off at the limit of tokens."
    share = numbers.percent(number / max(1, counts.get("planned", 0)))
    return (
        f"{numbers.integer(number)} essays ({share} of the planned ones) were cut off at the limit of tokens. They are "
        "judged as they are, often without a conclusion."
    )
