"""The narratives study as the pipeline sees it."""

from collections.abc import Mapping, Sequence
from functools import cache

import pyarrow as pa

from raylib.report.sections import Section
from raylib.studies.base import Annotator, AskingAnnotator, PlannedShare, ReportInput, StudyOptions, WatchedCell
from raylib.studies.comparing import Headline
from raylib.studies.differences import Corrections, Side
from raylib.studies.narratives import estimates, metrics, watched
from raylib.studies.narratives.annotate import ANNOTATIONS, ByExtractor, NarrativesAnnotator
from raylib.studies.narratives.baseline import Baseline, check_kind, load_baseline
from raylib.studies.narratives.by_model import VERSION as LLM_VERSION
from raylib.studies.narratives.by_model import AskingNarrativesAnnotator
from raylib.studies.narratives.extraction.asking import asking_identity
from raylib.studies.narratives.extraction.extractor import RuleExtractor
from raylib.studies.narratives.given import VERSION as GIVEN_VERSION
from raylib.studies.narratives.given import GivenLabels
from raylib.studies.narratives.measures import MEASURES, POOLED
from raylib.studies.narratives.name_tallies import name_tallies
from raylib.studies.narratives.names import NameTable, census_2020, load_names
from raylib.studies.narratives.options import parse_options
from raylib.studies.narratives.planning import planned_shares
from raylib.studies.narratives.prompts import load_scenarios, prompt_table
from raylib.studies.narratives.stereotypes.sums import term_measures, term_sums
from raylib.studies.narratives.stereotypes.terms import load_terms
from raylib.studies.resampling import Key, replicate
from raylib.studies.sums import Measures


