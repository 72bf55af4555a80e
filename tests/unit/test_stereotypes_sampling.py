"""Which stories are chosen for reading."""

import random

import numpy as np
import pyarrow as pa
import pytest

from raylib.errors import ConfigError
from raylib.studies.base import StudyOptions
from raylib.studies.narratives import STUDY
from raylib.studies.narratives.annotate import ANNOTATIONS
from raylib.studies.narratives.names import NameTable
from raylib.studies.narratives.stereotypes.sampling import SAMPLE, SampleOptions, draw_sample, with_texts

PROMPTS = STUDY.prompts(StudyOptions("narratives"))
TABLE = NameTable(
    names=pa.array(["ANNA", "EVE", "JUAN", "LUZ", "PAT"]),
    people=np.full(5, 100),
    races=("White", "Latine"),
    values=np.array([[0.9, 0.1], [0.7, 0.1], [0.1, 0.9], [0.3, 0.7], [0.6, 0.4]]),
    female=np.full(5, 0.5),
    kind="population",
    provenance={"source": "a test table"},
)


def prompt_id(start: str) -> str:
    return next(name for name in PROMPTS["prompt_id"].to_pylist() if name.startswith(start))


ACTOR, COOK, DOCTOR = prompt_id("labor.actor.neutral"), prompt_id("labor.cook.neutral"), prompt_id("labor.doctor.laden")


def story(
    number: int, prompt: str, subject: str | None, gender: str, other: str | None = None, other_gender=None
) -> dict:
    return dict.fromkeys(ANNOTATIONS.names) | {
        "sample_id": f"s{number:03d}", "prompt_id": prompt, "status": "ok", "subject_first_name": subject,
        "subject_gender": gender, "object_first_name": other, "object_gender": other_gender,
    }  # fmt: skip


STORIES = [
    *[story(number, ACTOR, "Anna", "F") for number in range(10)],
    *[story(number, COOK, "Eve", "F") for number in range(10, 14)],
    *[story(number, DOCTOR, "Anna", "F", "Juan", "M") for number in range(14, 17)],
    story(17, ACTOR, "Pat", "F"),  # 60% is not above 60%
    story(18, ACTOR, "Anna", "unsure"),  # of no gender
    story(19, ACTOR, "Zzz", "F"),  # not in the table
    story(20, ACTOR, None, "F"),
]


def drawn(stories=STORIES, **options) -> list[dict]:
    return draw_sample([pa.Table.from_pylist(stories, schema=ANNOTATIONS)], PROMPTS, TABLE, SampleOptions(**options))


def summary(rows: list[dict]) -> list[tuple]:
    keys = ("race", "gender", "role", "domain", "condition", "name", "name_count")
    return sorted({tuple(row[key] for key in keys) for row in rows})


def test_the_most_frequent_name_of_each_race_gender_and_role_counts_over_the_whole_run():
    assert summary(drawn(names=1)) == [
        ("Latine", "M", "object", "Labor", "power-laden", "Juan", 3),
        ("White", "F", "subject", "Labor", "power-laden", "Anna", 13),
        ("White", "F", "subject", "Labor", "power-neutral", "Anna", 13),
    ]


def test_so_many_stories_a_stratum_or_all_that_there_are():
    rows = drawn(names=2, per_stratum=3)
    assert len([row for row in rows if row["condition"] == "power-neutral"]) == 3
    assert len([row for row in rows if row["role"] == "object"]) == 3
    assert {row["name"] for row in drawn(names=2, per_stratum=99)} == {"Anna", "Eve", "Juan"}


def test_likelihoods_are_those_of_the_table_and_only_above_the_threshold():
    assert {(row["name"], row["likelihood"]) for row in drawn(names=9, per_stratum=99)} == {
        ("Anna", 0.9),
        ("Eve", 0.7),
        ("Juan", 0.9),
    }
    assert {row["name"] for row in drawn(names=9, threshold=0.75)} == {"Anna", "Juan"}


def test_the_order_of_parts_and_stories_changes_nothing_and_the_seed_does():
    shuffled = random.Random(3).sample(STORIES, len(STORIES))
    parts = [pa.Table.from_pylist(shuffled[start::2], schema=ANNOTATIONS) for start in (0, 1)]
    assert draw_sample(parts, PROMPTS, TABLE, SampleOptions(seed=1, per_stratum=2)) == drawn(seed=1, per_stratum=2)
    assert len({tuple(row["sample_id"] for row in drawn(seed=seed, per_stratum=2)) for seed in range(5)}) > 1


def test_names_of_equal_frequency_are_taken_in_alphabetical_order():
    stories = [story(1, ACTOR, "Eve", "F"), story(2, ACTOR, "Anna", "F")]
    assert [row["name"] for row in drawn(stories, names=1)] == ["Anna"]


def test_texts_are_joined_by_sample():
    rows = drawn(names=1, races=("Latine",))
    table = with_texts(rows, {f"s{number:03d}": f"story {number}" for number in range(21)})
    assert table.schema == SAMPLE
    assert table["text"].to_pylist() == ["story 14", "story 15", "story 16"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"threshold": 60.0}, "--threshold 60.0: give a likelihood of at least 0.5 and below 1"),
        ({"names": 0}, "at least 1"),
        ({"races": ("Latin",)}, "Did you mean 'Latine'?"),
        ({"races": ("MENA",)}, "--race 'MENA' is not modelled by a test table; valid: White, Latine"),
    ],
)
def test_wrong_options_end_in_one_line(options, message):
    with pytest.raises(ConfigError) as error:
        drawn(**options)
    assert message in str(error.value)
