"""The study's sections of a report: figures of one model or several, and for one run what they rest on."""

from collections.abc import Sequence

from raylib.report.sections import Block, Section
from raylib.studies.base import ReportInput, StudyOptions
from raylib.studies.narratives.excerpts import stories
from raylib.studies.narratives.figures.caveats import caveats, limits
from raylib.studies.narratives.figures.common_names import common_names
from raylib.studies.narratives.figures.likelihoods import histograms
from raylib.studies.narratives.figures.median_ratios import median_ratios
from raylib.studies.narratives.figures.ratios_by_name import ratios_by_name
from raylib.studies.narratives.figures.reading import ModelNumbers, read, rows_of
from raylib.studies.narratives.figures.representation import representation
from raylib.studies.narratives.figures.subordination import subordination
from raylib.studies.narratives.figures.tables import folded_tables
from raylib.studies.narratives.figures.thresholds import thresholds
from raylib.studies.narratives.names import NameTable, load_names
from raylib.studies.narratives.options import parse_options
from raylib.studies.narratives.stereotypes.counts import term_counts
from raylib.studies.narratives.stereotypes.sections import search_section
from raylib.studies.narratives.stereotypes.terms import load_terms


def sections(options: StudyOptions, data: ReportInput) -> list[Section]:
    """Return the report of one run: figures, limits, all estimates, a few annotated stories."""
    return [
        *figures_of(options, [data]),
        search_section(term_counts(data.sums, load_terms())),
        Section("What these numbers are not", caveats(options, data.estimates.to_pylist())),
        Section("All estimates", folded_tables(data.estimates)),
        Section("Sample stories", stories(data.annotations)),
    ]


def figures_of(options: StudyOptions, data: Sequence[ReportInput]) -> list[Section]:
    """Return the paper's figures and its table of names, for one model or side by side for several.

    Args:
        options: of the study; seed and replicates of the bootstrap band.
        data: one a model, in the order in which the figures show them; at least one.
    """
    models, table = [read(one) for one in data], load_names(parse_options(options).names)
    one = models[0] if len(models) == 1 else None
    who = [*representation(models), *histograms(models, table)]
    power = subordination(models)
    names = racialised_names(options, models, table)
    made = [Section("Who appears: representation", [*who[:1], *_limits(one, "R_rep"), *who[1:]])]
    if power:
        blocks = [*power[:1], *_limits(one, "R_sub"), *power[1:]]
        made.append(Section("Who holds power: subordination", blocks))
    return [*made, Section("Racialised names", names)] if names else made


def racialised_names(options: StudyOptions, models: Sequence[ModelNumbers], table: NameTable) -> list[Block]:
    """Return the paper's figure 3 and its table 2; nothing for runs without power-laden prompts."""
    return [
        *ratios_by_name(models, table),
        *thresholds(options, models, table),
        *median_ratios(models),
        *common_names(models, table),
    ]


def _limits(model: ModelNumbers | None, statistic: str) -> list[Block]:
    """Return warnings about a single model's ratios of race, gender and couples."""
    return limits(rows_of([model], statistic, ("race", "gender", "pair"))) if model else []
