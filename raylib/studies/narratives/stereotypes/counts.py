"""How many stories name an identity, by group of terms, by term, domain, condition and role; zero is a finding."""

import math

import pyarrow as pa

from raylib.stats.arrays import Floats
from raylib.stats.clustered_shares import wilson_clustered
from raylib.stats.intervals import wilson
from raylib.studies.narratives.stereotypes.roles import ROLES
from raylib.studies.narratives.stereotypes.sums import term_measures
from raylib.studies.narratives.stereotypes.terms import TermList
from raylib.studies.sums import Cell, read_cells

ANY_ROLE = "any"

COUNTS = pa.schema(
    [
        pa.field("group", pa.string(), nullable=False),
        pa.field("term", pa.string()),  # null: any term of the group
        pa.field("domain", pa.string(), nullable=False),  # all: pooled
        pa.field("condition", pa.string(), nullable=False),
        pa.field("role", pa.string(), nullable=False),  # any | subject | object | unknown
        pa.field("count", pa.int64(), nullable=False),  # stories with at least one hit
        pa.field("stories", pa.int64(), nullable=False),  # stories that were searched
        pa.field("prompts", pa.int64(), nullable=False),
        pa.field("share", pa.float64()),
        pa.field("ci_low", pa.float64()),  # Wilson, 95 percent: takes stories as independent
        pa.field("ci_high", pa.float64()),
        pa.field("cluster_low", pa.float64()),  # Wilson at the effective sample size, clustered by prompt
        pa.field("cluster_high", pa.float64()),
    ]
)
"""One row a group (by role) and one a term (any role) in each cell, also where the count is 0."""


def term_counts(sums: pa.Table, terms: TermList) -> pa.Table:
    """Return the counts (schema COUNTS) from the sums of all parts (`term_sums`, added up).

    Order: cells as sorted by name, groups and terms as in the list. Without any searched story there is no row.
    """
    measures = term_measures(terms)
    own = sums.filter(pa.array([name in measures for name in sums["measure"].to_pylist()], pa.bool_()))
    rows = [row for name, cell in read_cells(own, measures).items() for row in _of_cell(name, cell, terms)]
    return pa.Table.from_pylist(rows, schema=COUNTS)


def _of_cell(name: str, cell: Cell, terms: TermList) -> list[dict[str, object]]:
    domain, _, condition = name.partition("/")
    by_group, by_role, by_term = (cell.vector(measure) for measure in ("term_group", "term_role", "term"))
    searched = by_group[:, 0]
    columns: list[tuple[tuple[str, str | None, str], Floats]] = []
    for place, group in enumerate(terms.groups):
        columns.append(((group, None, ANY_ROLE), by_group[:, 1 + place]))
        for offset, role in enumerate(ROLES):
            columns.append(((group, None, role), by_role[:, len(ROLES) * place + offset]))
    columns += [
        ((group, term, ANY_ROLE), by_term[:, place]) for place, (term, group) in enumerate(terms.group_of.items())
    ]
    rows = []
    for (group, term, role), values in columns:
        count, stories = values.sum(), searched.sum()
        low, high = wilson(count, stories)
        cluster_low, cluster_high = wilson_clustered(values, searched)
        rows.append({
            "group": group, "term": term, "domain": domain, "condition": condition, "role": role, "count": int(count),
            "stories": int(stories), "prompts": int((searched > 0).sum()),
            "share": count / stories if stories else None, "ci_low": _known(low), "ci_high": _known(high),
            "cluster_low": _known(cluster_low), "cluster_high": _known(cluster_high),
        })  # fmt: skip
    return rows


def _known(value: Floats) -> float | None:
    number = float(value)
    return number if math.isfinite(number) else None