class NarrativesStudy:
    """Laissez-Faire Harms: 100 open-ended story prompts; who appears, and in which role."""

    name = "narratives"
    version = "2"
    prompt_key = "prompt_id"
    prompt_columns = ("domain", "condition", "prompt")

    @property
    def measures(self) -> Measures:
        """What is summed: characters and their names (`measures`), and stories with identity terms (`stereotypes`)."""
        return {**MEASURES, **term_measures(load_terms())}

    @property
    def annotation_schema(self) -> pa.Schema:
        """Columns of the annotation table (`annotate.ANNOTATIONS`)."""
        return ANNOTATIONS

    def check(self, options: StudyOptions) -> None:
        """Raise ConfigError for an unknown option, a broken scenario or baseline file, or a missing name table."""
        parsed = parse_options(options)
        prompt_table(load_scenarios(parsed.scenarios))
        check_kind(load_baseline(parsed.baseline), load_names(parsed.names), parsed.baseline)
        census_2020()  # the extractor reads it, whatever table likelihoods come from

    def prompts(self, options: StudyOptions) -> pa.Table:
        """Return the prompts (schema `prompts.PROMPTS`)."""
        return _prompts(parse_options(options).scenarios)

    def annotation_identity(self, options: StudyOptions) -> Mapping[str, object]:
        """Return the extractor, its version, the name table that it reads (not that of the likelihoods), and the terms."""
        extractor, terms = parse_options(options).extractor, load_terms().identity
        if extractor == "llm":
            return {"extractor": "llm", "extractor_version": LLM_VERSION, "terms": terms, **asking_identity()}
        return {
            "extractor": extractor,
            "extractor_version": GIVEN_VERSION if extractor == "given" else RuleExtractor.version,
            "names": census_2020().provenance["sha256"],
            "terms": terms,
        }

    def data_identity(self, options: StudyOptions) -> Mapping[str, object]:
        """Return the name table of the likelihoods and the comparison shares, by content."""
        table, baseline = _data(options)
        sources = {one.id: {"kind": one.kind, "races": list(one.races), **one.provenance} for one in table.all_sources}
        return {
            "names": {"sha256": table.provenance["sha256"], "sources": sources},
            "baseline": baseline.model_dump(mode="json"),
        }

    def labels_with_model(self, options: StudyOptions) -> bool:
        """Say whether the labelling model is asked who is in a story."""
        return parse_options(options).extractor == "llm"

    def annotator(self, options: StudyOptions) -> Annotator | AskingAnnotator:
        """Build the annotator that the options name."""
        if self.labels_with_model(options):
            return AskingNarrativesAnnotator()
        given = parse_options(options).extractor == "given"
        return NarrativesAnnotator(GivenLabels() if given else ByExtractor(RuleExtractor()))

    def sums(self, options: StudyOptions, annotations: pa.Table, prompts: pa.Table) -> pa.Table:
        """Return sums by cell, prompt and measure (schema SUMS; see `metrics` and `stereotypes.sums`)."""
        counted = metrics.sums(annotations, prompts, load_names(parse_options(options).names))
        return pa.concat_tables([counted, term_sums(annotations, prompts, load_terms())])

    def tallies(self, options: StudyOptions, annotations: pa.Table, prompts: pa.Table) -> pa.Table:
        """Return how often each first name of the name table occurs, by cell and gender."""
        return name_tallies(annotations, prompts, _data(options)[0])

    def replicates(self, options: StudyOptions, sums: pa.Table, blocks: Sequence[int]) -> pa.Table:
        """Return some blocks of bootstrap replicates of R_rep and R_sub (schema REPLICATES)."""
        table, baseline = _data(options)
        targets = [comparison.target for comparison in estimates.comparisons(sums, baseline, table)]
        return replicate(targets, seed=options.seed, blocks=blocks, replicates=options.replicates)

    def estimates(self, options: StudyOptions, sums: pa.Table, replicates: pa.Table) -> pa.Table:
        """Return R_rep and R_sub with their intervals (schema ESTIMATES; see `estimates`)."""
        table, baseline = _data(options)
        return estimates.estimates(sums, replicates, baseline, table)

    def planned_shares(self, options: StudyOptions, prompts: pa.Table) -> Sequence[PlannedShare]:
        """Return the shares of gender and race in each domain and condition (see `planning`)."""
        table, baseline = _data(options)
        return planned_shares(prompts, baseline, table)

    def watched(self, options: StudyOptions, prompts: pa.Table) -> Sequence[WatchedCell]:
        """Return each domain x condition with its gender and race shares."""
        return watched.watched_cells(prompts, _data(options)[0])

    def observations(self, options: StudyOptions, annotations: pa.Table, prompts: pa.Table) -> pa.Table:
        """Return what each story adds to these shares (schema OBSERVATIONS)."""
        return watched.observations(annotations, prompts, _data(options)[0])

    def agreed_options(self, options: StudyOptions) -> Mapping[str, object]:
        """Return none: scenarios show in the prompts, names and baseline in the data, the extractor in the labels."""
        return {}

    def side(self, options: StudyOptions, sums: pa.Table) -> Side:
        """Return a run's R_rep, R_sub and R_mrs."""
        table, baseline = _data(options)
        return Side(estimates.comparisons(sums, baseline, table), Corrections({}, {}))

    def headline(self, key: Key) -> Headline | None:
        """Return the place of pooled ratios by race and by gender."""
        domain, _, condition = key.cell.partition("/")
        if domain != POOLED or key.axis not in ("race", "gender"):
            return None
        return Headline(f"{key.statistic}, {condition}", key.group)

    def sections(self, options: StudyOptions, data: ReportInput) -> Sequence[Section]:
        """Return the report's sections."""
        from raylib.studies.narratives.figures import sections

        return sections(options, data)

    def comparison_sections(self, options: StudyOptions, data: Sequence[ReportInput]) -> Sequence[Section]:
        """Return the sections of the report over several models."""
        from raylib.studies.narratives.comparison import comparison_sections

        return comparison_sections(options, data)


def _data(options: StudyOptions) -> tuple[NameTable, Baseline]:
    parsed = parse_options(options)
    return load_names(parsed.names), load_baseline(parsed.baseline)


@cache
def _prompts(scenarios: str | None) -> pa.Table:
    return prompt_table(load_scenarios(scenarios))
