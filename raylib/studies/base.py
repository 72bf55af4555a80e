"""What a study is to the pipeline: prompts, an annotator, sums, estimates and report sections.

The pipeline knows nothing of essays or stories; a study knows nothing of Ray, stores or who runs it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, runtime_checkable

import pyarrow as pa

from raylib.engines.base import Completion, Message
from raylib.report.sections import Section
from raylib.studies.sums import Measures


@dataclass(frozen=True)
class StudyOptions:
    """What a config says of a study: its name, its own options, its bootstrap."""

    name: str
    options: Mapping[str, object] = field(default_factory=dict)
    replicates: int = 10_000
    seed: int = 0


@dataclass(frozen=True)
class ReportInput:
    """What the report stage hands to a study: tables, and facts of the run."""

    model: str
    estimates: pa.Table
    """Schema `raylib.schemas.ESTIMATES`."""
    sums: pa.Table
    """Schema SUMS, of the whole run."""
    tallies: pa.Table
    """Schema TALLIES, of the whole run."""
    annotations: pa.Table
    """A sample of annotated rows (at most a few hundred) for the reader to look at, joined with their text."""
    counts: Mapping[str, int]
    """Samples by status over the whole run, plus `planned` and `missing` (in quarantined units)."""


class MeasureEntry(NamedTuple):
    """One entry of a measure's vector, by the names that `Study.measures` gives them."""

    measure: str
    label: str


@dataclass(frozen=True)
class PlannedShare:
    """A share that a study will estimate: what planning needs to foretell the width of its interval."""

    cell: str
    axis: str
    group: str
    prompts: int
    """Prompts (clusters) that the cell has in the plan."""
    counted: MeasureEntry
    """What counts the group."""
    total: tuple[MeasureEntry, ...]
    """What adds up to the denominator; at least one."""
    expected: float | None = None
    """The share to expect where nothing was measured; None: unknown, so 0.5, at which an interval is widest."""
    fractional: bool = False
    """Observations are likelihoods in [0, 1], not yes or no."""


class Annotator(Protocol):
    """Labels completions. Built once in each worker; `annotate` is called once a part."""

    def annotate(self, completions: pa.Table, prompts: pa.Table) -> pa.Table:
        """Return one row a completion, in the same order, with the study's `annotation_schema`.

        Never raises for a strange text: it gets a status and a reason.
        """
        ...


@dataclass(frozen=True)
class Question:
    """What an annotator asks the labelling model about one sample; texts to label stand in it as data (`studies.quoting`)."""

    key: str
    """What the answer's seed follows from, with the stage's fingerprint: the sample's id, and more where it is asked twice."""
    messages: tuple[Message, ...]
    json_schema: Mapping[str, object] | None = None
    """What the answer must look like; the engine holds the model to it."""


class Ask(Protocol):
    """The labelling model of a run (`labeller:` of its config, or one of its `labellers:`), as an annotator sees it."""

    async def __call__(self, questions: Sequence[Question]) -> Sequence[Completion]:
        """Return one answer a question, in the same order; ask many at once, so that the engine never starves.

        An answer may have any status: `truncated` and `error` are no labels.
        """
        ...


class AskingAnnotator(Protocol):
    """Labels completions with the help of a model. Built once in each worker; several parts are labelled at once."""

    async def annotate(self, completions: pa.Table, prompts: pa.Table, ask: Ask) -> pa.Table:
        """Return one row a completion, as `Annotator` does; an answer that cannot be read is a row `unparsed`."""
        ...


