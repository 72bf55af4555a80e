"""How wide a share's interval will be at the plan, and how many samples a prompt a wanted width takes."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from raylib.pipeline.planning.assumptions import Correlation
from raylib.pipeline.planning.pilot_sums import Counts
from raylib.stats.design import (
    Clusters,
    Components,
    components,
    design_half_width,
    design_samples,
    fractional_components,
    half_width_floor,
    measured_components,
    size_variation,
)
from raylib.studies.base import PlannedShare

ASSUMED = "assumed"
MEASURED = "measured"
SHARE_MEASURED = "share measured"
"""The pilot saw the share, but not how alike the texts of a prompt are."""


class Precision(NamedTuple):
    """One share of one cell. Pairs are (best case, worst case)."""

    cell: str
    axis: str
    group: str
    prompts: int
    share: float
    half_width: tuple[float, float]
    floor: tuple[float, float]
    """What no number of samples gets below."""
    samples_needed: tuple[float, float]
    """A prompt, for the target; infinite: the floor is above it."""
    observations_per_sample: float
    rests_on: str
    """The pilot with its observations and prompts, or "assumed"."""
    basis: str = ASSUMED


class Plan(NamedTuple):
    """What the precision of every share depends on."""

    samples: int
    """A prompt."""
    target: float
    """Wanted half width."""
    correlation: Correlation


class PilotCell(NamedTuple):
    """What a pilot saw of a share, and of how many prompts and samples a prompt."""

    run: str
    counts: Counts
    prompts: int
    samples: float
    """A prompt, on average."""


def assumed(share: PlannedShare, plan: Plan) -> Precision:
    """Return the precision by the assumed correlation, one observation a sample."""
    p = 0.5 if share.expected is None else share.expected
    cases = _assumed_cases(p, plan.correlation)
    return _precision(share, plan, p, cases, Clusters(share.prompts), "assumed")


def measured(share: PlannedShare, plan: Plan, pilot: PilotCell) -> Precision:
    """Return the precision by what a pilot saw; by assumptions where it saw nothing."""
    x, n = pilot.counts
    total = sum(n)
    if not total or not pilot.prompts or not pilot.samples:
        return assumed(share, plan)._replace(rests_on=f"assumed: nothing seen in pilot {pilot.run}")
    empty = max(0, pilot.prompts - len(n))
    clusters = Clusters(
        share.prompts, total / (max(pilot.prompts, len(n)) * pilot.samples), size_variation([*n, *[0.0] * empty])
    )
    seen, basis = f"pilot {pilot.run}: n={total:,.0f}, {len(n)} prompts", MEASURED
    p = sum(x) / total
    cases = _measured_cases(share, pilot.counts)
    if cases is None:
        least = min(0.5 / total, 0.5)
        cases = _assumed_cases(min(max(p, least), 1 - least), plan.correlation)
        seen, basis = f"{seen}; correlation assumed", SHARE_MEASURED
    return _precision(share, plan, p, cases, clusters, seen)._replace(basis=basis)


def widest(lines: Sequence[Precision]) -> list[Precision]:
    """Return the widest share of each cell and axis, in the order of the cells."""
    found: dict[tuple[str, str], Precision] = {}
    for line in lines:
        before = found.get((line.cell, line.axis))
        if before is None or line.half_width[1] > before.half_width[1]:
            found[line.cell, line.axis] = line
    return list(found.values())


def _assumed_cases(p: float, correlation: Correlation) -> tuple[Components, Components]:
    return components(p, correlation.low), components(p, correlation.high)


def _measured_cases(share: PlannedShare, counts: Counts) -> tuple[Components, Components] | None:
    if share.fractional:
        return fractional_components(*counts) if sum(counts.x) else None
    return measured_components(*counts)


def _precision(
    share: PlannedShare, plan: Plan, p: float, cases: tuple[Components, Components], clusters: Clusters, rests_on: str
) -> Precision:
    widths = sorted(design_half_width(case, clusters, plan.samples) for case in cases)
    floors = sorted(half_width_floor(case, clusters) for case in cases)
    needed = sorted(design_samples(plan.target, case, clusters) for case in cases)
    return Precision(
        cell=share.cell, axis=share.axis, group=share.group, prompts=share.prompts, share=p,
        half_width=(widths[0], widths[1]), floor=(floors[0], floors[1]), samples_needed=(needed[0], needed[1]),
        observations_per_sample=clusters.per_sample, rests_on=rests_on,
    )  # fmt: skip


def unreachable(line: Precision) -> bool:
    """Return whether no number of samples reaches the target, even in the best case."""
    return math.isinf(line.samples_needed[0])
