"""Sums that are the same bytes in any order: numbers on a common binary grid, so that no addition rounds.

A matrix product adds its terms in an order that depends on the BLAS, its threads, the CPU and the block shapes, and
float addition rounds differently in each order. Adding multiples of one power of two does not round at all as long
as every partial sum stays below 2^53 such multiples. So each column of sums is rounded ONCE onto a grid that is fine
enough to lose nothing that matters and coarse enough that all sums over resampled clusters are exact.
"""

import numpy as np
import numpy.typing as npt

from raylib.errors import DataError
from raylib.stats.arrays import Floats, finite

_BITS = 52
"""One less than a float64's 53 bits: rounding onto the grid may raise the largest value by half a step."""

LIKELIHOOD_STEP = 2.0**-32
"""A grid for likelihoods and other values in [0, 1]: rounding at most 1.2e-10 a row, and sums below 2^21 (two million
rows in one cluster and cell) add exactly in any order."""


def on_grid(values: npt.ArrayLike, step: float) -> Floats:
    """Return `values` rounded to the nearest multiple of `step`, so that sums of them do not depend on the order.

    For map steps: rows that are rounded first (`step=LIKELIHOOD_STEP`) give the same sums however parts are merged,
    while |sum| < 2^53 steps. NaN or inf is an error. 0 stays 0.

    Raises:
        DataError: a value is not finite, `step` is not a power of two, or a value exceeds 2^53 steps.
    """
    mantissa, _ = np.frexp(step)
    if not step > 0 or mantissa != 0.5:
        raise DataError(f"step is {step}: a grid needs a power of two, such as 2**-32")
    scaled = np.rint(finite(values, "values") / step)
    if (np.abs(scaled) > 2.0**53).any():
        raise DataError(f"a value exceeds 2^53 steps of {step}: choose a larger step")
    return scaled * step


def on_resampling_grid(sums: Floats) -> Floats:
    """Return per-cluster sums, shape (clusters, ...), rounded so that every resampled sum of them is exact.

    A resample draws as many clusters as there are, so no partial sum exceeds clusters x max|sum| of its column; the
    step is that bound's power of two divided by 2^52. Whole counts whose bound lies below 2^52 are not changed at all;
    other values change by less than clusters x 2^-52 of the column's largest value.

    The step depends on the column alone: not on the replicates, the block, or the other columns. A column of zeros
    stays. Unchecked: finite input.
    """
    bound = np.abs(sums).max(axis=0) * sums.shape[0]
    _, exponent = np.frexp(bound)
    shift = (_BITS - exponent).astype(np.int32)
    return np.asarray(np.ldexp(np.rint(np.ldexp(sums, shift)), -shift))
