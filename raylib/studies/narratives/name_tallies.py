"""How often each first name occurs, for the table of the most common names and for ratios by name."""

import pyarrow as pa
import pyarrow.compute as pc

from raylib.schemas import TALLIES
from raylib.studies.narratives.measures import DOMINANT, LADEN, POOLED, SUBORDINATE
from raylib.studies.narratives.names import NameTable
from raylib.studies.sums import add_tallies

_STORIES = ("ok", "truncated")


def name_tallies(annotations: pa.Table, prompts: pa.Table, table: NameTable) -> pa.Table:
    """Count first names by cell and gender (schema TALLIES): item is the name in capitals, group the gender.

    Cells as in `measures`, without couples: power-neutral characters by domain, power-laden ones by domain and role, and
    all domains pooled. Only names that the name table lists: a name too rare for it is in nothing that is published.
    """
    told = annotations.filter(pc.is_in(annotations["status"], pa.array(_STORIES)))
    place = pc.index_in(told["prompt_id"], prompts["prompt_id"].combine_chunks())
    asked = prompts.select(["domain", "condition", "two_characters"]).take(place)
    tables = []
    for role, level in (("subject", DOMINANT), ("object", SUBORDINATE)):
        names = pc.utf8_upper(pc.utf8_trim_whitespace(told[f"{role}_first_name"]))
        listed = pa.array(table.likelihoods(told[f"{role}_first_name"]).covered.any(axis=1))
        chosen = listed if role == "subject" else pc.and_(listed, asked["two_characters"].combine_chunks())
        laden = pc.equal(asked["condition"], LADEN)
        suffix = pc.if_else(laden, f"/{level}", "")
        for domain in (asked["domain"], pa.scalar(POOLED)):
            cells = pc.binary_join_element_wise(domain, asked["condition"], "/")
            cells = pc.binary_join_element_wise(cells, suffix, "")
            counted = pa.table({"cell": cells, "item": names, "group": told[f"{role}_gender"]}).filter(chosen)
            ones = pa.array([1] * counted.num_rows, type=pa.int64())
            tables.append(counted.append_column("count", ones).cast(TALLIES))
    return add_tallies(tables)
