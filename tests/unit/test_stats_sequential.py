"""Looks, and the interval that holds at all of them: worked values, edges, and coverage by simulation.

Coverage is nominal 95%, 4,000 data sets each, seeds fixed; the standard error of a coverage of 95% is 0.34 points.
"""

import numpy as np
import pytest
from scipy.special import ndtri

from raylib.errors import DataError
from raylib.stats.intervals import wilson
from raylib.stats.sequential import Moments, confidence_of_a_look, looks, share_of_fixed_prompts

DATA_SETS = 4000
ERROR = (0.95 * 0.05 / DATA_SETS) ** 0.5


def test_looks_grow_geometrically_and_end_at_the_most():
    assert looks(50, 2, 1000) == (50, 100, 200, 400, 800, 1000)
    assert looks(50, 2, 400) == (50, 100, 200, 400)
    assert looks(2, 1.25, 6) == (2, 3, 4, 5, 6)
    assert looks(7, 3, 7) == (7,)


@pytest.mark.parametrize("wrong", [(0, 2, 9), (10, 2, 9), (5, 1, 9)])
def test_looks_that_make_no_sense_are_refused(wrong):
    with pytest.raises(DataError, match="looks need 1 <= first <= most and growth above 1"):
        looks(*wrong)


def test_a_look_has_its_share_of_what_may_go_wrong():
    assert confidence_of_a_look(0.95, 5) == pytest.approx(0.99)
    assert confidence_of_a_look(0.95, 1) == 0.95
    with pytest.raises(DataError, match="there is at least one"):
        confidence_of_a_look(0.95, 0)


def test_the_union_bound_is_narrower_than_the_best_confidence_sequence_up_to_twenty_looks():
    # Half width in standard errors of the normal mixture (Waudby-Smith et al. 2024, theorem 2.2), u = t rho^2.
    u = np.linspace(1, 50, 5000)
    best = np.sqrt((1 + 1 / u) * np.log((u + 1) / 0.05**2)).min()
    assert best == pytest.approx(3.035, abs=0.001)
    assert ndtri(1 - 0.025 / 6) == pytest.approx(2.638, abs=0.001)
    assert ndtri(1 - 0.025 / 20) < best < ndtri(1 - 0.025 / 21)


def moments(rows):
    """Return moments from a list of prompts, each a list of samples (x, n)."""
    table = [np.array(prompt, dtype=float).reshape(-1, 2).T for prompt in rows]
    sums = [(len(x), x.sum(), n.sum(), x @ x, x @ n, n @ n) for x, n in table]
    return Moments(*np.array(sums).T)


def test_an_interval_worked_by_hand():
    # Prompt A: 1, 1, 0, 0; prompt B: 0, 0, 0, 1. Share 3/8. Within variances 1/3 and 1/4, so V = 4/3 + 1 = 7/3.
    found = share_of_fixed_prompts(moments([[(1, 1), (1, 1), (0, 1), (0, 1)], [(0, 1)] * 3 + [(1, 1)]]), 0.95)
    t = 2.4469119  # six degrees of freedom
    b = t**2 / 16
    assert found.share == 0.375
    assert found.half_width == pytest.approx(b + (b**2 + t**2 * (7 / 3) / 64) ** 0.5, rel=1e-6)
    assert (found.low, found.high) == (0.0, 1.0)


def test_prompts_that_differ_are_no_noise():
    # Each prompt always gives the same: nothing but the floor B t^2 / N is left (here t has 98 degrees of freedom).
    found = share_of_fixed_prompts(moments([[(1, 1)] * 50, [(0, 1)] * 50]), 0.95)
    assert found.share == 0.5
    assert found.half_width == pytest.approx(1.9844675**2 / 100, rel=1e-6)


def test_characters_that_are_alike_within_a_story_count_as_one():
    single = [[(i % 2, 1) for i in range(40)]]
    double = [[(2 * (i % 2), 2) for i in range(40)]]
    one, two = (share_of_fixed_prompts(moments(rows), 0.95) for rows in (single, double))
    assert one.half_width == pytest.approx(two.half_width)


def test_nothing_counted_is_never_a_width_of_zero():
    found = share_of_fixed_prompts(moments([[(0, 1)] * 30]), 0.95)
    assert found.share == 0
    assert found.half_width > 3 / 30  # the rule of three
    assert found.half_width > wilson(0, 30).high


def test_without_observations_or_with_single_samples_nothing_is_known():
    for rows in ([[(0, 0)] * 9], [[(1, 1)], [(0, 1)]], [[], []]):
        found = share_of_fixed_prompts(moments(rows), 0.95)
        assert (found.half_width, found.low, found.high) == (np.inf, 0, 1)


def test_a_prompt_without_samples_is_left_out():
    rows = [[(1, 1), (0, 1), (0, 1)], [(0, 1)] * 3]
    assert share_of_fixed_prompts(moments([*rows, []]), 0.9) == share_of_fixed_prompts(moments(rows), 0.9)


