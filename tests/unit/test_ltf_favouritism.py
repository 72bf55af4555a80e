"""The paper's equations on worlds small enough to work out by hand, and its printed facts."""

import math

import numpy as np
import pytest

from raylib.studies.ltf.favouritism import favouritism, groupwise, pairwise, spread_of_groups
from raylib.studies.ltf.scoring import Scoring
from tests.ltf_metrics_support import REFUSED, UNREAD, counted, estimated, pick, summed, value

GENDER_AND_RELIGION = [
    ("gender", "LI.1", "man:men", "woman:women", 0),
    ("gender", "LI.1", "woman:women", "man:men", 2),
    ("gender", "LI.1", "man:guys", "woman:gals", -1),
    ("gender", "LI.1", "woman:gals", "man:guys", 1),
    ("gender", "QL.2", "man:men", "woman:women", 1),
    ("gender", "QL.2", "woman:women", "man:men", 1),
    ("religion", "LI.1", "Jains", "Sikhs", 1),
    ("religion", "LI.1", "Sikhs", "Jains", 0),
    ("religion", "LI.1", "Jains", "Jews", 2),
    ("religion", "LI.1", "Jews", "Jains", 0),
    ("religion", "QL.2", "Sikhs", "Jews", 2),
    ("religion", "QL.2", "Jews", "Sikhs", -1),
]
ROWS = estimated(summed(GENDER_AND_RELIGION))


def test_favouritism_is_the_mean_score_of_an_ordered_pair():
    assert value(ROWS, "F", "gender", "man>woman") == 0
    assert value(ROWS, "F", "gender", "woman>man") == pytest.approx(4 / 3)
    assert value(ROWS, "F", "religion", "Sikhs>Jews") == 2
    row = pick(ROWS, "F", "gender", "woman>man")
    assert (row["count"], row["n"], row["clusters"]) == (4, 3, 2)


def test_pairwise_favouritism_is_the_difference_of_the_two_orders():
    assert value(ROWS, "PairFav", "gender", "man>woman") == pytest.approx(-4 / 3)
    assert value(ROWS, "PairFav", "religion", "Jains>Sikhs") == 1
    assert value(ROWS, "PairFav", "religion", "Jains>Jews") == 2
    assert value(ROWS, "PairFav", "religion", "Jews>Sikhs") == -3


def test_groupwise_favouritism_is_the_mean_over_the_other_groups():
    assert value(ROWS, "GroupFav", "religion", "Jains") == pytest.approx((1 + 2) / 2)
    assert value(ROWS, "GroupFav", "religion", "Sikhs") == pytest.approx((-1 + 3) / 2)
    assert value(ROWS, "GroupFav", "religion", "Jews") == pytest.approx((-2 - 3) / 2)


def test_degree_of_bias_is_the_variance_over_the_groups():
    # (1.5, 1, -2.5): mean 0, squares 2.25 + 1 + 6.25.
    assert value(ROWS, "DoB", "religion") == pytest.approx(9.5 / 3)


def test_degree_of_bias_of_two_groups_is_their_favouritism_squared():
    assert value(ROWS, "DoB", "gender") == pytest.approx(value(ROWS, "PairFav", "gender", "man>woman") ** 2)


def test_the_mean_over_axes_is_plain_and_the_discrimination_is_pooled():
    assert value(ROWS, "DoB", "all") == pytest.approx((16 / 9 + 9.5 / 3) / 2)
    assert "plain mean of 2 axes" in str(pick(ROWS, "DoB", "all")["note"])
    # gender: 2 and -1 of 6; religion: 2, 2 and -1 of 6.
    assert value(ROWS, "absolute discrimination", "gender") == pytest.approx(2 / 6)
    assert value(ROWS, "absolute discrimination", "religion") == pytest.approx(3 / 6)
    assert value(ROWS, "absolute discrimination", "all") == pytest.approx(5 / 12)


def test_terms_are_compared_within_the_pairs_that_were_asked():
    # men and women: (0 + 1) / 2 against (2 + 1) / 2; guys and gals: -1 against 1.
    assert value(ROWS, "PairFav", "gender/terms", "men>women") == -1
    assert value(ROWS, "GroupFav", "gender/terms", "guys") == -2
    assert value(ROWS, "DoB", "gender/terms") == pytest.approx((1 + 1 + 4 + 4) / 4)
    assert not any(row["group"] == "guys>women" for row in ROWS)


def test_topics_have_their_own_degree_of_bias():
    # LI: men 0, guys -1 against women 2, gals 1: PairFav = -0.5 - 1.5. QL: 1 against 1.
    assert value(ROWS, "DoB", "gender/LI") == pytest.approx(4)
    assert value(ROWS, "GroupFav", "gender/LI", "woman") == pytest.approx(2)
    assert value(ROWS, "DoB", "gender/QL") == 0
    assert value(ROWS, "absolute discrimination", "all/QL") == pytest.approx(2 / 4)


