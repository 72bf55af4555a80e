"""Stories with a term, as sufficient statistics that add up over parts (`raylib.studies.sums`)."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from raylib.stats.arrays import Floats
from raylib.studies.narratives.metrics import Stories, adder, told_stories
from raylib.studies.narratives.stereotypes.roles import ROLES
from raylib.studies.narratives.stereotypes.terms import TermList
from raylib.studies.sums import Measures

SEARCHED = "stories searched"


def term_measures(terms: TermList) -> Measures:
    """Return what `term_sums` sums.

    `term_group`: stories that were searched, then stories with a term of each group. `term_role`: the same by whom the
    term is about; a story can count under several roles. `term`: stories with each term.
    """
    return {
        "term_group": (SEARCHED, *terms.groups),
        "term_role": tuple(f"{group}: {role}" for group in terms.groups for role in ROLES),
        "term": tuple(terms.group_of),
    }


def term_sums(annotations: pa.Table, prompts: pa.Table, terms: TermList) -> pa.Table:
    """Return the sums of one annotation part (schema SUMS, `term_measures`) by cell (domain/condition, pooled) and prompt.

    Args:
        annotations: with `prompt_id`, `status` and `terms` (`tagging.TERMS_TYPE`); a story counts once however often it
            holds a term. Rows without a story, and those that were not searched (null), add nothing.
        prompts: the study's prompt table.
        terms: the list that `terms` was found with.
    """
    told, stories = told_stories(annotations, prompts)
    searched = told["terms"].is_valid().to_numpy(zero_copy_only=False).astype(bool)
    told, stories = told.filter(pa.array(searched)), Stories(stories.prompts, stories.place[searched])
    found = _Found.of(told["terms"], terms)
    group_count, role_count = len(terms.groups), len(ROLES)
    groups = _presence(told.num_rows, found.rows, found.groups, group_count)
    holding: npt.NDArray[np.bool_] = np.asarray(groups.any(axis=1))
    rows = np.cumsum(holding)[found.rows] - 1
    holders = int(holding.sum())
    with_searched = np.column_stack([np.ones(told.num_rows), groups])
    by_role = _presence(holders, rows, found.groups * role_count + found.roles, group_count * role_count)
    by_term = _presence(holders, rows, found.terms, len(terms.group_of))
    everybody = np.ones(told.num_rows, dtype=bool)
    return pa.concat_tables([
        stories.by_cell({"term_group": adder(with_searched)}, everybody),
        stories.by_cell({"term_role": adder(by_role), "term": adder(by_term)}, holding),
    ])  # fmt: skip


_Places = npt.NDArray[np.int64]


class _Found(NamedTuple):
    """The terms of all stories in one run; each array has shape (terms found,)."""

    rows: _Places
    """Row of the story."""
    terms: _Places
    groups: _Places
    roles: _Places
    """Place in the lists of labels."""

    @classmethod
    def of(cls, column: pa.ChunkedArray, terms: TermList) -> "_Found":
        lists = column.combine_chunks()
        flat = pc.list_flatten(lists)
        labels, names = list(terms.group_of), list(terms.groups)
        of_term = np.array([names.index(group) for group in terms.group_of.values()], dtype=np.int64)
        places = _places(flat.field("term"), labels)
        rows = np.asarray(pc.list_parent_indices(lists).to_numpy(zero_copy_only=False), dtype=np.int64)
        return cls(rows, places, of_term[places], _places(flat.field("role"), list(ROLES)))


def _places(values: pa.Array, labels: list[str]) -> _Places:
    return np.asarray(pc.index_in(values, pa.array(labels, pa.string())).to_numpy(zero_copy_only=False), dtype=np.int64)


def _presence(rows: int, row: _Places, entry: _Places, entries: int) -> Floats:
    values = np.zeros((rows, entries))
    values[row, entry] = 1.0
    return values
