"""An interval for a ratio of two shares from the same clusters that holds at small counts, zeros among them."""

import numpy as np
import numpy.typing as npt

from raylib.errors import DataError
from raylib.stats.arrays import Floats, counts_within, matrix
from raylib.stats.clustered_shares import wilson_clustered
from raylib.stats.intervals import Interval


def ratio_interval_clustered(
    x: npt.ArrayLike, x_total: npt.ArrayLike, y: npt.ArrayLike, y_total: npt.ArrayLike, confidence: float = 0.95
) -> Interval:
    """Return an interval of (x / X) / (y / Y) built from the two shares' intervals by cluster (MOVER-R).

    Source: Donner and Zou (2012), Stat. Methods Med. Res. 21: 347 (ratios from the limits of each part, with their
    correlation), on the limits of `wilson_clustered`. No smoothing, so the target is the ratio itself, not R_sub's
    smoothed value. It stands beside the bootstrap where counts are small: there resampled counts are often 0.

    Args:
        x: group's count among subordinate characters, per cluster; shape (clusters, ...); fractional allowed.
        x_total: all subordinate characters, per cluster; same shape.
        y: group's count among dominant characters, per cluster; same shape.
        y_total: all dominant characters, per cluster; same shape.
        confidence: coverage.

    Returns:
        Ends of shape (...) on the ratio scale. x = 0: low is 0. y = 0, or a share whose interval reaches 0: high is
        infinite (no upper bound). Both 0: [0, inf). Fewer than two clusters with data in either role: NaN.

    Raises:
        DataError: a NaN, a negative count, a count above its total, or shapes that differ.
    """
    first, first_total = counts_within(matrix(x, "x"), matrix(x_total, "x_total"), "x", "x_total")
    second, second_total = counts_within(matrix(y, "y"), matrix(y_total, "y_total"), "y", "y_total")
    if first.shape != second.shape:
        raise DataError(f"x has shape {first.shape}, y {second.shape}: both roles need the same clusters and cells")
    low_x, high_x = wilson_clustered(first, first_total, confidence)
    low_y, high_y = wilson_clustered(second, second_total, confidence)
    share_x, share_y = _share(first, first_total), _share(second, second_total)
    together = _correlation(first, first_total, second, second_total)
    product = share_x * share_y
    with np.errstate(divide="ignore", invalid="ignore"):
        lower_middle = product - together * (share_x - low_x) * (high_y - share_y)
        lower_product = high_y * (2 * share_y - high_y)
        root = np.sqrt(np.maximum(lower_middle**2 - low_x * (2 * share_x - low_x) * lower_product, 0.0))
        # The smaller root, written so that it does not divide by 0 where high_y = 2 share_y.
        low = np.where(low_x > 0, low_x * (2 * share_x - low_x) / (lower_middle + root), 0.0)
        upper_middle = product - together * (high_x - share_x) * (share_y - low_y)
        upper_product = low_y * (2 * share_y - low_y)
        root = np.sqrt(np.maximum(upper_middle**2 - high_x * (2 * share_x - high_x) * upper_product, 0.0))
        high = np.where(upper_product > 0, (upper_middle + root) / upper_product, np.inf)
    known = np.isfinite(low_x) & np.isfinite(low_y)
    return Interval(np.where(known, low, np.nan), np.where(known, high, np.nan))


def _share(x: Floats, n: Floats) -> Floats:
    total = n.sum(axis=0)
    return np.asarray(np.divide(x.sum(axis=0), total, out=np.full(total.shape, np.nan), where=total > 0))


def _correlation(x: Floats, x_total: Floats, y: Floats, y_total: Floats) -> Floats:
    """Return the correlation over clusters of the two shares' influences; 0 where either has no spread."""
    first = x - np.nan_to_num(_share(x, x_total)) * x_total
    second = y - np.nan_to_num(_share(y, y_total)) * y_total
    scale = np.sqrt((first**2).sum(axis=0) * (second**2).sum(axis=0))
    product = (first * second).sum(axis=0)
    return np.asarray(np.divide(product, scale, out=np.zeros(scale.shape), where=scale > 0))
