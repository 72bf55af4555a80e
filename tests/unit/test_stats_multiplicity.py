"""Benjamini-Hochberg: by hand, against statsmodels, and with cells that were never tested."""

import numpy as np
import pytest

from raylib.errors import DataError
from raylib.stats.multiplicity import benjamini_hochberg


def test_by_hand():
    # Sorted 0.01, 0.02, 0.03, 0.5 of 4: times 4/1, 4/2, 4/3, 4/4 = 0.04, 0.04, 0.04, 0.5.
    result = benjamini_hochberg([0.5, 0.02, 0.01, 0.03])
    assert result.p_values.tolist() == pytest.approx([0.5, 0.04, 0.04, 0.04])
    assert result.comparisons == 4


def test_equals_statsmodels():
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    p = np.random.default_rng(1).random(200) ** 3
    np.testing.assert_allclose(benjamini_hochberg(p).p_values, multitest.multipletests(p, method="fdr_bh")[1])


def test_untested_cells_stay_unknown_and_are_not_counted():
    result = benjamini_hochberg([[0.01, np.nan], [0.04, np.nan]])
    assert result.comparisons == 2
    assert result.p_values[:, 0].tolist() == pytest.approx([0.02, 0.04])
    assert np.isnan(result.p_values[:, 1]).all()


def test_nothing_tested():
    assert benjamini_hochberg([np.nan]).comparisons == benjamini_hochberg([]).comparisons == 0


def test_false_discoveries_stay_below_the_level():
    rng = np.random.default_rng(2)
    shares = []
    for _ in range(500):
        effect = np.repeat([0.0, 3.0], [80, 20])
        z = rng.normal(effect)
        from scipy.stats import norm

        found = benjamini_hochberg(2 * norm.sf(np.abs(z))).p_values <= 0.1
        shares.append(found[:80].sum() / max(found.sum(), 1))
    # Expected 0.1 * 80 / 100 = 0.08; the standard error over 500 runs is about 0.003.
    assert np.mean(shares) == pytest.approx(0.08, abs=0.012)


def test_values_outside_their_range_name_the_index():
    with pytest.raises(DataError, match=r"index \(1,\)"):
        benjamini_hochberg([0.5, 1.5])
