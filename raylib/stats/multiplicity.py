"""Control of many comparisons: Benjamini-Hochberg's false discovery rate."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import false_discovery_control

from raylib.errors import DataError
from raylib.stats.arrays import Floats, numbers


class Adjusted(NamedTuple):
    """Adjusted p-values, in the input's shape, and how many comparisons they were adjusted for."""

    p_values: Floats
    comparisons: int


def benjamini_hochberg(p_values: npt.ArrayLike) -> Adjusted:
    """Return p-values adjusted for the false discovery rate over ALL that are given, whatever their shape.

    Source: Benjamini and Hochberg (1995), J. R. Stat. Soc. B 57: 289, by scipy.stats.false_discovery_control.
    Reject those at or below the level: the expected share of false ones among them is at most the level (for
    independent or positively dependent tests).

    Returns:
        NaN stays NaN and is not a comparison: a cell that is not modelled or has no data was never tested. No
        p-values, or NaN only: 0 comparisons. A p-value of 0 (an underflow) stays 0.

    Raises:
        DataError: a p-value outside [0, 1]; the message names the index.
    """
    values = numbers(p_values, "p_values")
    wrong = (values < 0) | (values > 1)
    if wrong.any():
        index = tuple(int(i) for i in np.argwhere(wrong)[0])
        raise DataError(f"p_values is {values[index]} at index {index}: a p-value lies in [0, 1]")
    tested = ~np.isnan(values)
    adjusted = np.full(values.shape, np.nan)
    if tested.any():
        adjusted[tested] = false_discovery_control(values[tested], method="bh")
    return Adjusted(adjusted, int(tested.sum()))
