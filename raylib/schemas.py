"""The columns of every table that a stage hands to the next one.

A part that does not have exactly these columns and types is refused when it is written and when it is read.
"""

import pyarrow as pa

STATUSES = ("ok", "refused", "truncated", "error")
"""Every planned sample ends in exactly one of these; expected = the sum of the four."""

UNPARSED = "unparsed"
"""A further status that annotations have: the model that labels gave no answer that can be read. No label, never a guess."""

PROMPT_COLUMNS = (
    pa.field("prompt_id", pa.string(), nullable=False),
    pa.field("prompt", pa.string(), nullable=False),
    pa.field("cluster", pa.string(), nullable=False),
)
"""What every study's prompt table begins with; `cluster` is the resampling unit of the bootstrap."""

CHOICES = pa.field("choices", pa.list_(pa.string()), nullable=False)
"""A prompt table that has this column asks for no text: the model says how likely each of these answers is, and the text
of a sample is the record of that (`raylib.engines.choices`)."""

COMPLETIONS = pa.schema(
    [
        pa.field("sample_id", pa.string(), nullable=False),
        pa.field("prompt_id", pa.string(), nullable=False),
        pa.field("sample_index", pa.int32(), nullable=False),
        pa.field("seed", pa.int64()),
        pa.field("status", pa.string(), nullable=False),
        pa.field("text", pa.string()),
        pa.field("reasoning", pa.string()),
        pa.field("finish_reason", pa.string()),
        pa.field("prompt_tokens", pa.int32(), nullable=False),
        pa.field("completion_tokens", pa.int32(), nullable=False),
        pa.field("reasoning_tokens", pa.int32(), nullable=False),
        pa.field("attempt", pa.int16(), nullable=False),
        pa.field("error_type", pa.string()),
        pa.field("error", pa.string()),
        pa.field("given", pa.string()),
    ]
)
"""One row a sample. `text` is null where status is `error`, never made up. Imported texts have no seed, and token counts
of 0, which are unknown; their `given` says, as a JSON mapping, which row of which file they were, and its labels."""

SUMS = pa.schema(
    [
        pa.field("cell", pa.string(), nullable=False),
        pa.field("cluster", pa.string(), nullable=False),
        pa.field("measure", pa.string(), nullable=False),
        pa.field("values", pa.list_(pa.float64()), nullable=False),
    ]
)
"""Sufficient statistics: the sum of a measure over the samples of one cluster in one cell. They add up.

`values` is a vector: the study says what each entry of a measure stands for (`raylib.studies.base.Study.measures`).
"""

TALLIES = pa.schema(
    [
        pa.field("cell", pa.string(), nullable=False),
        pa.field("item", pa.string(), nullable=False),
        pa.field("group", pa.string(), nullable=False),
        pa.field("count", pa.int64(), nullable=False),
    ]
)
"""How often each of many items (names, terms) occurs in a cell: too many for a vector, and nothing is resampled."""

REPLICATES = pa.schema(
    [
        pa.field("statistic", pa.string(), nullable=False),
        pa.field("cell", pa.string(), nullable=False),
        pa.field("axis", pa.string(), nullable=False),
        pa.field("group", pa.string(), nullable=False),
        pa.field("values", pa.list_(pa.float64()), nullable=False),
    ]
)
"""Bootstrap replicates of every estimate that has them: entry r is replicate r. NaN: the statistic does not exist there."""

PROVENANCE = pa.schema(
    [
        pa.field(
            "stage", pa.string(), nullable=False
        ),  # generate, annotate, annotate-NAME (one of several judges), reduce
        pa.field("kind", pa.string(), nullable=False),  # setting | part | missing | measure | cluster
        pa.field(
            "name", pa.string(), nullable=False
        ),  # dotted name of a setting, key of a part, unit, measure, prompt id
        pa.field("value", pa.string(), nullable=False),  # JSON of a setting, sha256 of a part, reason, labels, cluster
        pa.field("rows", pa.int64()),  # rows of a part, samples of a missing unit
    ]
)
"""What a run's numbers rest on: every setting, and every part that was read, with its hash."""

OBSERVATIONS = pa.schema(
    [
        pa.field("cell", pa.string(), nullable=False),
        pa.field("share", pa.string(), nullable=False),  # for example race Latine
        pa.field("prompt_id", pa.string(), nullable=False),
        pa.field("counted", pa.float64(), nullable=False),  # of `total`; fractional for race
        pa.field("total", pa.float64(), nullable=False),  # observations in this sample
    ]
)
"""What single samples add to the shares that `sampling.until` watches: one row a sample, cell and share."""

ESTIMATES = pa.schema(
    [
        pa.field("statistic", pa.string(), nullable=False),  # for example R_rep
        pa.field("cell", pa.string(), nullable=False),  # for example Labor/power-neutral
        pa.field("axis", pa.string(), nullable=False),  # race, gender, ...
        pa.field("group", pa.string(), nullable=False),  # Latine, F, ...
        pa.field("status", pa.string(), nullable=False),  # ok | not modelled | no data
        pa.field("estimate", pa.float64()),
        pa.field("ci_low", pa.float64()),  # the study's own interval, 95 percent
        pa.field("ci_high", pa.float64()),
        pa.field("ci_method", pa.string()),
        pa.field("boot_low", pa.float64()),  # bootstrap by cluster
        pa.field("boot_high", pa.float64()),
        pa.field("boot_method", pa.string()),
        pa.field("share", pa.float64()),  # observed share
        pa.field("baseline", pa.float64()),  # comparison share
        pa.field("count", pa.float64()),  # numerator (fractional for race)
        pa.field("n", pa.int64(), nullable=False),  # denominator: observations
        pa.field("clusters", pa.int64(), nullable=False),
        pa.field("replicates", pa.int64(), nullable=False),
        pa.field("p_value", pa.float64()),
        pa.field("q_value", pa.float64()),  # p_value, adjusted for all comparisons of the table
        pa.field("cohen_d", pa.float64()),
        pa.field("note", pa.string()),
    ]
)
"""One row a number in the report. A status other than `ok` leaves the numbers null: unknown, never zero."""