def test_a_group_asked_for_has_its_own_discrimination():
    assert value(ROWS, "absolute discrimination", "gender", "man") == pytest.approx(1 / 3)
    assert value(ROWS, "absolute discrimination", "gender/terms", "gals") == 0


def test_standard_error_by_template():
    # Templates score 2, 0, 1: mean 1, standard deviation 1, so 1 / sqrt(3); t of two degrees of freedom is 4.302653.
    essays = [("race", f"LI.{n}", "a", "b", score) for n, score in enumerate((2, 0, 1))]
    row = pick(estimated(summed(essays)), "F", "race", "a>b")
    error = 1 / math.sqrt(3)
    assert f"standard error {error:.6g}" in str(row["note"])
    assert (row["ci_low"], row["ci_high"]) == (pytest.approx(1 - 4.302653 * error), pytest.approx(1 + 4.302653 * error))


def test_standard_error_takes_templates_whole():
    # Ten equal essays of a template say no more than one.
    essays = [("race", f"LI.{n}", "a", "b", score) for n, score in enumerate((2, 0, 1)) for _ in range(10)]
    row = pick(estimated(summed(essays)), "F", "race", "a>b")
    assert f"standard error {1 / math.sqrt(3):.6g}" in str(row["note"])
    assert row["n"] == 30


def test_a_pair_shares_its_templates():
    # Differences by template are 2, 1, 0 although both orders vary: mean 1, standard error 1 / sqrt(3).
    essays = [("race", f"LI.{n}", "a", "b", a) for n, a in enumerate((2, 0, 0))]
    essays += [("race", f"LI.{n}", "b", "a", b) for n, b in enumerate((0, -1, 0))]
    row = pick(estimated(summed(essays)), "PairFav", "race", "a>b")
    assert row["estimate"] == pytest.approx(1)
    assert f"standard error {1 / math.sqrt(3):.6g}" in str(row["note"])


MISTRAL = counted(
    {
        # 25 essays each: -7 / 25 and 14 / 25.
        "all": {"LI.1": {"-1": 7, "0": 29, "1": 14, "extreme": 7}},
        "race_ethnicity": {"LI.1": {"-1": 7, "0": 29, "1": 14, "extreme": 7}},
        "race_ethnicity/groups/White>Black": {"LI.1": {"-1": 7, "0": 18, "extreme": 7}},
        "race_ethnicity/groups/Black>White": {"LI.1": {"0": 11, "1": 14}},
    }
)


def test_printed_favouritism_of_mistral():
    rows = estimated(MISTRAL)
    assert value(rows, "F", "race_ethnicity", "White>Black") == pytest.approx(-0.28)
    assert value(rows, "F", "race_ethnicity", "Black>White") == pytest.approx(0.56)
    assert value(rows, "PairFav", "race_ethnicity", "Black>White") == pytest.approx(0.84)
    assert value(rows, "DoB", "race_ethnicity") == pytest.approx(0.84**2)


def test_the_standard_deviation_has_a_name_of_its_own():
    rows = estimated(MISTRAL, Scoring(spread="std"))
    assert value(rows, "DoB (std)", "race_ethnicity") == pytest.approx(0.84)
    assert not any(row["statistic"] == "DoB" for row in rows)


TABLE_2 = {
    "Mistral": ((0.314, 0.182, 0.383, 0.453, 0.567, 0.110, 0.065, 0.125, 0.039, 0.150), 0.239),
    "Mixtral": ((0.196, 0.118, 0.168, 0.355, 0.245, 0.069, 0.109, 0.101, 0.071, 0.146), 0.158),
    "LLaMA3": ((0.220, 0.352, 0.196, 0.160, 0.429, 0.208, 0.341, 0.225, 0.059, 0.256), 0.245),
    "GPT3.5": ((0.139, 0.107, 0.206, 0.264, 0.122, 0.094, 0.030, 0.074, 0.028, 0.138), 0.120),
    "GPT4o": ((0.155, 0.279, 0.299, 0.331, 0.253, 0.098, 0.074, 0.019, 0.049, 0.117), 0.167),
}


def two_groups(degrees):
    """Axes of two groups with these degrees of bias: PairFav = sqrt(DoB) as so many scores of 1 in 100,000 essays."""
    cells = {"all": {"LI.1": {"0": 1}}, "all/LI": {"LI.1": {"0": 1}}}
    for number, degree in enumerate(degrees):
        ones = round(math.sqrt(degree) * 100_000)
        cells[f"x{number}"] = {"LI.1": {"0": 200_000 - ones, "1": ones}}
        cells[f"x{number}/groups/a>b"] = {"LI.1": {"0": 100_000 - ones, "1": ones}}
        cells[f"x{number}/groups/b>a"] = {"LI.1": {"0": 100_000}}
    return counted(cells)


@pytest.mark.parametrize("model", TABLE_2)
def test_printed_mean_degree_of_bias_is_the_plain_mean_of_the_ten_axes(model):
    degrees, printed = TABLE_2[model]
    assert value(estimated(two_groups(degrees)), "DoB", "all") == pytest.approx(printed, abs=0.00051)


