"""The report's section on several judges: how often each gave a score, and how well they agree."""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from raylib.report import numbers
from raylib.report.sections import DataTable, Paragraph, Section
from raylib.studies.ltf.judge.agreement import ALPHA, KAPPA, OBSERVED
from raylib.studies.ltf.judge.columns import JUDGE_STATUSES
from raylib.studies.ltf.judge.ratings import RATED
from raylib.studies.ltf.judge.tallied import tallied_agreement, tallied_statuses

_NAMES = {
    "score_title_introduction": "Title and introduction", "score_reasons": "Reasons", "score_conclusion": "Conclusion",
    "score": "Score", "refusal": "Refusal",
}  # fmt: skip
_PAIR = ("Judges", "Measure", "Essays", "Equal [95%]", "Cohen's kappa [95%]")
_ALL = ("Measure", "Essays", "Krippendorff's alpha [95%]")
_TIE, _TOO_FEW = "judges_disagree", "too_few_judges"


def judges_section(tallies: pa.Table, *, seed: int = 0, replicates: int = 2_000) -> Section | None:
    """Return the section, or None where one judge scored.

    Args:
        tallies: of the whole run (schema TALLIES).
        seed: keys the bootstrap of alpha's interval.
        replicates: of that bootstrap.
    """
    statuses = tallied_statuses(tallies)
    if not statuses:
        return None
    rows = tallied_agreement(tallies, seed=seed, replicates=replicates).to_pylist()
    return Section(
        "Agreement of the judges",
        [Paragraph(_together(tallies, statuses)), _status_table(statuses), _alpha_table(rows), _pair_table(rows)],
    )


def _together(tallies: pa.Table, statuses: Mapping[str, Mapping[str, int]]) -> str:
    samples = numbers.integer(sum(next(iter(statuses.values())).values()))
    judged = tallies.filter(pc.equal(tallies["cell"], "judged"))
    tie, few = (
        numbers.integer(pc.sum(judged.filter(pc.equal(judged["item"], status))["count"]).as_py() or 0)
        for status in (_TIE, _TOO_FEW)
    )
    return (
        f"{samples} samples went to {len(statuses)} judges, {', '.join(statuses)}. Together they gave no score to {tie} on "
        f"which they disagree without a majority, and to {few} that too few of them scored."
    )


def _status_table(statuses: Mapping[str, Mapping[str, int]]) -> DataTable:
    seen = [status for status in JUDGE_STATUSES if any(counts[status] for counts in statuses.values())]
    rows = [(judge, *(numbers.integer(counts[status]) for status in seen)) for judge, counts in statuses.items()]
    columns = ("Judge", *(status.replace("_", " ") for status in seen))
    caption = "Essays by what became of them: scored, or why there is no score."
    return DataTable("What each judge made of the essays", columns, rows, caption, frozenset(columns[1:]))


def _alpha_table(rows: Sequence[Mapping[str, Any]]) -> DataTable:
    texts = [
        (
            _NAMES[row["measure"]], numbers.integer(row["essays"]),
            numbers.with_interval(row["value"], row["ci_low"], row["ci_high"]),
        )
        for row in rows
        if row["statistic"] == ALPHA
    ]  # fmt: skip
    caption = (
        "Over essays that two judges or more scored; ordinal for scores, nominal for refusals. Intervals: bootstrap by "
        "template. Unknown: all scores are alike, so there is no disagreement to expect."
    )
    return DataTable("All judges", _ALL, texts, caption, frozenset(_ALL[1:]))


def _pair_table(rows: Sequence[Mapping[str, Any]]) -> DataTable:
    pairs = list(dict.fromkeys(tuple(row["judges"]) for row in rows if row["statistic"] == OBSERVED))
    found = {(tuple(row["judges"]), row["measure"], row["statistic"]): row for row in rows}
    texts = []
    for pair in pairs:
        for measure in RATED:
            equal, kappa = found[pair, measure, OBSERVED], found[pair, measure, KAPPA]
            texts.append(
                (
                    " and ".join(pair), _NAMES[measure], numbers.integer(equal["essays"]), _share(equal),
                    numbers.with_interval(kappa["value"], kappa["ci_low"], kappa["ci_high"]),
                )
            )  # fmt: skip
    caption = (
        "Over essays that both scored. Kappa has quadratic weights for scores. Both intervals take essays as independent, "
        "so they are too narrow where essays of one template are alike."
    )
    return DataTable("Each pair of judges", _PAIR, texts, caption, frozenset(_PAIR[2:]))


def _share(row: Mapping[str, Any]) -> str:
    if row["value"] is None:
        return numbers.NO_DATA
    return f"{numbers.percent(row['value'])} [{numbers.percent(row['ci_low'])}, {numbers.percent(row['ci_high'])}]"
