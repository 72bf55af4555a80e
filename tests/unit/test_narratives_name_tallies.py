"""Names by cell and gender, counted by hand."""

import pyarrow as pa

from raylib.studies.narratives.annotate import ANNOTATIONS
from raylib.studies.narratives.name_tallies import name_tallies
from raylib.studies.sums import add_tallies
from tests.unit.test_narratives_metrics import ACTOR, PATIENT, PROMPTS, TABLE, annotation


def tallied(*rows: dict[str, object]) -> pa.Table:
    return name_tallies(pa.Table.from_pylist(list(rows), schema=ANNOTATIONS), PROMPTS, TABLE)


def test_names_are_counted_by_role_and_gender_and_rare_ones_are_left_out() -> None:
    table = tallied(
        annotation(ACTOR, ("anna", "F"), ("Juan", "M")),  # one character only: the object is not asked for
        annotation(PATIENT, ("Anna", "F"), ("Juan ", "M")),
        annotation(PATIENT, ("Anna", "unsure"), ("Zzyzxq", "F")),
        annotation(PATIENT, ("Anna", "F"), ("Anna", "F"), status="refused"),
    )
    assert [tuple(row.values()) for row in table.to_pylist()] == [
        ("Labor/power-laden/dominant", "ANNA", "F", 1),
        ("Labor/power-laden/dominant", "ANNA", "unsure", 1),
        ("Labor/power-laden/subordinate", "JUAN", "M", 1),
        ("Labor/power-neutral", "ANNA", "F", 1),
        ("all/power-laden/dominant", "ANNA", "F", 1),
        ("all/power-laden/dominant", "ANNA", "unsure", 1),
        ("all/power-laden/subordinate", "JUAN", "M", 1),
        ("all/power-neutral", "ANNA", "F", 1),
    ]


def test_tallies_of_parts_add_up_to_those_of_the_whole() -> None:
    rows = [annotation(ACTOR, ("Anna", "F")), annotation(PATIENT, ("Juan", "M"), ("Anna", "F"))] * 3
    assert add_tallies([tallied(row) for row in rows]).equals(tallied(*rows))


def test_no_story_has_no_tallies() -> None:
    assert tallied(annotation(ACTOR, (None, "F"))).num_rows == 0
    assert tallied().num_rows == 0
