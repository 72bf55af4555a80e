"""The page on the judge: agreement with people, how it errs, and the study's numbers corrected for it."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

import pyarrow as pa

from raylib.report import numbers
from raylib.report.sections import Block, DataTable, Folded, Paragraph, Points, Section, Warning
from raylib.studies.ltf.calibration.agreement import (
    ALL_AXES,
    ALPHA,
    EQUAL,
    JUDGE,
    KAPPA,
    REFERENCE,
    WEIGHTED_KAPPA,
    Tables,
    categories_of,
)
from raylib.studies.ltf.calibration.confusion_figure import confusion_figure
from raylib.studies.ltf.calibration.essays import Left, Matched
from raylib.studies.ltf.calibration.labels import MARKS
from raylib.studies.ltf.degrees import CORRECTED

Row = Mapping[str, Any]
_COLUMNS = ("Essays", "Equal labels [95%]", "By chance", "Kappa [95%]", "Krippendorff's alpha [95%]")
_ABOUT = (
    "How far the judge's labels are those of people. Equal labels is the plain share; by chance is what the two base rates "
    "alone would give. Kappa (quadratic weights for scores: an error by two counts four times one by one) and alpha "
    "(ordinal for scores) are 1 for full agreement and 0 for chance. Intervals take templates as the unit."
)
_CORRECTED = (
    "The judge scored all essays, people some of them. The corrected numbers take the judge's scores of all essays and add "
    "what people say differently on the labelled ones (prediction-powered inference, PPI++): right on average whatever "
    "errors the judge makes, if the labelled essays are a random draw. Lambda says how far the judge is followed: 0, people's "
    "labels alone; 1, the judge fully. F and PairFav: standard error by template, Student's t. GroupFav: jackknife by "
    "template. DoB: bootstrap by template; DoB corrected has the noise taken off. A number learns how the judge errs from the "
    "labels of its own essays only; with too few of them it is unknown. The judge's own intervals know nothing of its errors."
)


def left_lines(left: Left) -> list[str]:
    """Return in words which labels are in no comparison, one line a reason; nothing where all are."""
    told = (
        (len(left.unknown), "essays with labels that are not in this run", left.unknown),
        (len(left.failed), "samples with labels that ended in an error: no essay", left.failed),
        (len(left.unscored), "labelled essays that the judge left unscored", left.unscored),
        (len(left.unsettled), "essays on which annotators differ, not adjudicated", left.unsettled),
        (left.empty, "rows without a label", ()),
        (left.repeated, "rows that repeat an earlier one", ()),
    )
    return [f"{count:,} {what}" + (f", such as {ids[0]}" if ids else "") for count, what, ids in told if count]


def sections(matched: Matched, tables: Tables, estimates: pa.Table) -> list[Section]:
    """Return the page's sections."""
    agreement, confusion = tables.agreement.to_pylist(), tables.confusion.to_pylist()
    judge = [row for row in agreement if (row["first"], row["second"]) == (JUDGE, REFERENCE)]
    errors = [row for row in confusion if (row["first"], row["second"], row["axis"]) == (JUDGE, REFERENCE, ALL_AXES)]
    made = [
        Section("Does the judge agree with people?", [*_head(matched), _by_label(judge), *_by_axis(judge)]),
        Section("How the judge errs", _errors(errors)),
        Section("Estimates corrected for the judge's errors", _estimates(estimates.to_pylist())),
    ]
    if len(matched.annotators) > 1:
        made.insert(1, Section("Each annotator, and annotators with each other", _people(agreement)))
    return made


def _head(matched: Matched) -> list[Block]:
    essays, who = len(matched.judged.sample_ids), len(matched.annotators)
    blocks: list[Block] = [
        Paragraph(f"{essays:,} essays of this run were labelled by {who} annotator{'s' * (who != 1)}."), Paragraph(_ABOUT),
    ]  # fmt: skip
    lines = left_lines(matched.left)
    if lines:
        blocks.append(Points(tuple((line.partition(" ")[0], line.partition(" ")[2] + ".") for line in lines)))
    if matched.left.unsettled:
        blocks.append(
            Warning(
                "Where annotators differ and nobody decided, an essay has no label of people to compare the judge with: the "
                "hard essays are missing, and the agreement looks better than it is. The corrected estimates take the mean of "
                "the annotators instead. Adjudicate disagreements.csv and give it with --adjudicated."
            )
        )
    return blocks


def _by_label(rows: Sequence[Row]) -> DataTable:
    overall = [row for row in rows if row["axis"] == ALL_AXES]
    return _table("All axes", "Label", overall, "label")


def _by_axis(rows: Sequence[Row]) -> list[Block]:
    """The score by axis, and folded the sections and refusals."""
    own = [row for row in rows if row["axis"] != ALL_AXES]
    tables = {label: [row for row in own if row["label"] == label] for label in MARKS}
    rest = [_table(_title(label), "Axis", tables[label], "axis") for label in MARKS if label != "score"]
    return [
        _table("Score, by axis", "Axis", tables["score"], "axis"),
        Folded("By axis: sections and refusals", f"{len(rest)} tables", rest),
    ]


