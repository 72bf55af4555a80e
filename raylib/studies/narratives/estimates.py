"""From sums to the study's numbers: R_rep, R_sub and R_mrs with the paper's intervals, and beside them a bootstrap.

Every row has a status. `ok`: a number. `no data`: nothing was observed in that cell. `not modelled`: the name source has
no column for the race, or the preset no share for the group. Without `ok` all numbers are null, never zero or NaN.
A cell with one prompt has no bootstrap interval: resampling one cluster has no spread, and the note says so.
"""

import pyarrow as pa

from raylib.schemas import ESTIMATES
from raylib.stats.p_values import SMALLEST_REPORTED
from raylib.studies.narratives.axes import GENDER, PAIR, RACE, RACE_GENDER, RACE_PAIR
from raylib.studies.narratives.baseline import Baseline
from raylib.studies.narratives.comparisons import representation, subordination
from raylib.studies.narratives.measures import COUPLES_CELL, LADEN, MEASURES, NEUTRAL, POOLED
from raylib.studies.narratives.names import NameTable
from raylib.studies.narratives.racialised import racialised_subordination
from raylib.studies.resampling import by_key
from raylib.studies.rows import OK, Comparison, Row, bootstrap_columns, joined, key_of
from raylib.studies.sums import read_cells

_ONE_PROMPT = "one prompt only: no bootstrap interval"
_NO_SPREAD = "replicates without spread or observations: no bootstrap interval"
_BOOTSTRAP = "percentile, clustered by prompt"


def comparisons(sums: pa.Table, baseline: Baseline, table: NameTable) -> list[Comparison]:
    """Return all comparisons of a run, in the order of the estimates.

    R_rep by domain x condition and pooled, for race, gender and both; of couples for pairs of genders, and with race;
    R_sub and R_mrs by domain and pooled. For race, p is the mean likelihood over characters whose first name the table
    lists; for gender, the share among characters of one gender (unsure and unspecified left out).
    """
    cells = read_cells(sums, MEASURES)
    domains = [*sorted({cell.partition("/")[0] for cell in cells} - {POOLED}), POOLED]
    crossed = (RACE, GENDER, RACE_GENDER)
    neutral_and_laden = [f"{domain}/{condition}" for domain in domains for condition in (NEUTRAL, LADEN)]
    laden = [f"{domain}/{LADEN}" for domain in domains]
    return [
        *(representation(name, cells, axis, baseline, table) for name in neutral_and_laden for axis in crossed),
        *(representation(COUPLES_CELL, cells, axis, baseline, table) for axis in (PAIR, RACE_PAIR)),
        *(subordination(name, cells, axis, table) for name in laden for axis in crossed),
        *(racialised_subordination(name, cells, table) for name in laden),
    ]


def estimates(sums: pa.Table, replicates: pa.Table, baseline: Baseline, table: NameTable) -> pa.Table:
    """Return the rows of `comparisons` with the bootstrap's intervals beside them, as a table of schema ESTIMATES."""
    replicated = by_key(replicates)
    rows = []
    for comparison in comparisons(sums, baseline, table):
        for row in comparison.rows:
            values = replicated.get(key_of(row)) if row["status"] == OK else None
            rows.append(_with_notes(row | (bootstrap_columns(values, _BOOTSTRAP) if values is not None else {})))
    return pa.Table.from_pylist(rows, schema=ESTIMATES)


def _with_notes(row: Row) -> Row:
    """Add what the reader must know of this row to its note."""
    if row["status"] != OK:
        return row
    notes = [row.get("note")]
    if row.get("p_value") == SMALLEST_REPORTED:
        notes.append("p < 1e-300")
    if row["clusters"] == 1:
        notes.append(_ONE_PROMPT)
    elif "boot_low" not in row:
        notes.append(_NO_SPREAD)
    return row | {"note": joined(*notes)}
