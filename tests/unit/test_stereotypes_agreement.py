"""Reliability by code against values worked by hand and an independent implementation."""

import krippendorff
import numpy as np
import pyarrow as pa
import pytest

from raylib.errors import DataError
from raylib.studies.narratives.stereotypes.agreement import AGREEMENT, agreement_table
from tests.stereotype_support import CODEBOOK, ratings


def row(code: str = "foreign", *, unsure="category", **raters: str) -> dict:
    """The row of one code; each rater's values for stories s00, s01, ... as letters."""
    table = ratings(**{
        rater: {f"s{place:02d}": letter + "n" for place, letter in enumerate(letters)} for rater, letters in raters.items()
    })  # fmt: skip
    found = agreement_table(table, CODEBOOK, replicates=400, unsure=unsure)
    assert found.schema == AGREEMENT
    assert found["code"].to_pylist() == list(CODEBOOK.names)
    return next(one for one in found.to_pylist() if one["code"] == code)


def test_two_raters_get_cohens_kappa():
    # Both yes 20, both no 15, yes/no 5, no/yes 10 of 50: p_o = .7, p_e = .5 * .6 + .5 * .4 = .5, kappa = .4
    found = row(ann="y" * 25 + "n" * 25, bob="y" * 20 + "n" * 5 + "y" * 10 + "n" * 15)
    assert found["statistic"] == "Cohen's kappa"
    assert found["value"] == pytest.approx(0.4)
    assert (found["stories"], found["raters"], found["observed"]) == (50, 2, 0.7)
    assert found["prevalence"] == pytest.approx(55 / 100)
    assert found["note"] is None
    # Its large-sample standard error is .127 (Fleiss, Cohen and Everitt): the bootstrap's ends are near .4 -+ .25
    assert found["ci_low"] == pytest.approx(0.15, abs=0.05)
    assert found["ci_high"] == pytest.approx(0.65, abs=0.05)


def test_more_raters_get_krippendorffs_alpha_with_missing_values():
    said = {"ann": "yynnuyn-nyyn", "bob": "ynnn-yynnyyn", "cat": "-ynnuyynnnyn"}
    found = row(**said)
    codes = {"y": 0, "n": 1, "u": 2, "-": np.nan}
    data = np.array([[codes[letter] for letter in letters] for letters in said.values()])
    assert found["statistic"] == "Krippendorff's alpha"
    assert found["value"] == pytest.approx(krippendorff.alpha(data, level_of_measurement="nominal"))
    assert found["ci_low"] < found["value"] < found["ci_high"]
    assert (found["missing"], found["unsure"], found["stories"]) == (3, 2, 12)


def test_unsure_is_a_disagreement_or_left_out_as_asked():
    # As an answer: p_o = 3/4, p_e = 1/2 * 1/2 + 1/4 * 1/2 = 3/8, kappa = 3/5; left out, all three agree
    assert row(ann="yynn", bob="yynu")["value"] == pytest.approx(0.6)
    found = row(ann="yynn", bob="yynu", unsure="missing")
    assert (found["value"], found["stories"], found["unsure"]) == (1.0, 3, 1)


def test_stories_that_one_rater_left_out_do_not_count():
    found = row(ann="yyynnn", bob="yy-n--")
    assert (found["stories"], found["missing"], found["value"]) == (3, 3, 1.0)
    assert "fewer than 10 stories" in found["note"]


def test_a_rare_code_is_called_unstable_and_one_that_nobody_gives_has_no_value():
    rare = row(ann="y" + "n" * 39, bob="n" + "n" * 39)
    assert rare["prevalence"] == pytest.approx(1 / 80)
    assert "rare: the value is unstable" in rare["note"]
    never = row("savior", ann="y" * 12, bob="y" * 12)
    assert (never["value"], never["ci_low"], never["prevalence"]) == (None, None, 0.0)
    assert never["note"] == "all ratings are alike: there is no disagreement to correct for chance"
    assert "nearly always given" in row(ann="n" + "y" * 39, bob="y" * 40)["note"]


def test_raters_of_different_stories_have_no_story_in_common():
    table = ratings(ann={"s1": "yn"}, bob={"s2": "yn"})
    for found in agreement_table(table, CODEBOOK, replicates=100).to_pylist():
        assert (found["stories"], found["value"], found["note"]) == (0, None, "no story has two ratings")


def test_the_order_of_rows_changes_nothing():
    table = ratings(
        ann={f"s{n:02d}": "yn"[n % 2] + "n" for n in range(20)},
        bob={f"s{n:02d}": "ynn"[n % 3] + "n" for n in range(20)},
    )
    backwards = table.take(pa.array(range(table.num_rows - 1, -1, -1)))
    assert agreement_table(backwards, CODEBOOK, replicates=100) == agreement_table(table, CODEBOOK, replicates=100)


def test_one_rater_is_not_enough():
    with pytest.raises(DataError, match="two raters or more, found 1; give one --sheet a rater"):
        agreement_table(ratings(ann={"s1": "yn"}), CODEBOOK)
