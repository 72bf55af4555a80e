"""Numbers as the report writes them. What is not known is said in words: never a made-up zero, never "nan".

Digits: three significant ones ("0.0412", "1.52", "18.4"), but every digit before the decimal point ("1,309"), and
trailing zeros stay ("1.00"). Below 0.0001 an exponent ("4.10e-05"). Exactly zero is "0". Each number is rounded on its
own, so that the narrow end of an interval near zero does not vanish ("0.0424 [0.00828, 0.241]").
Percentages: one decimal from 10% on, two below; what would round to 0% or 100% without being it is "< 0.01%" or
"> 99.99%". Probabilities: three decimals without the leading zero, as in the papers.
"""

import math

from raylib.errors import DataError

NOT_MODELLED = "not modelled"
NO_DATA = "no data"
NO_INTERVAL = "no interval"
UNKNOWN = "unknown"

_MINUS = "\N{MINUS SIGN}"
_SMALLEST_FIXED = 1e-4
_P_UNDERFLOW = 1e-300


def known(value: float | None) -> bool:
    """Return whether there is a number at all: not None, not NaN, not infinite."""
    return value is not None and math.isfinite(value)


def number(value: float | None) -> str:
    """Return a number at three significant digits, "unknown" for None, NaN and infinities."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    if value == 0:
        return "0"
    magnitude = abs(value)
    exponent = int(f"{magnitude:.2e}".partition("e")[2])  # of the rounded value: 9.996 counts as 10.0
    if magnitude < _SMALLEST_FIXED:
        text = f"{magnitude:.2e}"
    else:
        text = f"{magnitude:,.{max(0, 2 - exponent)}f}"
    return (_MINUS if value < 0 else "") + text


def fixed(value: float | None, decimals: int) -> str:
    """Return a number with so many decimals ("0.56", "−0.28"), "unknown" for None, NaN and infinities.

    What rounds to zero has no sign.
    """
    if value is None or not math.isfinite(value):
        return UNKNOWN
    text = f"{abs(value):,.{decimals}f}"
    return (_MINUS if value < 0 and float(text.replace(",", "")) else "") + text


def signed(value: float | None, decimals: int) -> str:
    """Return a difference with its sign, as in the papers' tables: "+0.078", "−0.144", "0.000"; else as `fixed`."""
    text = fixed(value, decimals)
    positive = value is not None and math.isfinite(value) and value > 0 and any(digit in text for digit in "123456789")
    return f"+{text}" if positive else text


def interval(low: float | None, high: float | None) -> str:
    """Return "[1.31, 1.76]", or "no interval" where an end is not known."""
    if not (known(low) and known(high)):
        return NO_INTERVAL
    return f"[{number(low)}, {number(high)}]"


def bootstrap_interval(low: float | None, high: float | None) -> str:
    """Return "[1.31, 1.76]", or "no interval" without ends and where all replicates gave one value.

    A count of zero stays zero in every replicate: an interval of no width would look like a certain value.
    """
    return NO_INTERVAL if low == high else interval(low, high)


def with_interval(estimate: float | None, low: float | None, high: float | None) -> str:
    """Return "1.52 [1.31, 1.76]"; "1.52 (no interval)" without ends; "unknown" without an estimate."""
    if not known(estimate):
        return UNKNOWN
    ends = interval(low, high)
    return f"{number(estimate)} {ends if ends != NO_INTERVAL else f'({NO_INTERVAL})'}"


def integer(value: int | None) -> str:
    """Return a count with thousands separators ("27,420,716"), "unknown" for None."""
    return UNKNOWN if value is None else f"{value:,}".replace("-", _MINUS)


def count(value: float | None) -> str:
    """Return a count that may be fractional: one decimal ("1,204.3"), none where it is whole; "< 0.1" below that."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    if value == int(value):
        return integer(int(value))
    return "< 0.1" if 0 < value < 0.05 else f"{value:,.1f}".replace("-", _MINUS)


def percent(share: float | None) -> str:
    """Return a share of 0 to 1 as a percentage ("71.0%", "3.79%", "< 0.01%"), "unknown" for None and NaN."""
    if share is None or not math.isfinite(share):
        return UNKNOWN
    value = 100 * share
    if value in (0, 100):
        return f"{value:.0f}%"
    if 0 < value < 0.005:
        return "< 0.01%"
    if 99.995 <= value < 100:
        return "> 99.99%"
    two_decimals = abs(value) < 9.995 or 99.95 <= value < 100
    return f"{value:.{2 if two_decimals else 1}f}%".replace("-", _MINUS)


def p_value(p: float | None) -> str:
    """Return a p-value: "< 1e-300" from there down (it underflows to 0), "< .001", ".012", "> .999"; "unknown" for None and NaN.

    Raises:
        DataError: it is not a probability.
    """
    if p is None or math.isnan(p):
        return UNKNOWN
    if not 0 <= p <= 1:
        raise DataError(f"a p-value is {p}: probabilities lie between 0 and 1; check the stage that made the estimates")
    if p <= _P_UNDERFLOW:
        return "< 1e-300"
    if p < 0.001:
        return "< .001"
    if p >= 0.9995:
        return "> .999"
    return f"{p:.3f}".removeprefix("0")
