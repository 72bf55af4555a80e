"""BBQ as the pipeline sees it."""

from collections.abc import Mapping, Sequence

import pyarrow as pa

from raylib.report.sections import Section
from raylib.schemas import TALLIES
from raylib.studies.base import Annotator, PlannedShare, ReportInput, StudyOptions
from raylib.studies.bbq import comparing, estimates, metrics
from raylib.studies.bbq.annotate import ANNOTATIONS, VERSION, BbqAnnotator
from raylib.studies.bbq.options import parse_options
from raylib.studies.bbq.planning import planned_shares
from raylib.studies.bbq.prompts import prompt_table
from raylib.studies.bbq.sources import load_sources
from raylib.studies.comparing import Headline, SampleScores
from raylib.studies.differences import Corrections, Side
from raylib.studies.resampling import Key, replicate
from raylib.studies.sums import Measures, add_tallies


class BbqStudy:
    """BBQ: multiple choice about people, with and without enough context; how often a model is right, and how biased."""

    name = "bbq"
    version = "1"
    prompt_key = "item"
    prompt_columns = ("category", "condition", "polarity", "style", "question")

    @property
    def measures(self) -> Measures:
        """What is summed: answers by what they are."""
        return metrics.MEASURES

    @property
    def annotation_schema(self) -> pa.Schema:
        """Columns of the annotation table (`annotate.ANNOTATIONS`)."""
        return ANNOTATIONS

    def check(self, options: StudyOptions) -> None:
        """Raise ConfigError for an unknown option or a file that is not there, DataError for one that is not the benchmark's."""
        prompt_table(parse_options(options))

    def prompts(self, options: StudyOptions) -> pa.Table:
        """Return the prompts (schema `prompts.PROMPTS`, and the choices where they are scored)."""
        return prompt_table(parse_options(options))

    def annotation_identity(self, options: StudyOptions) -> Mapping[str, object]:
        """Return how an answer is told, and the files by content: they say which answer is right, and which is biased."""
        chosen = parse_options(options)
        told = {"normalise": chosen.normalise} if chosen.scoring == "loglikelihood" else {}
        return {"scoring": chosen.scoring, **told, "reading_version": VERSION, **self.data_identity(options)}

    def data_identity(self, options: StudyOptions) -> Mapping[str, object]:
        """Return the files, by content, in any order."""
        return {"files": sorted(source.sha256 for source in load_sources(parse_options(options).files))}

    def labels_with_model(self, options: StudyOptions) -> bool:
        """Say no: answers are read without a model."""
        return False

    def annotator(self, options: StudyOptions) -> Annotator:
        """Build the annotator that reads answers as the options say."""
        return BbqAnnotator(parse_options(options))

    def sums(self, options: StudyOptions, annotations: pa.Table, prompts: pa.Table) -> pa.Table:
        """Return answers by what they are, in cells of category, condition and style (schema SUMS; see `metrics`)."""
        return metrics.sums(annotations, prompts)

    def tallies(self, options: StudyOptions, annotations: pa.Table, prompts: pa.Table) -> pa.Table:
        """Return at which places the chosen and the right answers stood, by style."""
        return add_tallies([pa.Table.from_pylist(metrics.tallies(annotations, prompts), schema=TALLIES)])

    def replicates(self, options: StudyOptions, sums: pa.Table, blocks: Sequence[int]) -> pa.Table:
        """Return some blocks of bootstrap replicates (schema REPLICATES), clustered by template."""
        targets = [found.target for found in estimates.comparisons(sums)]
        return replicate(targets, seed=options.seed, blocks=blocks, replicates=options.replicates)

    def estimates(self, options: StudyOptions, sums: pa.Table, replicates: pa.Table) -> pa.Table:
        """Return accuracies, bias scores and rates with their intervals (schema ESTIMATES; see `estimates`)."""
        return estimates.estimates(sums, replicates)

    def planned_shares(self, options: StudyOptions, prompts: pa.Table) -> Sequence[PlannedShare]:
        """Return the accuracies by category, condition and style (see `planning`)."""
        return planned_shares(prompts)

    def agreed_options(self, options: StudyOptions) -> Mapping[str, object]:
        """Return all options but the files' places (see `comparing`)."""
        return comparing.agreed_options(parse_options(options))

    def side(self, options: StudyOptions, sums: pa.Table) -> Side:
        """Return a run's comparisons; noise adds nothing to any of them."""
        return Side(estimates.comparisons(sums), Corrections({}, {}))

    def headline(self, key: Key) -> Headline | None:
        """Return the place of a difference in the figure and the summary."""
        return comparing.headline(key)

    def sample_scores(self, options: StudyOptions, annotations: pa.Table) -> SampleScores:
        """Return each answer's leaning: 1 with the stereotype, -1 against it, 0 unknown."""
        return comparing.sample_scores(annotations)

    def sections(self, options: StudyOptions, data: ReportInput) -> Sequence[Section]:
        """Return the report's sections."""
        from raylib.studies.bbq.figures import sections

        return sections(options, data)

    def comparison_sections(self, options: StudyOptions, data: Sequence[ReportInput]) -> Sequence[Section]:
        """Return the sections of the report over several runs."""
        from raylib.studies.bbq.figures import comparison_sections

        return comparison_sections(options, data)
