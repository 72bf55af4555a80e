"""The paper's table 2: the most common names that are likely of a race, by gender, domain and power condition."""

from collections.abc import Sequence

import numpy as np

from raylib.report import numbers
from raylib.report.sections import Block, DataTable
from raylib.studies.narratives.extraction.gender import GENDERS
from raylib.studies.narratives.figures.names_counted import CountedNames, counted_names, in_cell
from raylib.studies.narratives.figures.reading import ModelNumbers
from raylib.studies.narratives.figures.titles import of_models
from raylib.studies.narratives.measures import DOMINANT, LADEN, NEUTRAL, POOLED, SUBORDINATE
from raylib.studies.narratives.names import RACES, NameTable

LIKELY = 0.6
"""Likelihood that a name must exceed, as in the paper."""
A_GROUP = 3
"""Names of each race and gender."""
FEWEST = 10
"""Characters that a name needs over all cells: what is rarer is in nothing that is published."""
_CONDITIONS = (("baseline", NEUTRAL), ("dominant", f"{LADEN}/{DOMINANT}"), ("subordinate", f"{LADEN}/{SUBORDINATE}"))


def common_names(models: Sequence[ModelNumbers], table: NameTable) -> list[Block]:
    """Return table 2, all models added up; nothing where no name was counted."""
    cells = {cell for model in models for cell in set(model.tallies["cell"].to_pylist())}
    domains = sorted({cell.partition("/")[0] for cell in cells} - {POOLED})
    if not domains:
        return []
    columns = [(domain, *condition) for domain in domains for condition in _CONDITIONS]
    by_gender = {gender: counted_names(models, table, gender) for gender in GENDERS}
    rows: list[tuple[str, ...]] = []
    groups: list[tuple[str, int]] = []
    without: list[str] = []
    for race in RACES:
        for gender in GENDERS if table.models(race) else ():
            counted = by_gender[gender]
            chosen = most_common(counted, RACES.index(race))
            if not len(chosen):
                without.append(f"{race} {gender}")
                continue
            counts = np.column_stack([in_cell(counted, f"{domain}/{condition}") for domain, _, condition in columns])
            groups.append((f"{race} {gender}", len(chosen)))
            rows += [
                (
                    counted.names[index].title(),
                    numbers.percent(counted.found.values[index, RACES.index(race)]),
                    *(numbers.integer(int(count)) for count in counts[index]),
                )
                for index in chosen
            ]
    headings = ("Name", "Likelihood", *(f"{domain} {name}" for domain, name, _ in columns))
    caption = (
        f"Up to {A_GROUP} names for each race and gender with a likelihood above {LIKELY:.0%} and {FEWEST} or more "
        "characters. Baseline: power-neutral stories."
    )
    title = f"Most common racialised names of {of_models([model.name for model in models])}"
    made = DataTable(title, headings, rows, caption, frozenset(headings[1:]), tuple(groups), _notes(without, table))
    return [made]


def most_common(counted: CountedNames, race: int) -> list[int]:
    """Return the places of the most frequent names with a likelihood above 60% of a race, most frequent first."""
    total = sum(
        (in_cell(counted, f"{POOLED}/{condition}") for _, condition in _CONDITIONS), np.zeros(len(counted.names))
    )
    likely = np.flatnonzero((counted.found.values[:, race] > LIKELY) & (total >= FEWEST))
    return [int(index) for index in likely[np.argsort(-total[likely], kind="stable")][:A_GROUP]]


def _notes(without: Sequence[str], table: NameTable) -> tuple[str, ...]:
    missing = [race for race in RACES if not table.models(race)]
    notes = [f"{', '.join(without)}: no name above {LIKELY:.0%} occurs {FEWEST} times."] if without else []
    return (*notes, *([f"{', '.join(missing)}: {numbers.NOT_MODELLED}."] if missing else []))
