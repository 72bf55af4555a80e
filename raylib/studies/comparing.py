"""What a study gives so that two of its runs can be compared (`jobs/compare.py`)."""

from collections.abc import Mapping
from typing import NamedTuple, Protocol, runtime_checkable

import pyarrow as pa

from raylib.studies.base import StudyOptions
from raylib.studies.differences import Side
from raylib.studies.resampling import Key


class Headline(NamedTuple):
    """Where a difference stands in the figure and in the summary that a job prints."""

    panel: str
    label: str


@runtime_checkable
class ComparableStudy(Protocol):
    """A study whose runs can be compared; one without these methods cannot."""

    prompt_key: str
    """Column of the prompt table that is the same for a prompt in every variant of its wording."""
    prompt_columns: tuple[str, ...]
    """Columns that tell a reader which prompt it is: the axis (or domain) first, what was asked last."""

    def agreed_options(self, options: StudyOptions) -> Mapping[str, object]:
        """Return the options, defaults filled in, without which two runs' numbers are of different things.

        Not among them: what the runs are compared for (a variant), who labels (told), and data that `data_identity` has.
        """
        ...

    def side(self, options: StudyOptions, sums: pa.Table) -> Side:
        """Return a run's comparisons from its sums (schema `schemas.SUMS`), and what noise adds to them.

        Targets hold all clusters of their cells, sorted by name: two runs with the same clusters draw the same ones.
        """
        ...

    def headline(self, key: Key) -> Headline | None:
        """Return the place of a difference in the figure and the summary; None: the tables alone have it."""
        ...


class SampleScores(NamedTuple):
    """One entry a sample, in the order of the annotations."""

    score: pa.Array
    """float64; null where the sample has no score."""
    refused: pa.Array
    """bool."""


@runtime_checkable
class ScoringStudy(Protocol):
    """A comparable study that gives each sample a score, whose sign says whom it favours: then prompts can flip."""

    def sample_scores(self, options: StudyOptions, annotations: pa.Table) -> SampleScores:
        """Return the score of each annotated sample, as the estimates count it."""
        ...
