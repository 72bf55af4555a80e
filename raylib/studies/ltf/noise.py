"""What noise adds to the degree of bias, and DoB without it.

DoB is a variance of estimated means, so its expectation is the true variance plus what their errors add (Searle, in
`raylib.stats.dispersion`). The errors of GroupFav are not independent: their covariance is that of the replicates, times
K / (K - 1) for K templates, the share that resampling with replacement takes off.

A replicate's DoB has the noise twice: its own, around the sample's. So the interval of `DoB corrected` is the percentile
interval of the replicates, moved down by both. It may reach below 0, as the estimate may: "no more than noise".

In simulated essays of the 11,948 prompts, with templates that favour groups by chance and no group favoured throughout,
the plug-in's interval never held 0 and the corrected one always did (12 runs, by axis and by term). In one topic (four
templates, and where axes rotate them each pair in one only) the correction takes off about four fifths of the noise.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from raylib.stats.arrays import Floats
from raylib.stats.bootstrap_intervals import MAX_UNDEFINED, replicate_covariance
from raylib.stats.dispersion import bias_corrected_variance, degree_of_bias
from raylib.studies.ltf.degrees import CORRECTED
from raylib.studies.ltf.measures import POOLED
from raylib.studies.resampling import Key
from raylib.studies.rows import NO_DATA, OK, Comparison, Row, bootstrap_columns, joined, key_of

_BOOTSTRAP = "percentile less the noise, clustered by template"
_UNSEEN = "noise unknown: resampling templates shows none (a single template, or groups that few replicates hold)"


class Noise(NamedTuple):
    """What noise adds to a variance of GroupFav."""

    sample: float
    """To the sample's."""
    replicate: float
    """To a replicate's, beyond the sample's."""


def noises(
    found: Sequence[Comparison], replicated: Mapping[Key, Floats], controls: Collection[str]
) -> dict[str, Noise]:
    """Return the noise of each cell that has a DoB; cells whose noise cannot be seen are left out."""
    result: dict[str, Noise] = {}
    members: dict[str, list[str]] = {}
    for comparison in found:
        for row in comparison.rows:
            cell, axis = str(row["cell"]), str(row["axis"])
            if row["statistic"] != CORRECTED or row["status"] != OK or axis == POOLED:
                continue
            if axis not in controls:
                members.setdefault(POOLED + cell.removeprefix(axis), []).append(cell)
            noise = _noise(comparison.rows, replicated, int(str(row["clusters"])))
            if noise is not None:
                result[cell] = noise
    for pool, cells in members.items():
        known = [result[cell] for cell in cells if cell in result]
        if len(known) == len(cells):
            result[pool] = Noise(*(float(np.mean(added)) for added in zip(*known, strict=True)))
    return result


def corrected(row: Row, values: Floats | None, noise: Noise | None) -> Row:
    """Return a row of the plug-in variance, with its replicates, as one of `DoB corrected`."""
    if noise is None:
        return row | {"status": NO_DATA, "estimate": None, "note": _UNSEEN}
    estimate = float(str(row["estimate"])) - noise.sample
    note = f"noise adds {noise.sample:.6g} to the plug-in variance"
    row = row | {"estimate": estimate, "note": joined(row.get("note"), note, _beyond(estimate))}
    return row | bootstrap_columns(values - sum(noise), _BOOTSTRAP) if values is not None else row


def _beyond(estimate: float) -> str | None:
    return "no more than noise" if estimate <= 0 else None


def _noise(rows: Sequence[Row], replicated: Mapping[Key, Floats], templates: int) -> Noise | None:
    """Return the noise of one cell from the GroupFav rows of its comparison."""
    groups = [row for row in rows if row["statistic"] == "GroupFav" and row["status"] == OK]
    values = [replicated[key_of(row)] for row in groups if key_of(row) in replicated]
    if len(values) < len(groups) or templates < 2:
        return None
    drawn = np.column_stack(values)
    defined = drawn[np.isfinite(drawn).all(axis=1)]
    if len(defined) < 2 or len(defined) < (1 - MAX_UNDEFINED) * len(drawn):
        return None
    means = np.array([row["estimate"] for row in groups], dtype=np.float64)
    added = float(degree_of_bias(means) - bias_corrected_variance(means, replicate_covariance(defined)))
    return Noise(added * templates / (templates - 1), added)
