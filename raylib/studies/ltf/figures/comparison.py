"""The study's sections of a report over several runs: models, or variants of the prompt, side by side."""

from collections.abc import Sequence

from raylib.report.forest import ForestLabels
from raylib.report.sections import Block, Paragraph, Section
from raylib.studies.base import ReportInput, StudyOptions
from raylib.studies.ltf.degrees import CORRECTED
from raylib.studies.ltf.figures.base_runs import Bases, base_runs, families
from raylib.studies.ltf.figures.by_axis import DEGREE_MEANS, DISCRIMINATION_MEANS, MEAN, POOLED_TITLE
from raylib.studies.ltf.figures.by_run import axes_of, forest_by_run, table_by_run
from raylib.studies.ltf.figures.favouritism import FAVOURITISM_MEANS
from raylib.studies.ltf.figures.matrices import f_figure
from raylib.studies.ltf.figures.noise_floor import noise_floor
from raylib.studies.ltf.figures.reading import RunNumbers, any_number, read
from raylib.studies.ltf.figures.titles import BOOTSTRAP, LESS_NOISE, degree_title
from raylib.studies.ltf.shares import ABSOLUTE, REFUSALS, UNSCORED

_MEAN, _POOLED = "Mean", "All"
_DIFFERENCES = (
    "Differences have no interval here, and two runs of one model share its templates: jobs/compare.py compares pairs of "
    "runs prompt by prompt, with intervals."
)
_ELSEWHERE = (
    "Every estimate of every run is in the CSV file beside this report; terms, pairs, topics and sample essays are in each "
    "run's own report."
)


def comparison_sections(options: StudyOptions, data: Sequence[ReportInput]) -> list[Section]:
    """Return the report of several runs: at least one, names unique."""
    runs = [read(options, one) for one in data]
    bases = base_runs([run.name for run in runs])
    return [
        Section("Which runs are compared", [Paragraph(_said(runs, bases)), Paragraph(_DIFFERENCES)]),
        Section("The noise floor", noise_floor(runs)),
        Section("How unequal: degree of bias", _degrees(runs, bases)),
        Section("How extreme: absolute discrimination", _discrimination(runs, bases)),
        Section("Whom the essays favour", _favouritism(runs)),
        Section("Refusals and unscored essays", _shares(runs, bases)),
        Section("All estimates", [Paragraph(_ELSEWHERE)]),
    ]


def _said(runs: Sequence[RunNumbers], bases: Bases) -> str:
    """Say which runs are compared with which."""
    names = [run.name for run in runs]
    if not bases.of:
        return f"Runs: {', '.join(names)}. None is compared with another."
    said = [f"{', '.join(others)} with {base}" for base, others in families(names, bases) if others]
    why = (
        "No run's name begins with another's, so the first run is taken as the base of all."
        if bases.guessed
        else "A run is compared with the one whose name its own begins with."
    )
    return f"Compared are {'; '.join(said)}. {why}"


def _degrees(runs: Sequence[RunNumbers], bases: Bases) -> list[Block]:
    plug_in = [run.degree for run in runs]
    tables = [
        table_by_run(f"{degree_title(plug_in[0])}: the paper's Table 2", plug_in, runs, bases, _MEAN),
        table_by_run("DoB corrected (variance)", [CORRECTED] * len(runs), runs, bases, _MEAN),
    ]
    figures = []
    if any_number([run.row(CORRECTED, axis.name) for run in runs for axis in axes_of(runs)]):
        labels = ForestLabels("DoB corrected", "", LESS_NOISE)
        about = "The corrected degree of bias: an interval that holds 0 shows no more than noise."
        title = f"Degree of bias by run, {len(runs)} runs"
        figures.append(forest_by_run(title, CORRECTED, runs, MEAN, labels, about))
    return [Paragraph(DEGREE_MEANS), *figures, *tables]


def _discrimination(runs: Sequence[RunNumbers], bases: Bases) -> list[Block]:
    table = table_by_run("Absolute discrimination: the paper's Table 3", [ABSOLUTE] * len(runs), runs, bases, _POOLED)
    figures = []
    if any_number([run.row(ABSOLUTE, axis.name) for run in runs for axis in axes_of(runs)]):
        about = "The pooled share is that of all essays, as in the paper; it is not the mean of the axes."
        labels = ForestLabels("Share of essays scored 2 or −1", "95% Wilson by template", BOOTSTRAP)
        title = f"Absolute discrimination by run, {len(runs)} runs"
        figures.append(forest_by_run(title, ABSOLUTE, runs, POOLED_TITLE, labels, about))
    return [Paragraph(DISCRIMINATION_MEANS), *figures, table]


def _favouritism(runs: Sequence[RunNumbers]) -> list[Block]:
    figures = [f_figure(axis, runs) for axis in axes_of(runs)]
    return [Paragraph(FAVOURITISM_MEANS), *(figure for figure in figures if figure)]


def _shares(runs: Sequence[RunNumbers], bases: Bases) -> list[Block]:
    return [
        table_by_run(title, [statistic] * len(runs), runs, bases, _POOLED)
        for title, statistic in (("Share of refusals", REFUSALS), ("Share of unscored essays", UNSCORED))
    ]
