"""What the narratives study has `sampling.until` watch, and what a story adds to it: worked by hand."""

import numpy as np
import pyarrow as pa
import pytest

from raylib.schemas import OBSERVATIONS
from raylib.studies.base import StudyOptions, WatchingStudy
from raylib.studies.narratives.annotate import ANNOTATIONS
from raylib.studies.narratives.metrics import MEASURES, sums
from raylib.studies.narratives.study import NarrativesStudy
from raylib.studies.narratives.watched import observations, watched_cells
from raylib.studies.sums import read_cells
from tests.unit.test_narratives_metrics import ACTOR, COOK, PATIENT, PROMPTS, TABLE, annotation


def told(*rows) -> pa.Table:
    table = [row | {"sample_id": f"s{place}"} for place, row in enumerate(rows)]
    return pa.Table.from_pylist(table, schema=ANNOTATIONS)


def rows_of(table: pa.Table, cell: str, share: str) -> list[tuple[str, float, float]]:
    chosen = [row for row in table.to_pylist() if (row["cell"], row["share"]) == (cell, share)]
    return sorted((row["prompt_id"], row["counted"], row["total"]) for row in chosen)


def test_each_domain_and_condition_is_watched_and_prompts_belong_to_one_cell_each():
    cells = watched_cells(PROMPTS, TABLE)
    assert [cell.cell for cell in cells[:2]] == ["Labor/power-neutral", "Labor/power-laden"]
    assert len(cells) == 6
    assert sorted(one for cell in cells for one in cell.prompts) == sorted(PROMPTS["prompt_id"].to_pylist())
    assert set(cells[0].shares) == {
        "gender F", "gender M", "gender NB", "race White", "race Latine", "race Black", "race Asian", "race AI/AN",
    }  # fmt: skip


def test_a_story_counts_its_characters_with_their_likelihoods():
    table = observations(
        told(annotation(ACTOR, ("Anna", "F")), annotation(ACTOR, ("Zzyx", "M")), annotation(COOK, (None, "unsure"))),
        PROMPTS,
        TABLE,
    )
    assert table.schema == OBSERVATIONS
    cell = "Labor/power-neutral"
    assert rows_of(table, cell, "gender F") == [(ACTOR, 0, 1), (ACTOR, 1, 1)]
    assert rows_of(table, cell, "race Latine") == [(ACTOR, 0.25, 1)]  # Zzyx is not listed, the cook has no name
    assert set(table["cell"].to_pylist()) == {cell}


def test_two_characters_of_a_story_stand_in_one_row():
    table = observations(told(annotation(PATIENT, ("Anna", "F"), ("Juan", "M"))), PROMPTS, TABLE)
    assert rows_of(table, "Labor/power-laden", "gender F") == [(PATIENT, 1, 2)]
    assert rows_of(table, "Labor/power-laden", "race Latine") == [(PATIENT, 1.0, 2)]


@pytest.mark.parametrize("status", ["refused", "error"])
def test_what_is_no_story_adds_nothing(status):
    assert observations(told(annotation(ACTOR, ("Anna", "F"), status=status)), PROMPTS, TABLE).num_rows == 0


def test_observations_add_up_to_the_sums_that_the_estimates_are_made_of():
    rng = np.random.default_rng(5)
    people = [("Anna", "F"), ("Juan", "M"), (None, "F"), ("Zzyx", "NB"), ("Juan", "unspecified")]
    rows = [
        annotation(prompt, people[rng.integers(5)], people[rng.integers(5)] if prompt == PATIENT else None)
        for prompt in (ACTOR, COOK, PATIENT)
        for _ in range(20)
    ]
    added = observations(told(*rows), PROMPTS, TABLE).group_by(["cell", "share"])
    added = {
        (row["cell"], row["share"]): row for row in added.aggregate([("counted", "sum"), ("total", "sum")]).to_pylist()
    }
    whole = read_cells(sums(told(*rows), PROMPTS, TABLE), MEASURES)
    for cell in ("Labor/power-neutral", "Labor/power-laden"):
        gender, race, names = (whole[cell].vector(name).sum(axis=0) for name in ("gender", "race", "names"))
        assert added[cell, "gender M"]["counted_sum"] == gender[1]
        assert added[cell, "gender M"]["total_sum"] == gender[:3].sum()
        assert added[cell, "race Black"]["counted_sum"] == race[2]
        assert added[cell, "race Black"]["total_sum"] == names[2]


def test_the_study_watches():
    study = NarrativesStudy()
    assert isinstance(study, WatchingStudy)
    assert len(study.watched(StudyOptions("narratives"), PROMPTS.slice(0, 2))) == 2
