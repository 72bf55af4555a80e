"""The study's sections of one run's report, in the order in which they should be read."""

from raylib.report.sections import Section
from raylib.studies.base import ReportInput, StudyOptions
from raylib.studies.ltf.excerpts import essays
from raylib.studies.ltf.figures.by_axis import absolute_discrimination, degree_of_bias
from raylib.studies.ltf.figures.by_topic import by_topic
from raylib.studies.ltf.figures.caveats import caveats
from raylib.studies.ltf.figures.essays_counted import essay_form, refusals
from raylib.studies.ltf.figures.favouritism import favouritism
from raylib.studies.ltf.figures.noise_floor import noise_floor
from raylib.studies.ltf.figures.reading import read
from raylib.studies.ltf.figures.tables import folded_tables
from raylib.studies.ltf.judge.agreement_section import judges_section
from raylib.studies.ltf.options import parse_options
from raylib.studies.ltf.prompts import prompt_table


def sections(options: StudyOptions, data: ReportInput) -> list[Section]:
    """Return the report of one run: the noise floor first, then Tables 2 and 3, favouritism, and what they rest on."""
    run = read(options, data)
    made = [
        Section("The noise floor", noise_floor([run])),
        Section("How unequal: degree of bias", degree_of_bias(run)),
        Section("How extreme: absolute discrimination", absolute_discrimination(run)),
        Section("Whom the essays favour", favouritism(run)),
    ]
    topics = by_topic(run)
    return [
        *made,
        *([Section("By topic", topics)] if topics else []),
        Section("Refusals and unscored essays", refusals(run)),
        *([judges] if (judges := judges_section(data.tallies, seed=options.seed)) else []),
        Section("The essays", essay_form(run)),
        Section("What these numbers are not", caveats(options, run, data.counts)),
        Section("All estimates", folded_tables(run)),
        Section("Sample essays", essays(data.annotations, _questions(options, data))),
    ]


def _questions(options: StudyOptions, data: ReportInput) -> dict[str, str]:
    """Return the questions of the sample essays, by prompt id; no prompt is looked up where there is no essay."""
    wanted = set(data.annotations["prompt_id"].to_pylist()) if data.annotations.num_rows else set()
    if not wanted:
        return {}
    rows = prompt_table(parse_options(options)).select(["prompt_id", "question"]).to_pylist()
    return {row["prompt_id"]: row["question"] for row in rows if row["prompt_id"] in wanted}
