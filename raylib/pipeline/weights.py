"""Prompts count alike in a cell that pools them with different numbers of samples (`sampling.until` does that).

A pooled share is sum(x) / sum(n) over prompts. With m samples of a prompt here and M there, the second would weigh M / m
times as much, and the share would be of something else than in a run with equally many samples. So the sums of prompt
j in a mixed cell are multiplied by H / m_j, H being the harmonic mean of the m_j over the cell's clusters: the share is
what equally many samples tend to, and the counts are those of H samples of each prompt, which is Kish's effective size
(1965, Survey Sampling, section 11.7): (sum w m)^2 / sum(w^2 m) with w = H / m is H a prompt. Wilson's interval at these
counts and the bootstrap by prompt stay what they are. Cells whose prompts have equally many samples keep every bit.
"""

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from raylib.schemas import ESTIMATES, SUMS
from raylib.stats.exact import LIKELIHOOD_STEP, on_grid


def samples_by_cluster(prompts: pa.Table, samples: Mapping[str, int] | None) -> dict[str, int]:
    """Return the samples of each cluster's prompts, which `until` draws alike; {} for None (a run of equal samples)."""
    if samples is None:
        return {}
    rows = zip(prompts["prompt_id"].to_pylist(), prompts["cluster"].to_pylist(), strict=True)
    return {cluster: samples[prompt] for prompt, cluster in rows}


def mixed_cells(sums: pa.Table, samples: Mapping[str, int]) -> dict[str, dict[str, float]]:
    """Return, for each cell whose clusters have different numbers of samples, the weight H / m of each cluster."""
    if len(set(samples.values())) < 2:
        return {}
    members: dict[str, set[str]] = {}
    for row in sums.select(["cell", "cluster"]).group_by(["cell", "cluster"]).aggregate([]).to_pylist():
        members.setdefault(row["cell"], set()).add(row["cluster"])
    mixed = {}
    for cell, clusters in members.items():
        if len({samples[cluster] for cluster in clusters}) > 1:
            mean = len(clusters) / sum(1 / samples[cluster] for cluster in sorted(clusters))
            mixed[cell] = {cluster: mean / samples[cluster] for cluster in clusters}
    return mixed


def weighted(sums: pa.Table, weights: Mapping[str, Mapping[str, float]]) -> pa.Table:
    """Return the sums (schema SUMS) with those of mixed cells multiplied by their cluster's weight.

    Products are rounded to the grid on which sums add exactly (`raylib.stats.exact`), about 2e-10.
    """
    if not weights:
        return sums
    keys = zip(sums["cell"].to_pylist(), sums["cluster"].to_pylist(), strict=True)
    factors = np.array([weights.get(cell, {}).get(cluster, 1.0) for cell, cluster in keys])
    vectors = sums["values"].combine_chunks()
    lengths = vectors.value_lengths().to_numpy(zero_copy_only=False)
    values = vectors.flatten().to_numpy(zero_copy_only=False) * np.repeat(factors, lengths)
    ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    lists = pa.ListArray.from_arrays(ends, pa.array(on_grid(values, LIKELIHOOD_STEP)))
    return sums.set_column(sums.column_names.index("values"), SUMS.field("values"), lists)


def marked(estimates: pa.Table, weights: Mapping[str, Mapping[str, float]], samples: Mapping[str, int]) -> pa.Table:
    """Return the estimates (schema ESTIMATES) with a note on those of mixed cells."""
    if not weights:
        return estimates
    notes = []
    for cell, note in zip(estimates["cell"].to_pylist(), estimates["note"].to_pylist(), strict=True):
        if cell in weights:
            drawn = [samples[cluster] for cluster in weights[cell]]
            said = f"prompts with {min(drawn)} to {max(drawn)} samples, weighed alike; counts are effective ones"
            note = f"{note}; {said}" if note else said
        notes.append(note)
    return estimates.set_column(
        estimates.column_names.index("note"), ESTIMATES.field("note"), pa.array(notes, pa.string())
    )