def _people(rows: Sequence[Row]) -> list[Block]:
    own = [row for row in rows if row["axis"] == ALL_AXES and row["second"] != REFERENCE]
    return [
        _table(f"{first} and {second}", "Label", list(part), "label")
        for (first, second), part in groupby(own, lambda row: (row["first"], row["second"]))
    ]


def _table(title: str, head: str, rows: Sequence[Row], by: str) -> DataTable:
    texts, notes = [], []
    for name, part in groupby(rows, lambda row: row[by]):
        found = {row["statistic"]: row for row in part}
        kappa = found.get(WEIGHTED_KAPPA) or found[KAPPA]
        equal, alpha = found[EQUAL], found[ALPHA]
        cells = (
            numbers.integer(equal["essays"]),
            _shares(equal),
            numbers.percent(equal["chance"]),
            _value(kappa),
            _value(alpha),
        )
        texts.append((_title(name), *cells))
        notes += [f"{_title(name)}: {row['note']}" for row in (equal, kappa) if row["note"]]
    return DataTable(title, (head, *_COLUMNS), texts, numeric=frozenset(_COLUMNS), notes=tuple(dict.fromkeys(notes)))


def _errors(rows: Sequence[Row]) -> list[Block]:
    scores = [
        label for label in MARKS if label != "refusal" and any(row["of"] for row in rows if row["label"] == label)
    ]
    blocks: list[Block] = [confusion_figure(rows, scores)] if scores else [Warning("No essay was scored by both.")]
    texts, groups = [], []
    for label in MARKS:
        own = [row for row in rows if row["label"] == label and row["of"]]
        for value in categories_of(label) if own else ():
            same = next(row for row in own if (row["first_says"], row["second_says"]) == (value, value))
            both = numbers.integer(same["essays"])
            texts.append((str(value), numbers.percent(same["first_rate"]), numbers.percent(same["second_rate"]), both))
        if own:
            groups.append((_title(label), len(categories_of(label))))
    columns = ("Label", "The judge says it", "People say it", "Both, on the same essay")
    table = DataTable("Base rates", columns, texts, numeric=frozenset(columns[1:]), groups=tuple(groups))
    return [*blocks, table]


def _estimates(rows: Sequence[Row]) -> list[Block]:
    degrees = [row for row in rows if row["statistic"].startswith("DoB")]
    blocks: list[Block] = [Paragraph(_CORRECTED), _numbers("Degree of bias", degrees, "statistic")]
    if all(row["status"] != "ok" for row in degrees):
        blocks.append(Warning("No degree of bias can be corrected: too few labels. Label more essays of each group."))
    known = any(row["status"] == "ok" and row["statistic"] == CORRECTED and row["estimate"] <= 0 for row in rows)
    if known:
        blocks.append(Paragraph("A corrected DoB of 0 or less: the groups differ by no more than noise."))
    tables = [
        _numbers(f"{axis}: {statistic}", list(part), "group")
        for (axis, statistic), part in groupby(
            [row for row in rows if not row["statistic"].startswith("DoB")], lambda row: (row["axis"], row["statistic"])
        )
    ]
    return [*blocks, Folded("GroupFav, PairFav and F", f"{len(tables)} tables", tables)]


def _numbers(title: str, rows: Sequence[Row], by: str) -> DataTable:
    columns = ("Judge alone [95%]", "Corrected [95%]", "People alone", "Labelled / essays", "Templates", "Lambda")
    texts = [
        (
            row["axis"] + f", {row[by]}" if by == "statistic" else row[by],
            numbers.with_interval(row["judge"], row["judge_low"], row["judge_high"]),
            numbers.with_interval(row["estimate"], row["ci_low"], row["ci_high"]),
            numbers.number(row["people"]) if row["people"] is not None else "",
            f"{numbers.integer(row['labelled'])} / {numbers.integer(row['essays'])}",
            numbers.integer(row["templates"]), numbers.number(row["tuning"]) if row["tuning"] is not None else "",
        )
        for row in rows
    ]  # fmt: skip
    about: dict[str, list[str]] = {}
    for row in rows:
        if row["note"] and (row["status"] != "ok" or row["ci_low"] is None):
            about.setdefault(row["note"], []).append(row["axis"] if by == "statistic" else row["group"])
    notes = tuple(f"{', '.join(dict.fromkeys(who))}: {note}" for note, who in about.items())
    return DataTable(title, (title.partition(":")[0], *columns), texts, numeric=frozenset(columns), notes=notes)


def _shares(row: Row) -> str:
    if row["value"] is None:
        return numbers.UNKNOWN
    if row["ci_low"] is None or row["ci_high"] is None:
        return f"{numbers.percent(row['value'])} ({numbers.NO_INTERVAL})"
    return f"{numbers.percent(row['value'])} [{numbers.percent(row['ci_low'])}, {numbers.percent(row['ci_high'])}]"


def _value(row: Row) -> str:
    return numbers.with_interval(row["value"], row["ci_low"], row["ci_high"])


def _title(name: str) -> str:
    return name.replace("_", " ").capitalize()
