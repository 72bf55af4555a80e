"""Cohen's kappa and Krippendorff's alpha against statsmodels, the krippendorff package and published examples."""

import math

import numpy as np
import pytest

from raylib.errors import DataError
from raylib.stats.agreement import cohen_kappa, confusion_matrix, kappa_of_tables, percent_agreement
from raylib.stats.bootstrap import bootstrap
from raylib.stats.krippendorff import krippendorff_alpha

NAN = math.nan
TABLE = np.array([[40, 5, 1, 0], [6, 22, 4, 1], [0, 3, 18, 5], [1, 0, 6, 31]], dtype=float)
# The worked example of Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability": 4 observers, 12 units.
EXAMPLE = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
).T


@pytest.mark.parametrize(
    ("weights", "theirs"), [("unweighted", None), ("linear", "linear"), ("quadratic", "quadratic")]
)
def test_kappa_and_its_interval_equal_statsmodels(weights, theirs):
    rater = pytest.importorskip("statsmodels.stats.inter_rater")
    expected = rater.cohens_kappa(TABLE, wt=theirs)
    result = cohen_kappa(TABLE, weights)
    assert result.kappa == pytest.approx(expected.kappa)
    assert result.standard_error == pytest.approx(expected.std_kappa)
    assert (result.low, result.high) == pytest.approx((expected.kappa_low, expected.kappa_upp))


def test_kappa_by_hand():
    # Observed 0.7; expected 0.5 * 0.6 + 0.5 * 0.4 = 0.5; kappa = 0.2 / 0.5.
    result = cohen_kappa([[20, 5], [10, 15]])
    assert (result.observed, result.expected, result.kappa) == pytest.approx((0.7, 0.5, 0.4))


def test_perfect_agreement_is_one_without_error():
    result = cohen_kappa([[5, 0], [0, 5]])
    assert (result.kappa, result.standard_error) == pytest.approx((1.0, 0.0))


@pytest.mark.parametrize("table", [[[0, 0], [0, 0]], [[9, 0], [0, 0]]])
def test_kappa_is_unknown_without_items_or_with_one_category(table):
    result = cohen_kappa(table)
    assert math.isnan(result.kappa)
    assert math.isnan(result.low)
    assert math.isnan(kappa_of_tables(np.array(table, dtype=float)))


@pytest.mark.parametrize("weights", ["unweighted", "linear", "quadratic"])
def test_kappa_of_many_tables_equals_one_by_one(weights):
    tables = np.stack([TABLE, TABLE.T + 1, TABLE * 3])
    expected = [cohen_kappa(table, weights).kappa for table in tables]
    np.testing.assert_allclose(kappa_of_tables(tables, weights), expected)


def test_kappa_by_cluster_bootstrap_is_close_to_its_formula_on_independent_items():
    rng = np.random.default_rng(0)
    cells = rng.permutation(np.repeat(np.arange(16), TABLE.ravel().astype(int)))
    tables = np.eye(16)[cells].reshape(-1, 4, 4)
    replicates = bootstrap(tables, kappa_of_tables, seed=1, replicates=4000).replicates
    assert replicates.std() == pytest.approx(cohen_kappa(TABLE).standard_error, rel=0.05)


def test_confusion_matrix_keeps_the_order_of_categories():
    table = confusion_matrix([2, -1, 0, 2], [2, 0, 0, -1], [-1, 0, 1, 2])
    assert table.tolist() == [[0, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0], [1, 0, 0, 1]]
    turned = confusion_matrix([2, -1, 0, 2], [2, 0, 0, -1], [2, 1, 0, -1])
    assert turned.tolist() == table[::-1, ::-1].tolist()


def test_percent_agreement_with_its_interval():
    share, interval = percent_agreement([[8, 1], [0, 1]])
    assert share == pytest.approx(0.9)
    assert interval.low < 0.9 < interval.high
    assert math.isnan(percent_agreement([[0, 0], [0, 0]])[0])


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ([0, 3], [0, 0], "first is 3.0 at index 1: valid categories are"),
        ([0], [0, 0], "same items"),
        ([0, NAN], [0, 0], "first is nan at index 1"),
    ],
)
def test_bad_ratings_are_refused(first, second, message):
    with pytest.raises(DataError, match=message):
        confusion_matrix(first, second, [-1, 0, 1, 2])


