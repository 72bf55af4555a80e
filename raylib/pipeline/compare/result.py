"""What a comparison found, as its tables, its page and its summary read it."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa

from raylib.pipeline.compare.runs import ComparedRun
from raylib.pipeline.compare.settings import Setting
from raylib.studies.comparing import Headline
from raylib.studies.flips import COLUMNS, Flips
from raylib.studies.resampling import Key

Row = dict[str, Any]
"""One difference, by column name (`studies.differences.DIFFERENCES`)."""
FOUND = 0.05
"""A q-value below it is a difference that was found."""


@dataclass(frozen=True)
class Compared:
    """Two runs, compared."""

    a: ComparedRun
    b: ComparedRun
    settings: list[Setting]
    """In which they differ."""
    cautions: list[str]
    """What the reader must know: labelled differently, clusters left out, samples missing."""
    differences: pa.Table
    """Schema DIFFERENCES."""
    flips: Flips | None
    """None where the study gives samples no score."""

    @cached_property
    def rows(self) -> list[Row]:
        """The differences as rows."""
        rows: list[Row] = self.differences.to_pylist()
        return rows

    @cached_property
    def tested(self) -> int:
        """How many differences have a p-value."""
        return len(self.rows) - int(self.differences["p_value"].null_count)

    @cached_property
    def found(self) -> list[Row]:
        """Differences with q below FOUND, the clearest first: by p, then by how many standard errors they are from 0."""
        clear = [row for row in self.rows if row["q_value"] is not None and row["q_value"] < FOUND]
        return sorted(clear, key=lambda row: (row["p_value"], -abs(row["difference"] / row["standard_error"])))

    @cached_property
    def headlines(self) -> dict[str, list[tuple[str, Row]]]:
        """Panel -> label and row of each headline, in the table's order."""
        panels: dict[str, list[tuple[str, Row]]] = {}
        for row in self.rows:
            place: Headline | None = self.a.comparable.headline(Key(*(row[name] for name in Key._fields)))
            if place is not None:
                panels.setdefault(place.panel, []).append((place.label, row))
        return panels

    @cached_property
    def flip_table(self) -> pa.Table:
        """The flipped prompts with what tells them apart: the study's prompt key and columns, then `flips.COLUMNS`.

        Empty where none flipped, or the study gives samples no score.
        """
        study = self.a.comparable
        known = [study.prompt_key, *(name for name in study.prompt_columns if name != study.prompt_key)]
        prompts = self.a.prompts.select(known).to_pandas()
        if self.flips is None:
            return pa.Table.from_pandas(prompts.iloc[:0], preserve_index=False)
        joined = self.flips.rows.merge(prompts, left_on="prompt", right_on=study.prompt_key, how="left", sort=False)
        return pa.Table.from_pandas(joined[[*known, *COLUMNS]], preserve_index=False).replace_schema_metadata(None)
