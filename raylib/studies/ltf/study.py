"""LTF-Test as the pipeline sees it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

import pyarrow as pa

from raylib.ids import digest
from raylib.report.sections import Section
from raylib.studies.base import Annotator, AskingAnnotator, PlannedShare, ReportInput, StudyOptions
from raylib.studies.comparing import Headline, SampleScores
from raylib.studies.differences import Draws, Side
from raylib.studies.ltf import comparing, estimates, metrics
from raylib.studies.ltf.annotate import ANNOTATIONS, JudgingAnnotator
from raylib.studies.ltf.annotate import VERSION as TEXT_VERSION
from raylib.studies.ltf.axes import Axis, load_axes
from raylib.studies.ltf.combined import COMBINED_ANNOTATIONS, combined_annotations
from raylib.studies.ltf.given import VERSION as GIVEN_VERSION
from raylib.studies.ltf.given import GivenScores
from raylib.studies.ltf.judge.asking import judge_identity
from raylib.studies.ltf.judge.combine import VERSION as COMBINE_VERSION
from raylib.studies.ltf.judge.prompt import load_prompt
from raylib.studies.ltf.judge.tallied import judge_tallies
from raylib.studies.ltf.measures import MEASURES
from raylib.studies.ltf.options import LtfOptions, parse_options
from raylib.studies.ltf.planning import planned_shares
from raylib.studies.ltf.prompts import prompt_table
from raylib.studies.ltf.text_tallies import text_tallies
from raylib.studies.resampling import Key, replicate
from raylib.studies.sums import Measures, add_tallies


class LtfStudy:
    """LTF-Test: paired essay prompts (why are X better than Y, and the reverse); whom the essays favour."""

    name = "ltf"
    version = "2"
    prompt_key = "uid"
    prompt_columns = ("axis", "topic_code", "group1", "group2", "question")

    @property
    def measures(self) -> Measures:
        """What is summed: essays by the score that they got."""
        return MEASURES

    @property
    def annotation_schema(self) -> pa.Schema:
        """Columns of the annotation table (`annotate.ANNOTATIONS`)."""
        return ANNOTATIONS

    def check(self, options: StudyOptions) -> None:
        """Raise ConfigError for an unknown option, a broken axes file, or a judge's prompt that cannot be used."""
        parsed = parse_options(options)
        _prompts(parsed)
        load_prompt(parsed.judge_prompt)

    def prompts(self, options: StudyOptions) -> pa.Table:
        """Return the prompts (schema `prompts.PROMPTS`)."""
        return _prompts(parse_options(options))

    def annotation_identity(self, options: StudyOptions) -> Mapping[str, object]:
        """Return what the judge is asked, or that scores were given; and the version of what is read from the text."""
        parsed = parse_options(options)
        if parsed.judge == "given":
            return {"judge": "given", "given_version": GIVEN_VERSION, "text_version": TEXT_VERSION}
        return {"judge": "model", "text_version": TEXT_VERSION, **judge_identity(load_prompt(parsed.judge_prompt))}

    def data_identity(self, options: StudyOptions) -> Mapping[str, object]:
        """Return the axes, by content: they say which groups are compared, and which axes are controls."""
        return {"axes": digest([axis.model_dump(mode="json") for axis in _axes(parse_options(options))])}

    def labels_with_model(self, options: StudyOptions) -> bool:
        """Say whether the run's `labeller`, or each of its `labellers`, is a judge."""
        return parse_options(options).judge == "model"

    def annotator(self, options: StudyOptions) -> Annotator | AskingAnnotator:
        """Build the annotator that the options name."""
        parsed = parse_options(options)
        return JudgingAnnotator(load_prompt(parsed.judge_prompt)) if parsed.judge == "model" else GivenScores()

    @property
    def combined_schema(self) -> pa.Schema:
        """Columns of the annotation table where several judges scored (`combined.COMBINED_ANNOTATIONS`)."""
        return COMBINED_ANNOTATIONS

    def worded(self, options: StudyOptions, wording: str) -> StudyOptions:
        """Return the options of a judge with a prompt of its own."""
        return replace(options, options={**options.options, "judge_prompt": wording})

    def combination_identity(self, options: StudyOptions) -> Mapping[str, object]:
        """Return how several judges become one."""
        return {"combine": parse_options(options).combine, "combine_version": COMBINE_VERSION}

    def combine(self, options: StudyOptions, tables: Mapping[str, pa.Table]) -> pa.Table:
        """Return one score an essay from several judges' tables (schema `combined.COMBINED_ANNOTATIONS`)."""
        return combined_annotations(tables, parse_options(options).combine)

    def sums(self, options: StudyOptions, annotations: pa.Table, prompts: pa.Table) -> pa.Table:
        """Return essays by score, in cells of axes, topics and ordered pairs (schema SUMS; see `metrics`)."""
        return metrics.sums(annotations, prompts, _controls(options))

    def tallies(self, options: StudyOptions, annotations: pa.Table, prompts: pa.Table) -> pa.Table:
        """Return how essays were judged, by several judges too, which parts were found, and who calls what a refusal."""
        return add_tallies([text_tallies(annotations, prompts), judge_tallies(annotations, prompts)])

    def replicates(self, options: StudyOptions, sums: pa.Table, blocks: Sequence[int]) -> pa.Table:
        """Return some blocks of bootstrap replicates (schema REPLICATES), clustered by template."""
        found = estimates.comparisons(sums, parse_options(options), _controls(options))
        targets = [comparison.target for comparison in found]
        return replicate(targets, seed=options.seed, blocks=blocks, replicates=options.replicates)

    def estimates(self, options: StudyOptions, sums: pa.Table, replicates: pa.Table) -> pa.Table:
        """Return F, PairFav, GroupFav, DoB and shares with their intervals (schema ESTIMATES; see `estimates`)."""
        return estimates.estimates(sums, replicates, parse_options(options), _controls(options))

    def planned_shares(self, options: StudyOptions, prompts: pa.Table) -> Sequence[PlannedShare]:
        """Return the shares of extreme essays by axis (see `planning`)."""
        return planned_shares(prompts, _controls(options))

    def agreed_options(self, options: StudyOptions) -> Mapping[str, object]:
        """Return the options that choose prompts and say how scores count (see `comparing`)."""
        return comparing.agreed_options(parse_options(options))

    def side(self, options: StudyOptions, sums: pa.Table) -> Side:
        """Return a run's comparisons, with the noise of its degrees of bias."""
        draws = Draws(options.seed, options.replicates)
        return comparing.side(sums, parse_options(options), _controls(options), draws)

    def headline(self, key: Key) -> Headline | None:
        """Return the place of a difference in the figure and the summary."""
        return comparing.headline(key)

    def sample_scores(self, options: StudyOptions, annotations: pa.Table) -> SampleScores:
        """Return each essay's score."""
        return comparing.sample_scores(annotations, parse_options(options))

    def sections(self, options: StudyOptions, data: ReportInput) -> Sequence[Section]:
        """Return the report's sections."""
        from raylib.studies.ltf.figures import sections

        return sections(options, data)

    def comparison_sections(self, options: StudyOptions, data: Sequence[ReportInput]) -> Sequence[Section]:
        """Return the sections of the report over several models or variants."""
        from raylib.studies.ltf.figures import comparison_sections

        return comparison_sections(options, data)


def _axes(options: LtfOptions) -> tuple[Axis, ...]:
    return load_axes(options.axes_file)


def _controls(options: StudyOptions) -> frozenset[str]:
    return frozenset(axis.name for axis in _axes(parse_options(options)) if axis.control)


@cache
def _prompts(options: LtfOptions) -> pa.Table:
    return prompt_table(options)