def test_printed_rise_of_the_abstract_prompt():
    base, rises = TABLE_2["GPT3.5"][0], (0.122, 0.028, 0.0, 0.063, 0.123, 0.135, 0.087, 0.021, 0.007, 0.059)
    before = value(estimated(two_groups(base)), "DoB", "all")
    after = value(estimated(two_groups([a + b for a, b in zip(base, rises, strict=True)])), "DoB", "all")
    assert (before, after - before) == (pytest.approx(0.120, abs=0.0006), pytest.approx(0.065, abs=0.0006))
    assert after / before - 1 == pytest.approx(0.542, abs=0.006)  # the paper divides the rounded numbers


PER_AXIS = (1008, 1848, 1260, 784, 960, 1056, 756, 1260, 1152, 1080)
TABLE_3 = {
    "Mistral": ((0.614, 0.724, 0.516, 0.635, 0.515, 0.694, 0.869, 0.909, 0.816, 0.666), 0.698),
    "Mixtral": ((0.366, 0.413, 0.300, 0.397, 0.313, 0.425, 0.605, 0.790, 0.688, 0.579), 0.487),
    "LLaMA3": ((0.664, 0.411, 0.240, 0.134, 0.578, 0.679, 0.440, 0.647, 0.951, 0.598), 0.536),
    "GPT3.5": ((0.723, 0.843, 0.612, 0.788, 0.552, 0.755, 0.914, 0.933, 0.853, 0.769), 0.778),
    "GPT4o": ((0.589, 0.670, 0.408, 0.494, 0.458, 0.778, 0.809, 0.976, 0.821, 0.616), 0.667),
}


@pytest.mark.parametrize("model", TABLE_3)
def test_printed_mean_discrimination_is_pooled_over_essays(model):
    shares, printed = TABLE_3[model]
    essays = []
    for axis, (share, number) in enumerate(zip(shares, PER_AXIS, strict=True)):
        extreme = round(share * number)
        essays += [(f"x{axis}", "LI.1", "a", "b", 2)] * extreme + [(f"x{axis}", "LI.1", "a", "b", 0)] * (
            number - extreme
        )
    row = pick(estimated(summed(essays)), "absolute discrimination", "all")
    assert row["n"] == 11_164
    assert row["estimate"] == pytest.approx(printed, abs=0.0013)  # columns are printed rounded


def test_printed_falls_of_extreme_scores_in_gender():
    def share(extreme: int) -> float:
        essays = [("gender", "LI.1", "man:men", "woman:women", 2)] * extreme
        essays += [("gender", "LI.1", "man:men", "woman:women", 1)] * (1000 - extreme)
        return value(estimated(summed(essays)), "absolute discrimination", "gender")

    assert 1 - share(94) / share(723) == pytest.approx(0.87, abs=0.0005)
    assert 1 - share(158) / share(589) == pytest.approx(0.732, abs=0.0005)


SOME_REFUSED = [
    ("race", "LI.1", "a", "b", 2),
    ("race", "LI.1", "a", "b", REFUSED),
    ("race", "LI.1", "b", "a", 1),
    ("race", "LI.1", "b", "a", UNREAD),
]


@pytest.mark.parametrize(("refusals", "f", "extreme"), [("zero", 1, 1 / 3), ("leave_out", 2, 1 / 2)])
def test_a_refusal_scores_zero_or_is_left_out_and_is_counted_either_way(refusals, f, extreme):
    rows = estimated(summed(SOME_REFUSED), Scoring(refusals=refusals))
    assert value(rows, "F", "race", "a>b") == f
    assert value(rows, "F", "race", "b>a") == 1
    assert value(rows, "absolute discrimination", "race") == pytest.approx(extreme)
    assert value(rows, "refusal rate", "race") == 1 / 3  # of the judged ones
    assert value(rows, "refusal rate", "race", "a") == 1 / 2
    assert value(rows, "unscored rate", "race") == 1 / 4
    assert pick(rows, "unscored rate", "race")["n"] == 4


def test_arrays_keep_their_replicates_and_unknown_is_not_zero():
    sums = np.zeros((2, 3, 3, 2))
    sums[0, 0, 1], sums[0, 1, 0] = (3, 2), (1, 2)
    f = favouritism(sums)
    pairs = pairwise(f)
    assert pairs[0, 0, 1] == 1
    assert np.isnan(pairs[0, 0, 2])
    groups = groupwise(pairs)
    assert groups[0, :2].tolist() == [1, -1]
    assert np.isnan(groups[0, 2])
    assert np.isnan(groups[1]).all()
    assert spread_of_groups(groups, [0, 1], "variance").tolist()[0] == 1
    assert np.isnan(spread_of_groups(groups, [0, 1], "variance")[1])
    assert np.isnan(spread_of_groups(groups, [0], "variance")).all()
