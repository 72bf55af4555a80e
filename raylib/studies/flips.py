"""Prompts that two runs answer differently: whose score changed its sign, or by 2 or more."""

from typing import NamedTuple

import numpy as np
import pandas as pd

LARGE = 2.0
"""A change of score that counts even within one sign (LTF-Test: from 0 to 2, say)."""

COLUMNS = ["score_a", "score_b", "change", "samples", "sample_a", "sample_b", "refused_a", "refused_b"]


class Flips(NamedTuple):
    """Which prompts flipped, of how many that could be compared."""

    rows: pd.DataFrame
    """Columns `prompt` and COLUMNS, the largest change first. Scores are means over the matched samples; the ids are those
    of the two samples of one index that differ most in the direction of the change; refusals are counts."""
    compared: pd.Series
    """Prompts that have at least one sample scored in both runs: `prompt` -> change of its mean score."""
    uncompared: int
    """Prompts of either run that have none."""


def flips(a: pd.DataFrame, b: pd.DataFrame) -> Flips:
    """Return the flipped prompts from two tables of samples.

    Samples are matched by prompt and index. One that has no score in either run is left out of both means, so a prompt
    is compared on the same indices.

    Args:
        a: columns prompt, sample_index, sample_id, score (NaN where there is none) and refused; (prompt, sample_index)
            unique.
        b: the same of the other run.
    """
    keys = ["prompt", "sample_index"]
    both = a.merge(b, on=keys, suffixes=("_a", "_b"), validate="one_to_one")
    both = both[both["score_a"].notna() & both["score_b"].notna()].sort_values(keys, kind="stable")
    means = both.groupby("prompt", sort=True).agg(
        score_a=("score_a", "mean"), score_b=("score_b", "mean"), samples=("score_a", "size"),
        refused_a=("refused_a", "sum"), refused_b=("refused_b", "sum"),
    )  # fmt: skip
    means["change"] = means["score_b"] - means["score_a"]
    crossed = np.sign(means["score_a"]) != np.sign(means["score_b"])
    flipped = means[crossed | (means["change"].abs() >= LARGE)]
    shown = _samples_that_differ_most(both, flipped["change"])
    rows = flipped.join(shown).reset_index()
    order = rows["change"].abs().sort_values(ascending=False, kind="stable").index
    prompts = len(set(a["prompt"]) | set(b["prompt"]))
    return Flips(rows.loc[order, ["prompt", *COLUMNS]].reset_index(drop=True), means["change"], prompts - len(means))


def _samples_that_differ_most(both: pd.DataFrame, change: pd.Series) -> pd.DataFrame:
    """Return the ids of one matched pair of samples a prompt: the first of those furthest apart in its direction."""
    own = both[both["prompt"].isin(change.index)]
    towards = (own["score_b"] - own["score_a"]) * np.sign(change.reindex(own["prompt"]).to_numpy())
    places = towards.groupby(own["prompt"]).idxmax()
    return (
        own.loc[places]
        .set_index("prompt")[["sample_id_a", "sample_id_b"]]
        .rename(columns={"sample_id_a": "sample_a", "sample_id_b": "sample_b"})
    )
