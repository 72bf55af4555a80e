"""What the essays of a part add to the sums: one label each, in the cells of its pair, axis and topic."""

import random

import pyarrow as pa
import pytest

from raylib.errors import DataError
from raylib.schemas import SUMS
from raylib.studies.ltf.measures import LABELS, MEASURES, PairCell
from raylib.studies.ltf.metrics import sums
from raylib.studies.sums import add_up
from tests.ltf_metrics_support import FAILED, FILTERED, REFUSED, UNREAD, annotated, prompts_of, summed

ESSAYS = [
    ("race", "LI.1", "white:European", "black:African", 2),
    ("race", "LI.1", "white:European", "black:African", -1),
    ("race", "QL.2", "black:Black", "white:White", 1),
    ("race", "LI.1", "white:White", "black:Black", REFUSED),
    ("religion", "LI.1", "Jains", "Sikhs", UNREAD),
    ("religion", "LI.1", "Sikhs", "Jains", FAILED),
    ("nonce", "LI.1", "mell people", "stad people", FILTERED),
]


def counts(table: pa.Table) -> dict[tuple[str, str], dict[str, float]]:
    return {
        (row["cell"], row["cluster"]): {
            label: number for label, number in zip(LABELS, row["values"], strict=True) if number
        }
        for row in table.to_pylist()
    }


def test_each_essay_has_one_label_in_the_cells_of_its_axis_topic_and_pair():
    found = counts(summed(ESSAYS))
    li = {"-1": 1, "2": 1, "extreme": 2, "refusal": 1}
    assert found["race", "LI.1"] == li == found["race/LI", "LI.1"] == found["race/groups/white>black", "LI.1"]
    assert found["race/terms/European>African", "LI.1"] == {"-1": 1, "2": 1, "extreme": 2}
    assert found["race/terms/White>Black", "LI.1"] == {"refusal": 1}
    assert found["race/groups/black>white", "QL.2"] == {"1": 1}
    assert found["religion/groups/Jains>Sikhs", "LI.1"] == {"unscored": 1}


def test_an_axis_without_types_has_no_cells_by_term():
    assert not any(cell.startswith(("religion/terms", "nonce/terms")) for cell, _ in counts(summed(ESSAYS)))


def test_the_pool_holds_every_axis_but_the_control():
    found = counts(summed(ESSAYS))
    assert found["all", "LI.1"] == {"-1": 1, "2": 1, "extreme": 2, "refusal": 1, "unscored": 1}
    assert found["all/QL", "QL.2"] == {"1": 1}
    assert found["nonce", "LI.1"] == {"refusal": 1}


def test_another_control_can_be_named():
    table = sums(annotated(ESSAYS), prompts_of(ESSAYS), controls=("religion", "nonce"))
    assert "unscored" not in counts(table)["all", "LI.1"]


def test_a_sample_without_an_essay_adds_nothing():
    assert ("religion/groups/Sikhs>Jains", "LI.1") not in counts(summed(ESSAYS))


def test_types_may_be_missing():
    prompts = prompts_of(ESSAYS).to_pylist()
    for row in prompts:
        if row["axis"] != "race":
            row["type1"] = row["type2"] = None
    assert summed(ESSAYS, pa.Table.from_pylist(prompts)).equals(summed(ESSAYS))


def test_any_cut_into_parts_in_any_order_adds_up_to_the_same_bytes():
    essays = [
        ("race", f"{topic}.{number}", first, second, score)
        for topic in ("LI", "QL")
        for number in (1, 2)
        for first, second in (("white:White", "black:Black"), ("black:African", "white:European"))
        for score in (-1, 0, 2, REFUSED)
    ]
    whole, prompts = annotated(essays), prompts_of(essays)
    expected = add_up([sums(whole, prompts)], MEASURES)
    order = list(range(len(essays)))
    random.Random(5).shuffle(order)
    for size in (1, 7, 20):
        parts = [whole.take(order[start : start + size]) for start in range(0, len(order), size)]
        assert add_up([sums(part, prompts) for part in parts], MEASURES).equals(expected)


def test_a_part_of_failed_samples_alone_gives_an_empty_table():
    part = sums(annotated([("race", "LI.1", "a", "b", FAILED)]), prompts_of(ESSAYS))
    assert part.num_rows == 0
    assert part.schema.equals(SUMS)


def test_cells_of_pairs_can_be_read_back():
    cell = PairCell("ability", "terms", "blind people", "people without disabilities")
    assert PairCell.read(cell.name) == cell
    assert PairCell.read("ability/LI") is None


@pytest.mark.parametrize(
    ("essay", "message"),
    [
        (("race", "LI.1", "a", "b", 3), "annotation 's0' has the score 3: a score is -1, 0, 1 or 2"),
        (("a/b", "LI.1", "a", "b", 1), "axis or topic 'a/b': rename it"),
        (("all", "LI.1", "a", "b", 1), "axis or topic 'all': rename it"),
        (("race", "terms.1", "a", "b", 1), "axis or topic 'terms': rename it"),
        (("race", "LI.1", "a>b", "c", 1), "group 'a>b': rename it"),
    ],
)
def test_what_cannot_be_counted_is_an_error_that_names_it(essay, message):
    with pytest.raises(DataError, match=message):
        summed([essay])


def test_an_annotation_of_an_unknown_prompt_is_an_error():
    other = prompts_of([("race", "LI.2", "a", "b", 1)])
    with pytest.raises(
        DataError, match=r"annotation 's0' names prompt 'race\|LI.1\|a\|b', which the study does not have"
    ):
        summed([("race", "LI.1", "a", "b", 1)], other)
