"""Drawing until an interval is narrow enough: looks declared beforehand, and an interval that holds at all of them.

Whoever looks at an interval after each sample and stops when they like it covers less than they say. Here the data can
be looked at K times only, at sample counts fixed beforehand that grow geometrically (50, 100, 200, ...), and the
interval of each look has level 1 - alpha / K. By the union bound all K hold together with 1 - alpha, so the one at
which drawing stops holds too, whatever made it stop: repeated confidence intervals, Jennison and Turnbull (2000),
Group Sequential Methods, chapter 9 (there with sharper constants that need the looks' correlation; the union bound
needs nothing). Confidence sequences (Howard, Ramdas, McAuliffe and Sekhon (2021), Ann. Stat. 49: 1055; Waudby-Smith,
Arbour, Sinha, Kennedy and Ramdas (2024), Ann. Stat. 52: 2613) hold after every sample, and pay for it: the normal
mixture is never narrower than 3.03 standard errors at 95%, even at the sample size that it is tuned to. The union bound
takes 2.64 at six looks, and passes 3.03 at 21. A single interval takes 1.96: that is the price of stopping.

The estimand is a cell's share over its fixed set of prompts: what equally many samples of each of these prompts tend
to. Its variance is the one between samples of the same prompt. It says nothing of the spread between prompts, that is,
of what other prompts of the kind would give: that is the bootstrap by cluster in the report, which is wider.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from raylib.errors import DataError
from raylib.stats.arrays import Floats, counts, level


class Moments(NamedTuple):
    """Sums over the samples of each prompt; shape (prompts, ...). A sample holds n observations, x of them count."""

    samples: Floats
    x: Floats
    n: Floats
    xx: Floats
    xn: Floats
    nn: Floats


class ShareInterval(NamedTuple):
    """A share and its interval; arrays of one shape."""

    share: Floats
    """NaN where nothing was observed."""
    half_width: Floats
    """From the share to the far end; never 0. Infinite where nothing can be said yet."""
    low: Floats
    high: Floats
    """The ends, cut to [0, 1]; without data 0 and 1."""


def looks(first: int, growth: float, most: int) -> tuple[int, ...]:
    """Return the samples of a prompt at each look: `first`, times `growth` each, the last exactly `most`.

    Raises:
        DataError: not 1 <= first <= most, or growth at most 1 or infinite.
    """
    if not 1 <= first <= most or not 1 < growth < math.inf:
        raise DataError(f"looks need 1 <= first <= most and growth above 1; got {first}, {most} and {growth:g}")
    counted, size = [first], float(first)
    while counted[-1] < most:
        size *= growth
        counted.append(min(most, max(math.ceil(size - 1e-9), counted[-1] + 1)))
    return tuple(counted)


def confidence_of_a_look(confidence: float, number: int) -> float:
    """Return the level of each of `number` intervals that all hold together with `confidence` (the union bound).

    Raises:
        DataError: a confidence outside (0, 1), or no look.
    """
    if number < 1:
        raise DataError(f"{number} looks: there is at least one")
    return 1 - (1 - level(confidence)) / number


def share_of_fixed_prompts(moments: Moments, confidence: float) -> ShareInterval:
    """Return the share sum(x) / sum(n) over fixed prompts, each with equally many samples, and its interval.

    A ratio estimator in a stratified sample (Cochran (1977), Sampling Techniques, section 6.11): with residuals
    d = x - share n of each sample, V = sum over prompts of m / (m - 1) sum (d - mean d)^2. So characters of one story
    may be alike, likelihoods may be fractional, and stories may have no observation at all.

    V alone fails at few events: at a count of 0 it is 0. As in a score interval (Wilson (1927)), the true share is
    allowed a variance of its own: moving a share by w adds at most B N w to the variance of N observations that come B
    at a time (those of a sample may be all alike), so the half width w is the solution of (N w)^2 = t^2 (V + B N w):

        w = b + sqrt(b^2 + t^2 V / N^2),   b = B t^2 / (2 N),   B = sum n^2 / sum n.

    At a count of 0 it is B t^2 / N (Wilson's upper end is t^2 / (N + t^2)); where V is large, b is small beside it.
    t is Student's quantile with sum (m - 1) degrees of freedom.

    Args:
        moments: of each prompt; shape (prompts, ...). Prompts without a sample are left out; one with a single sample
            has no spread of its own, and its d^2 is taken instead, which is more on average.
        confidence: of this interval alone; see `confidence_of_a_look`.

    Returns:
        Shape (...). No observations, or no prompt with two samples: infinite half width, [0, 1].

    Raises:
        DataError: a value is NaN or negative (the message names the index), or a confidence outside (0, 1).
    """
    m, x, n, xx, xn, nn = (counts(values, name) for name, values in moments._asdict().items())
    total_x, total_n, total_nn = x.sum(axis=0), n.sum(axis=0), nn.sum(axis=0)
    freedom = np.maximum(m - 1, 0).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = total_x / total_n
        squares, residuals = xx - 2 * share * xn + share**2 * nn, x - share * n
        within = np.where(m > 1, m / (m - 1) * (squares - residuals**2 / m), squares)
        variance = np.maximum(within, 0).sum(axis=0)
        t = stdtrit(np.maximum(freedom, 1), (1 + level(confidence)) / 2)
        b = total_nn / total_n * t**2 / (2 * total_n)
        half = b + np.sqrt(b**2 + t**2 * variance / total_n**2)
    known = (total_n > 0) & (freedom >= 1)
    half = np.where(known, half, np.inf)
    return ShareInterval(
        share,
        half,
        np.where(known, np.maximum(share - half, 0), 0.0),
        np.where(known, np.minimum(share + half, 1), 1.0),
    )
