"""Running sums of what `sampling.until` watches: from annotation parts to the moments of each cell and share."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from raylib.errors import DataError
from raylib.schemas import OBSERVATIONS
from raylib.stats.sequential import Moments

_KEYS = ["cell", "share", "prompt_id"]


class Tally:
    """Adds up parts in the order in which they come. Samples with status `error` are none: they say nothing."""

    def __init__(self) -> None:
        self._samples: Counter[str] = Counter()
        self._sums: dict[tuple[str, str, str], np.ndarray] = {}

    def add(self, annotations: pa.Table, observations: pa.Table) -> None:
        """Add one annotation part and what the study observed in it (schema OBSERVATIONS).

        Raises:
            DataError: `observations` has another schema.
        """
        if observations.schema != OBSERVATIONS:
            raise DataError("the study's observations have another schema than raylib.schemas.OBSERVATIONS")
        drawn = annotations.filter(pc.not_equal(annotations["status"], "error"))
        self._samples.update(drawn["prompt_id"].to_pylist())
        x, n = observations["counted"], observations["total"]
        columns = {"x": x, "n": n, "xx": pc.multiply(x, x), "xn": pc.multiply(x, n), "nn": pc.multiply(n, n)}
        table = pa.table({**{key: observations[key] for key in _KEYS}, **columns})
        sums = table.group_by(_KEYS, use_threads=False).aggregate([(name, "sum") for name in columns])
        values = np.column_stack([sums[f"{name}_sum"].to_numpy() for name in columns])
        for key, row in zip(zip(*(sums[key].to_pylist() for key in _KEYS), strict=True), values, strict=True):
            self._sums[key] = self._sums.get(key, 0.0) + row

    def moments(self, cell: str, share: str, prompts: Sequence[str]) -> Moments:
        """Return the moments of a share, shape (prompts,); zeros where nothing was observed."""
        sums = np.array([self._sums.get((cell, share, prompt), np.zeros(5)) for prompt in prompts])
        samples = np.array([self._samples[prompt] for prompt in prompts], dtype=np.float64)
        return Moments(samples, *sums.T)
