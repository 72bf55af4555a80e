"""What `sampling.until` watches in this study: gender and race shares of each domain x condition.

These are the shares of R_rep. Pooled cells, couples and roles are not watched: each is made of the same stories.
"""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from raylib.schemas import OBSERVATIONS
from raylib.stats.arrays import Floats
from raylib.studies.base import WatchedCell
from raylib.studies.narratives import metrics
from raylib.studies.narratives.extraction.gender import GENDERS
from raylib.studies.narratives.measures import MEASURES
from raylib.studies.narratives.names import RACES, NameTable
from raylib.studies.sums import Cell, read_cells


def watched_cells(prompts: pa.Table, table: NameTable) -> list[WatchedCell]:
    """Return the cells of these prompts in the order of the prompts; races that the table does not model are left out."""
    shares = tuple(_shares(table))
    rows = prompts.select(["prompt_id", "domain", "condition"]).to_pylist()
    members: dict[str, list[str]] = {}
    for row in rows:
        members.setdefault(f"{row['domain']}/{row['condition']}", []).append(row["prompt_id"])
    return [WatchedCell(cell, shares, tuple(ids)) for cell, ids in members.items()]


def observations(annotations: pa.Table, prompts: pa.Table, table: NameTable) -> pa.Table:
    """Return what each story of an annotation part adds to the watched shares (schema OBSERVATIONS).

    These are the study's own sums with each story as a cluster of its own, so they count what the estimates count.
    """
    place = pc.index_in(annotations["prompt_id"], value_set=prompts["prompt_id"].combine_chunks())
    known = annotations.filter(pc.is_valid(place))
    asked = prompts.take(pc.drop_null(place))
    story = known["sample_id"]
    prompt_of = dict(zip(story.to_pylist(), known["prompt_id"].to_pylist(), strict=True))
    cells = {cell.cell for cell in watched_cells(prompts, table)}
    wanted = ("covered", "race", "gender")
    sums = metrics.sums(_renamed(known, story), _renamed(asked, story, "cluster"), table, wanted)
    frames = []
    sums = sums.filter(pc.is_in(sums["cell"], pa.array(sorted(cells))))
    for name, cell in read_cells(sums, MEASURES).items():
        for share, (measure, label, total) in _shares(table).items():
            observed = np.sum([_entry(cell, *entry) for entry in total], axis=0)
            frame = pd.DataFrame({"counted": _entry(cell, measure, label), "total": observed})
            frame = frame.assign(cell=name, share=share, prompt_id=[prompt_of[one] for one in cell.clusters])
            frames.append(frame[frame["total"] > 0])
    if not frames:
        return OBSERVATIONS.empty_table()
    frame = pd.concat(frames, ignore_index=True)
    return pa.Table.from_pandas(frame, schema=OBSERVATIONS, preserve_index=False)


def _shares(table: NameTable) -> dict[str, tuple[str, str, list[tuple[str, str]]]]:
    """Return each share's measure and label, and the (measure, label) pairs that make its denominator."""
    genders = {f"gender {gender}": ("gender", gender, [("gender", one) for one in GENDERS]) for gender in GENDERS}
    races = {f"race {race}": ("race", race, [("covered", race)]) for race in RACES if table.models(race)}
    return genders | races


def _renamed(table: pa.Table, story: pa.ChunkedArray, *columns: str) -> pa.Table:
    for name in ("prompt_id", *columns):
        table = table.set_column(table.column_names.index(name), name, story)
    return table


def _entry(cell: Cell, measure: str, label: str) -> Floats:
    """Return one entry of a measure, shape (stories,)."""
    return cell.vector(measure)[:, MEASURES[measure].index(label)]
