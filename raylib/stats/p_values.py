"""P-values read off an interval, and how to print one that a float cannot hold."""

import math

import numpy as np
import numpy.typing as npt

from raylib.errors import DataError
from raylib.stats.arrays import Floats, numbers

SMALLEST_REPORTED = 1e-300
"""Below this a p-value is printed as "< 1e-300": near 5e-324 a float underflows to 0, which no p-value is."""


def p_value_from_interval(estimate: npt.ArrayLike, low: npt.ArrayLike, high: npt.ArrayLike) -> Floats:
    """Return the two-tailed p-value of estimate = 0 from its 95% interval.

    Source: Altman and Bland (2011), BMJ 343: d2304 (the narratives paper's reference 152):
    SE = (high - low) / 3.92, z = |estimate / SE|, P = exp(-0.717 z - 0.416 z^2).
    For a share the paper takes estimate = p - p* with Wilson's interval of p (not shifted, not divided by p*);
    for a ratio estimate = ln R with Katz's interval of ln R.

    Returns:
        Values in [0, 1]; 0 is an underflow (use `log10_p_value_from_interval` to order such values, and
        `format_p_value` to print them). NaN in any argument gives NaN: no estimate, no p-value. An interval without
        width gives NaN: the standard error is unknown there, not zero.

    Raises:
        DataError: high lies below low.
    """
    with np.errstate(under="ignore"):
        return np.asarray(np.exp(_log_p(estimate, low, high)))


def log10_p_value_from_interval(estimate: npt.ArrayLike, low: npt.ArrayLike, high: npt.ArrayLike) -> Floats:
    """Return the decimal logarithm of `p_value_from_interval`, which does not underflow; NaN and errors as there."""
    return np.asarray(_log_p(estimate, low, high) / math.log(10))


def format_p_value(p: float, digits: int = 3) -> str:
    """Return a p-value for print: "< 1e-300" below that (never "0"), "" for NaN, else `digits` significant digits.

    Raises:
        DataError: p lies outside [0, 1].
    """
    if math.isnan(p):
        return ""
    if not 0 <= p <= 1:
        raise DataError(f"p-value {p} lies outside [0, 1]")
    return "< 1e-300" if p < SMALLEST_REPORTED else f"{p:.{digits}g}"


def _log_p(estimate: npt.ArrayLike, low: npt.ArrayLike, high: npt.ArrayLike) -> Floats:
    value, bottom, top = (numbers(v, name) for v, name in ((estimate, "estimate"), (low, "low"), (high, "high")))
    width = top - bottom
    if (width < 0).any():
        raise DataError("an interval's high end lies below its low end; pass low and high in this order")
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.abs(value / (width / 3.92))
    return np.asarray(np.where(width == 0, np.nan, -0.717 * z - 0.416 * z**2))
