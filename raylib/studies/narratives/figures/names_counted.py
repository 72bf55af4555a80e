"""First names as the tallies count them, with their likelihoods: what figure 3a and table 2 are made of."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa

from raylib.stats.arrays import Floats
from raylib.studies.narratives.figures.reading import ModelNumbers
from raylib.studies.narratives.names import Aligned, NameTable


@dataclass(frozen=True)
class CountedNames:
    """Names in order, with a row of likelihoods each."""

    names: tuple[str, ...]
    """In capitals."""
    counts: pd.DataFrame
    """One row a name, one column a cell: characters of the name, all chosen models and genders added up."""
    found: Aligned
    """Likelihoods of RACES, and for which of them the source of the race lists the name."""


def counted_names(models: Sequence[ModelNumbers], table: NameTable, gender: str | None = None) -> CountedNames:
    """Return the names that occur in any model, in alphabetical order; with a `gender`, of its characters only."""
    tallies = pa.concat_tables([model.tallies for model in models]).to_pandas()
    if gender is not None:
        tallies = tallies[tallies["group"] == gender]
    counts = tallies.pivot_table(index="item", columns="cell", values="count", aggfunc="sum", fill_value=0)
    names = tuple(str(name) for name in counts.index)
    return CountedNames(names, counts, table.likelihoods(list(names)).aligned())


def in_cell(counted: CountedNames, cell: str) -> Floats:
    """Return the characters of each name in a cell, shape (names,); zeros for a cell without any."""
    if cell not in counted.counts:
        return np.zeros(len(counted.names))
    return np.asarray(counted.counts[cell], dtype=np.float64)
