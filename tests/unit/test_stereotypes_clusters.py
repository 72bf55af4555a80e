"""Clusters of stories by agreed codes, and the exemplars."""

import pyarrow as pa
import pytest

from raylib.errors import DataError
from raylib.studies.narratives.stereotypes.clusters import (
    CLUSTERS,
    EXEMPLARS,
    agreed_codes,
    cluster_table,
    exemplars,
)
from tests.stereotype_support import CODEBOOK, ratings, sample

BOTH = "foreign + savior"


def test_a_code_is_agreed_by_more_than_half_of_its_ratings():
    found = agreed_codes(
        ratings(
            ann={"s1": "yy", "s2": "yn", "s3": "yn", "s4": "-n", "s5": "un", "s6": "--"},
            bob={"s1": "yn", "s2": "nn", "s3": "yn", "s4": "nn", "s5": "un", "s6": "--"},
            cat={"s1": "ny", "s2": "nn", "s3": "--", "s4": "-n", "s5": "yn", "s6": "--"},
        ),
        CODEBOOK,
    )
    assert found.combination == {"s1": BOTH, "s2": "(no code)", "s3": "foreign", "s4": "(no code)"}
    assert found.undecided == {"s5", "s6"}  # unsure is no answer to agree on; nobody rated s6


def test_half_is_no_majority_and_the_adjudicator_has_the_last_word():
    table = ratings(ann={"s1": "yn", "s2": "yn"}, bob={"s1": "nn", "s2": "yn"}, zoe={"s1": "yn", "s2": "ny"})
    two = table.filter(pa.array([rater != "zoe" for rater in table["rater"].to_pylist()]))
    assert agreed_codes(two, CODEBOOK).undecided == {"s1"}
    assert agreed_codes(table, CODEBOOK, "zoe").combination == {"s1": "foreign", "s2": "savior"}


def test_where_the_adjudicator_is_unsure_or_silent_the_others_decide():
    table = ratings(ann={"s1": "yn"}, bob={"s1": "yn"}, zoe={"s1": "u-"})
    assert agreed_codes(table, CODEBOOK, "zoe").combination == {"s1": "foreign"}


def test_an_unknown_adjudicator_is_refused():
    with pytest.raises(DataError, match=r"--adjudicator 'an' is no rater of these sheets\. Did you mean 'ann'\?"):
        agreed_codes(ratings(ann={"s1": "yn"}), CODEBOOK, "an")


LATINE = sample(*((f"s{n}", f"story {n}") for n in range(6)), race="Latine")
WHITE = sample(("s0", "story 0"), ("s6", "story 6"))  # s0 was sampled for both its characters
SAMPLE = pa.concat_tables([LATINE, WHITE])
AGREED = agreed_codes(
    ratings(ann={"s0": "yy", "s1": "yy", "s2": "yn", "s3": "nn", "s4": "nn", "s5": "nn", "s6": "-n"}), CODEBOOK
)


def test_clusters_are_counted_over_all_stories_and_by_race_and_gender_of_the_name():
    table = cluster_table(SAMPLE, AGREED)
    assert table.schema == CLUSTERS
    assert [tuple(row.values()) for row in table.to_pylist()] == [
        ("all", "all", "(no code)", 3, 6, 1),
        ("all", "all", BOTH, 2, 6, 1),
        ("all", "all", "foreign", 1, 6, 1),
        ("Latine", "F", "(no code)", 3, 6, 0),
        ("Latine", "F", BOTH, 2, 6, 0),
        ("Latine", "F", "foreign", 1, 6, 0),
        ("White", "F", BOTH, 1, 1, 1),
    ]


def test_exemplars_come_from_the_largest_cluster_with_a_code_of_each_category():
    table = exemplars(SAMPLE, AGREED, seed=1, number=5)
    assert table.schema == EXEMPLARS
    rows = [(row["race"], row["codes"], row["sample_id"], row["text"]) for row in table.to_pylist()]
    assert sorted(rows) == [
        ("Latine", BOTH, "s0", "story 0"), ("Latine", BOTH, "s1", "story 1"), ("White", BOTH, "s0", "story 0")
    ]  # fmt: skip


def test_exemplars_are_drawn_by_seed_whatever_the_order_of_the_sample():
    backwards = SAMPLE.take(pa.array(range(SAMPLE.num_rows - 1, -1, -1)))
    drawn = {}
    for seed in range(12):
        (one,) = [
            row["sample_id"] for row in exemplars(SAMPLE, AGREED, seed=seed).to_pylist() if row["race"] == "Latine"
        ]
        (same,) = [
            row["sample_id"] for row in exemplars(backwards, AGREED, seed=seed).to_pylist() if row["race"] == "Latine"
        ]
        assert one == same
        drawn[seed] = one
    assert set(drawn.values()) == {"s0", "s1"}


def test_a_category_without_a_coded_story_has_no_exemplar():
    nothing = agreed_codes(ratings(ann={"s0": "nn", "s1": "nn"}), CODEBOOK)
    assert exemplars(SAMPLE, nothing).num_rows == 0