class Study(Protocol):
    """One published design, whole. Options are checked by `check` before anything runs."""

    name: str
    version: str
    """Raised when prompts, extraction or statistics change their result; part of the fingerprints."""

    @property
    def measures(self) -> Measures:
        """What `sums` holds: each measure, and the meaning of its vector's entries."""
        ...

    @property
    def annotation_schema(self) -> pa.Schema:
        """Columns of the annotation table; begins with sample_id, prompt_id, status."""
        ...

    def check(self, options: StudyOptions) -> None:
        """Raise ConfigError (nearest valid key named) if the options are wrong or a data source is missing."""
        ...

    def prompts(self, options: StudyOptions) -> pa.Table:
        """Return the prompt table: `schemas.PROMPT_COLUMNS` first, then the study's own columns; ids unique."""
        ...

    def annotation_identity(self, options: StudyOptions) -> Mapping[str, object]:
        """Return what changes an annotation: extractor, its version, its data; goes into the fingerprint."""
        ...

    def data_identity(self, options: StudyOptions) -> Mapping[str, object]:
        """Return the data that sums and estimates rest on beside annotations, by content; goes into the fingerprint."""
        ...

    def labels_with_model(self, options: StudyOptions) -> bool:
        """Say whether the options name an annotator that asks a model; the run must have `labeller:` or `labellers:` then."""
        ...

    def annotator(self, options: StudyOptions) -> Annotator | AskingAnnotator:
        """Build the annotator that the options name: an `AskingAnnotator` if and only if `labels_with_model`."""
        ...

    def sums(self, options: StudyOptions, annotations: pa.Table, prompts: pa.Table) -> pa.Table:
        """Map one annotation part to sufficient statistics (schema `schemas.SUMS`)."""
        ...

    def tallies(self, options: StudyOptions, annotations: pa.Table, prompts: pa.Table) -> pa.Table:
        """Map one annotation part to counts of items that are shown but not estimated (schema `schemas.TALLIES`)."""
        ...

    def replicates(self, options: StudyOptions, sums: pa.Table, blocks: Sequence[int]) -> pa.Table:
        """Compute some blocks of bootstrap replicates of all statistics (schema `schemas.REPLICATES`).

        The same rows in the same order for any blocks; a block's values do not depend on which others are asked for.
        """
        ...

    def estimates(self, options: StudyOptions, sums: pa.Table, replicates: pa.Table) -> pa.Table:
        """Turn summed statistics and all their replicates into estimates (schema `schemas.ESTIMATES`, no q_value)."""
        ...

    def planned_shares(self, options: StudyOptions, prompts: pa.Table) -> Sequence[PlannedShare]:
        """Return the shares that a run of these prompts will estimate; may leave out rare ones, never a whole cell."""
        ...

    def sections(self, options: StudyOptions, data: ReportInput) -> Sequence[Section]:
        """Return the report's sections for this study: figures, tables, caveats."""
        ...

    def comparison_sections(self, options: StudyOptions, data: Sequence[ReportInput]) -> Sequence[Section]:
        """Return the sections of a report over several models, in their order; at least one, names unique."""
        ...


class WatchedCell(NamedTuple):
    """A cell whose shares `sampling.until` brings to a wanted half width, and the prompts that it consists of."""

    cell: str
    shares: tuple[str, ...]
    prompts: tuple[str, ...]
    """Ids. All prompts of a cell get equally many samples until the cell is narrow enough."""


@runtime_checkable
class WatchingStudy(Protocol):
    """A study that can be sampled until its cells are narrow enough; one without these methods cannot."""

    def watched(self, options: StudyOptions, prompts: pa.Table) -> Sequence[WatchedCell]:
        """Return the cells to watch, among these prompts. A prompt of none of them stops at the first look."""
        ...

    def observations(self, options: StudyOptions, annotations: pa.Table, prompts: pa.Table) -> pa.Table:
        """Map one annotation part to what each sample adds to each watched share (schema `schemas.OBSERVATIONS`).

        They count what the estimates count. A sample in which nothing was observed may be left out.
        """
        ...


@runtime_checkable
class CombiningStudy(Protocol):
    """A study that several models can label for, each in a wording of its own; one without these methods takes one model."""

    @property
    def combined_schema(self) -> pa.Schema:
        """Columns of a combined table: those of `Study.annotation_schema`, then who said what."""
        ...

    def worded(self, options: StudyOptions, wording: str) -> StudyOptions:
        """Return the options of a labeller that is asked with a wording of its own (`labeller.prompt`)."""
        ...

    def combination_identity(self, options: StudyOptions) -> Mapping[str, object]:
        """Return what changes a combined label beside the labels it is made of; goes into the fingerprint."""
        ...

    def combine(self, options: StudyOptions, tables: Mapping[str, pa.Table]) -> pa.Table:
        """Return one label a sample (schema `combined_schema`) from the tables of two labellers or more, by name.

        Each table is what `Study.annotator` made of the same completions; so is their order, and that of the result.
        """
        ...