def test_unknown_weights_and_tables_are_refused():
    with pytest.raises(DataError, match="Valid: unweighted, linear, quadratic"):
        cohen_kappa(TABLE, "cubic")
    with pytest.raises(DataError, match="square"):
        cohen_kappa([[1, 2]])


@pytest.mark.parametrize(("measurement", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_of_the_published_example(measurement, alpha):
    result = krippendorff_alpha(EXAMPLE, measurement, replicates=50)
    assert result.alpha == pytest.approx(alpha, abs=5e-4)
    assert result.units == 11  # one unit has a single rating


@pytest.mark.parametrize("measurement", ["nominal", "ordinal", "interval"])
def test_alpha_equals_the_krippendorff_package_on_data_with_gaps(measurement):
    package = pytest.importorskip("krippendorff")
    rng = np.random.default_rng(5)
    truth = rng.integers(-1, 3, 120)
    ratings = np.where(rng.random((120, 4)) < 0.7, truth[:, None], rng.integers(-1, 3, (120, 4))).astype(float)
    ratings[rng.random((120, 4)) < 0.3] = NAN
    expected = package.alpha(reliability_data=ratings.T, level_of_measurement=measurement)
    assert krippendorff_alpha(ratings, measurement, replicates=50).alpha == pytest.approx(expected, abs=1e-12)


def test_alpha_interval_holds_alpha_and_depends_on_the_seed_only():
    first, again, other = (krippendorff_alpha(EXAMPLE, "interval", seed=s, replicates=500) for s in (1, 1, 2))
    assert first == again
    assert first != other
    assert first.low < first.alpha < first.high


def test_alpha_of_perfect_agreement_is_one():
    assert krippendorff_alpha([[1, 1], [2, 2], [3, 3]], "nominal", replicates=20).alpha == 1.0


def test_alpha_is_unknown_without_pairs_or_without_variation():
    assert math.isnan(krippendorff_alpha([[1, NAN], [NAN, 2]], "nominal").alpha)
    assert math.isnan(krippendorff_alpha([[1, 1], [1, 1]], "nominal", replicates=20).alpha)
    assert math.isnan(krippendorff_alpha(np.empty((0, 2)), "nominal").alpha)


def test_one_unit_has_no_alpha_interval():
    result = krippendorff_alpha([[1, 2]], "nominal", replicates=20)
    assert math.isfinite(result.alpha)
    assert math.isnan(result.low)


def test_clusters_of_like_units_widen_the_alpha_interval():
    rng = np.random.default_rng(3)
    cluster = np.repeat(np.arange(15), 20)
    agrees = rng.random(15)[cluster] > 0.5
    first = rng.integers(0, 3, 300)
    ratings = np.stack([first, np.where(agrees, first, rng.integers(0, 3, 300))], axis=1).astype(float)
    alone = krippendorff_alpha(ratings, "nominal", replicates=500)
    together = krippendorff_alpha(ratings, "nominal", replicates=500, clusters=cluster)
    assert together.alpha == pytest.approx(alone.alpha)
    assert together.high - together.low > 2 * (alone.high - alone.low)


def test_unknown_measurement_and_infinite_ratings_are_refused():
    with pytest.raises(DataError, match="Valid: nominal, ordinal, interval"):
        krippendorff_alpha(EXAMPLE, "ratio")
    with pytest.raises(DataError, match="finite ratings"):
        krippendorff_alpha([[1, np.inf]], "nominal")


def test_wrong_arguments_are_refused_where_nothing_can_be_computed_too():
    nobody = [[1, np.nan]]
    with pytest.raises(DataError, match="measurement is 'ratio'"):
        krippendorff_alpha(nobody, "ratio")
    with pytest.raises(DataError, match="confidence is 95"):
        krippendorff_alpha(nobody, "nominal", confidence=95)
    with pytest.raises(DataError, match="confidence is 95"):
        cohen_kappa(np.zeros((2, 2)), confidence=95)


@pytest.mark.parametrize("unknown", [None, float("nan")])
def test_units_of_an_unknown_cluster_are_refused(unknown):
    with pytest.raises(DataError, match="clusters is unknown at index 1"):
        krippendorff_alpha([[1, 2], [1, 1], [2, 2]], "nominal", clusters=["a", unknown, "b"])
