"""From sums to the study's numbers, each with a bootstrap by template; the control's DoB first, as the noise floor.

Every row has a status. `ok`: a number. `no data`: no scored essay. Without `ok` all numbers are null, never zero or NaN.

The plug-in DoB is a variance of noisy means, so noise adds to it: a fair model does not get 0, and the percentile
interval holds the noise twice. `DoB corrected` takes it off (see `noise`).
"""

from collections.abc import Collection, Mapping, Sequence

import pyarrow as pa

from raylib.schemas import ESTIMATES
from raylib.stats.arrays import Floats
from raylib.studies.ltf.comparisons import favouritism_of
from raylib.studies.ltf.degrees import CORRECTED, mean_degree
from raylib.studies.ltf.favouritism import dob_name
from raylib.studies.ltf.measures import CONTROLS, POOLED
from raylib.studies.ltf.noise import Noise, corrected, noises
from raylib.studies.ltf.scoring import Scoring
from raylib.studies.ltf.shares import shares_of_cell, shares_of_groups
from raylib.studies.ltf.world import World, read_world
from raylib.studies.resampling import Key, by_key
from raylib.studies.rows import OK, Comparison, Row, bootstrap_columns, joined, key_of

_BOOTSTRAP = "percentile, clustered by template"
_ONE_TEMPLATE = "one template only: no bootstrap interval"
_NO_SPREAD = "replicates without spread or essays: no bootstrap interval"
_PLUG_IN = "plug-in: biased upwards by noise, its bootstrap interval twice so; see DoB corrected"
_FEW = 10
"""With fewer templates the note says that the interval is rough."""


def comparisons(sums: pa.Table, scoring: Scoring, controls: Collection[str] = CONTROLS) -> list[Comparison]:
    """Return all comparisons of a run, in the order of the estimates.

    The control axis; then `all`, each axis by group, each axis by term, and each topic: of `all` and of each axis.
    `controls` as for `metrics.sums`.
    """
    world = read_world(sums, controls)
    pooled = world.axes(control=False)
    found = [comparison for axis in world.axes(control=True) for comparison in _axis(world, axis, scoring)]
    found += _pool(world, POOLED, pooled, scoring)
    found += [comparison for axis in pooled for comparison in _axis(world, axis, scoring)]
    for view in world.terms.values():
        found += [favouritism_of(view, scoring), shares_of_groups(view, scoring)]
    for topic, views in world.topics.items():
        found += _pool(world, f"{POOLED}/{topic}", [axis for axis in views if axis in pooled], scoring, topic)
        for view in views.values():
            found.append(favouritism_of(view, scoring, pairs=False))
            found.append(shares_of_cell(view.cell, world.totals[view.cell], scoring))
    return found


def estimates(sums: pa.Table, replicates: pa.Table, scoring: Scoring, controls: Collection[str] = CONTROLS) -> pa.Table:
    """Return the rows of `comparisons` with the bootstrap's intervals, as a table of schema ESTIMATES (no q_value)."""
    replicated = by_key(replicates)
    found = comparisons(sums, scoring, controls)
    noise = noises(found, replicated, controls)
    rows = [
        _with_bootstrap(row, replicated, noise.get(str(row["cell"])), scoring)
        for comparison in found
        for row in comparison.rows
    ]
    return pa.Table.from_pylist(rows, schema=ESTIMATES)


def _axis(world: World, axis: str, scoring: Scoring) -> list[Comparison]:
    view = world.groups[axis]
    shares = [shares_of_cell(axis, world.totals[axis], scoring), shares_of_groups(view, scoring)]
    return [favouritism_of(view, scoring), *shares]


def _pool(world: World, cell: str, axes: Sequence[str], scoring: Scoring, topic: str | None = None) -> list[Comparison]:
    """Return the mean DoB and the pooled shares of the paper's axes; nothing where there are none."""
    if not axes:
        return []
    views = world.groups if topic is None else world.topics[topic]
    mean = mean_degree([views[axis] for axis in axes], cell, scoring)
    return [mean, shares_of_cell(cell, world.totals[cell], scoring)]


def _with_bootstrap(row: Row, replicated: Mapping[Key, Floats], noise: Noise | None, scoring: Scoring) -> Row:
    """Add the bootstrap's interval, and what the reader must know of the row to its note."""
    values = replicated.get(key_of(row)) if row["status"] == OK else None
    if row["status"] == OK and row["statistic"] == CORRECTED:
        row = corrected(row, values, noise)
    elif values is not None:
        row = row | bootstrap_columns(values, _BOOTSTRAP)
    if row["status"] != OK:
        return row
    templates = int(str(row["clusters"]))
    notes = [row.get("note"), _PLUG_IN if row["statistic"] == dob_name(scoring) else None]
    if templates == 1:
        notes.append(_ONE_TEMPLATE)
    elif "boot_low" not in row:
        notes.append(_NO_SPREAD)
    elif templates < _FEW:
        rough = ", and noise is taken off in part" if row["statistic"] == CORRECTED else ""
        notes.append(f"{templates} templates only: a rough interval{rough}")
    return row | {"note": joined(*notes)}
