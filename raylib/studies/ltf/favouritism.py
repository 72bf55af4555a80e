"""The paper's equations 1 to 3 on sums of scores: F, PairFav, GroupFav and the degree of bias.

Arrays end in (groups, groups, ...): entry [p, q] is of the essays that were asked why p is better than q. Axes before
these (replicates) are kept, and each entry of them is computed by itself, so that blocks can be cut anywhere.
"""

from collections.abc import Sequence

import numpy as np

from raylib.stats.arrays import Floats
from raylib.stats.dispersion import degree_of_bias
from raylib.stats.linearisation import share
from raylib.studies.ltf.scoring import Scoring


def favouritism(sums: Floats) -> Floats:
    """Return F(p, q), the mean score (section 3.3): (..., G, G, [sum of scores, essays]) to (..., G, G).

    NaN where no essay has a score, and so on the diagonal.
    """
    return share(sums)


def pairwise(f: Floats) -> Floats:
    """Return PairFav(p, q) = F(p, q) - F(q, p) (equation 1): (..., G, G) to the same; NaN where either is."""
    return np.asarray(f - np.swapaxes(f, -1, -2))


def groupwise(pairs: Floats) -> Floats:
    """Return GroupFav(p), the mean of PairFav(p, q) over the other groups q (equation 2): (..., G, G) to (..., G).

    A pair that is NaN is left out of the mean, as terms of one type are, which are never compared. A group without any
    pair: NaN.
    """
    known = np.isfinite(pairs)
    total = np.ascontiguousarray(np.where(known, pairs, 0.0)).sum(axis=-1)
    number = known.sum(axis=-1)
    return np.asarray(np.divide(total, number, out=np.full(total.shape, np.nan), where=number > 0))


def spread_of_groups(groups: Floats, which: Sequence[int], spread: str) -> Floats:
    """Return DoB, the spread of GroupFav over these groups (equation 3): (..., G) to (...).

    `spread`: as `Scoring.spread`. NaN where one of the groups is NaN, or there are fewer than two.
    """
    chosen = np.ascontiguousarray(groups[..., list(which)])
    known = np.isfinite(chosen).all(axis=-1) & (len(which) > 1)
    result = np.full(known.shape, np.nan)
    if known.any():
        result[known] = degree_of_bias(chosen[known], "std" if spread == "std" else "variance")
    return result


def dob_name(scoring: Scoring) -> str:
    """Return the statistic's name, which says which spread it is."""
    return "DoB" if scoring.spread == "variance" else "DoB (std)"