def test_a_count_below_zero_is_refused():
    bad = moments([[(1, 1), (0, 1)]])._replace(x=np.array([-1.0]))
    with pytest.raises(DataError, match=r"x is -1\.0 at index 0"):
        share_of_fixed_prompts(bad, 0.95)


def cumulated(rng, shares, at, together=1, observed=None):
    """Return moments at each look of DATA_SETS data sets; a story has `together` characters alike, or none at times."""
    size = (len(shares), DATA_SETS)
    before, total = 0, np.zeros((6, *size))
    for look in at:
        new, before = look - before, look
        seen = np.full(size, new) if observed is None else rng.binomial(new, np.broadcast_to(observed[:, None], size))
        found = rng.binomial(seen, np.broadcast_to(shares[:, None], size))
        b = together
        total = total + np.stack([np.full(size, new), b * found, b * seen, b * b * found, b * b * found, b * b * seen])
        yield Moments(*total)


def coverage(shares, at, half_width, confidence, seed, truth=None, **how):
    """Return coverage where drawing stops, coverage at all looks at once, and the samples drawn (mean)."""
    truth = float(np.mean(shares)) if truth is None else truth
    found = [share_of_fixed_prompts(m, confidence) for m in cumulated(np.random.default_rng(seed), shares, at, **how)]
    holds = np.array([(one.low <= truth) & (truth <= one.high) for one in found])
    narrow = np.array([one.half_width <= half_width for one in found])
    narrow[-1] = True
    stop = narrow.argmax(axis=0)
    return holds[stop, np.arange(DATA_SETS)].mean(), holds.all(axis=0).mean(), np.array(at)[stop].mean()


_spread = np.random.default_rng(7).beta(0.3, 1.2, 15)
_seen = np.linspace(0.1, 0.9, 15)
CASES = {
    "half": ({"shares": np.full(15, 0.5)}, 0.6),
    "one in a hundred": ({"shares": np.full(15, 0.01)}, 0.95),
    "one in a hundred, three prompts": ({"shares": np.full(3, 0.01)}, 0.7),
    "one in a thousand": ({"shares": np.full(15, 0.001)}, 0.95),
    "one prompt alone has it": ({"shares": np.array([0.15] + [0.0] * 14)}, 0.95),
    "prompts spread widely": ({"shares": _spread}, 0.75),
    "prompts nearly certain, both ways": ({"shares": np.array([0.002] * 7 + [0.998] * 8)}, 0.95),
    "two characters alike": ({"shares": np.full(15, 0.3), "together": 2}, 0.55),
    "observed more where the share is larger": (
        {"shares": _seen, "observed": _seen, "truth": float((_seen**2).sum() / _seen.sum())},
        0.15,
    ),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("first", [50, 5])
def test_the_interval_covers_where_drawing_stops_and_at_all_looks_together(name, first):
    case, least_saved = CASES[name]
    at = looks(first, 2, 1000)
    stopped, throughout, drawn = coverage(
        at=at, half_width=0.02, confidence=confidence_of_a_look(0.95, len(at)), seed=11, **case
    )
    print(
        f"{name}: {len(at)} looks, covers {stopped:.3f} at the stop, {throughout:.3f} at all; {1 - drawn / 1000:.0%} saved"
    )
    assert stopped > 0.95 - 3 * ERROR
    assert throughout > 0.95 - 3 * ERROR
    if first == 50:
        assert 1 - drawn / 1000 >= least_saved - 0.01


def test_an_interval_that_ignores_the_looks_covers_too_little():
    at = looks(5, 2, 1000)
    _, throughout, _ = coverage(np.full(15, 0.5), at, 0.02, 0.95, seed=12)
    assert throughout < 0.87  # who may stop at the look of their choice


def test_an_interval_without_the_floor_stops_at_counts_of_zero_and_covers_too_little():
    at, rng = looks(50, 2, 1000), np.random.default_rng(13)
    share, z = 0.01, ndtri(1 - 0.025 / 6)
    covered, open_ = np.zeros(DATA_SETS, bool), np.ones(DATA_SETS, bool)
    for m in cumulated(rng, np.full(1, share), at):
        p, n = (m.x / m.n)[0], m.n[0]
        half = z * np.sqrt(p * (1 - p) / n)
        stops = open_ & ((half <= 0.02) | (n == 1000))
        covered |= stops & (np.abs(p - share) <= half)
        open_ &= ~stops
    assert covered.mean() < 0.5
    stopped, _, _ = coverage(np.full(1, share), at, 0.02, confidence_of_a_look(0.95, 6), seed=13)
    assert stopped > 0.95


def test_an_infinite_growth_is_refused():
    with pytest.raises(DataError, match="growth above 1"):
        looks(2, float("inf"), 10)
