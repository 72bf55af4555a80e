"""How many comparisons a table makes, and its p-values adjusted for that."""

import numpy as np
import pyarrow as pa

from raylib.schemas import ESTIMATES
from raylib.stats.multiplicity import benjamini_hochberg


def with_q_values(estimates: pa.Table) -> pa.Table:
    """Return estimates with `q_value`: Benjamini-Hochberg over ALL p-values of the table, null where there is none."""
    p_values = np.array(estimates["p_value"].to_numpy(zero_copy_only=False), dtype=np.float64)
    adjusted = benjamini_hochberg(p_values).p_values
    column = pa.array([None if np.isnan(value) else float(value) for value in adjusted], type=pa.float64())
    place = ESTIMATES.get_field_index("q_value")
    return estimates.set_column(place, ESTIMATES.field(place), column)


def number_of_comparisons(estimates: pa.Table) -> int:
    """Return how many p-values a table holds."""
    return len(estimates) - int(estimates["p_value"].null_count)
