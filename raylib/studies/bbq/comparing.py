"""BBQ between two runs: a model against itself with an adapter."""

from collections.abc import Mapping

import pyarrow as pa
import pyarrow.compute as pc

from raylib.studies.bbq.estimates import ACCURACY, ALL_STYLES, BBQ_ACCURACY, BIAS
from raylib.studies.bbq.metrics import POOLED
from raylib.studies.bbq.options import BbqOptions
from raylib.studies.comparing import Headline, SampleScores
from raylib.studies.resampling import Key

_SAID_BY_DATA = {"files"}


def agreed_options(options: BbqOptions) -> Mapping[str, object]:
    """Return the options that choose items, say how they are asked, and how an answer is told."""
    return options.model_dump(mode="json", exclude=_SAID_BY_DATA)


def headline(key: Key) -> Headline | None:
    """Return the place of a category's BBQ accuracy, and of the pooled accuracies and bias scores."""
    if key.statistic == BBQ_ACCURACY:
        category = "all categories" if key.cell == POOLED else key.cell
        return Headline(BBQ_ACCURACY, category if key.group == ALL_STYLES else f"{category}, {key.group}")
    if key.statistic in (ACCURACY, BIAS) and key.cell == POOLED:
        return Headline(key.statistic, f"{key.axis}, {key.group}")
    return None


def sample_scores(annotations: pa.Table) -> SampleScores:
    """Return 1 for an answer as the stereotype has it, -1 for one against it, 0 for unknown; null where none was read."""
    return SampleScores(pc.cast(annotations["leaning"], pa.float64()).combine_chunks(), _refused(annotations))


def _refused(annotations: pa.Table) -> pa.Array:
    return pc.equal(annotations["status"], "refused").combine_chunks()
