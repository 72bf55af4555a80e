"""Entry checks of the statistics: every array is finite, of the expected shape, or an error that names the index."""

import numpy as np
import numpy.typing as npt

from raylib.errors import DataError

Floats = npt.NDArray[np.float64]

_ROUNDING = 1e-9
"""Fractional counts (sums of likelihoods) may exceed their total by rounding; more than this share is an error."""


def finite(values: npt.ArrayLike, name: str) -> Floats:
    """Return `values` as a float64 array (no copy where it is one already).

    Raises:
        DataError: a value is NaN, infinite or not a number; the message names `name` and the first such index.
    """
    array = numbers(values, name)
    if not np.isfinite(array).all():
        index = _first(~np.isfinite(array))
        raise DataError(
            f"{name} is {array[index]} at index {_spell(index)}: every value must be finite; "
            "leave out what is unknown before calling, and say that it was left out"
        )
    return array


def numbers(values: npt.ArrayLike, name: str) -> Floats:
    """Return `values` as a float64 array that may hold NaN, for functions that document what NaN means.

    Raises:
        DataError: the values are not numbers, or the rows of a nested list differ in length.
    """
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(
            f"{name} does not hold numbers in a regular array ({error}); pass int or float values"
        ) from error


def counts(values: npt.ArrayLike, name: str) -> Floats:
    """Return `values` as float64; counts may be fractional (sums of likelihoods), never negative.

    Raises:
        DataError: a value is negative, NaN or infinite; the message names the index.
    """
    array = finite(values, name)
    if (array < 0).any():
        index = _first(array < 0)
        raise DataError(f"{name} is {array[index]} at index {_spell(index)}: a count cannot be negative")
    return array


def counts_within(part: npt.ArrayLike, total: npt.ArrayLike, part_name: str, total_name: str) -> tuple[Floats, Floats]:
    """Return two count arrays, broadcast against each other, of which the first is at most the second.

    An excess within rounding (one part in 1e9) is cut off.

    Raises:
        DataError: a count is negative or not finite, or a part exceeds its total; the message names the index.
    """
    wide_part, wide_total = broadcast(counts(part, part_name), counts(total, total_name), part_name, total_name)
    over = wide_part > wide_total
    if over.any():
        excess = wide_part > wide_total * (1 + _ROUNDING)
        if excess.any():
            index = _first(excess)
            raise DataError(
                f"{part_name} is {wide_part[index]} of {total_name} {wide_total[index]} at index {_spell(index)}: "
                "a part cannot exceed its total"
            )
        wide_part = np.minimum(wide_part, wide_total)
    return wide_part, wide_total


def broadcast(first: Floats, second: Floats, first_name: str, second_name: str) -> tuple[Floats, Floats]:
    """Return both arrays in their common shape (read-only views).

    Raises:
        DataError: the shapes do not fit.
    """
    try:
        wide_first, wide_second = np.broadcast_arrays(first, second)
    except ValueError as error:
        raise DataError(
            f"{first_name} has shape {first.shape} and {second_name} {second.shape}: they must broadcast"
        ) from error
    return wide_first, wide_second


def matrix(values: npt.ArrayLike, name: str) -> Floats:
    """Return a finite array whose first axis is the cluster (or unit) and holds at least one.

    Raises:
        DataError: no axis, no row, or a value that is not finite.
    """
    array = finite(values, name)
    if array.ndim == 0 or array.shape[0] == 0:
        raise DataError(f"{name} has shape {array.shape}: at least one row is needed; check that the run has data")
    return array


def cluster_codes(names: npt.ArrayLike, what: str) -> npt.NDArray[np.int64]:
    """Return a number for each name, 0 for the first in ascending order: which cluster an item belongs to.

    Numbers without a gap; one a name, in the shape of `names`.

    Raises:
        DataError: a name is None or NaN (the message names `what` and the index), or texts and numbers are mixed.
    """
    # Of a list, numpy would make texts of all: "nan" and "1" among them.
    listed = names if isinstance(names, np.ndarray) else np.asarray(names, dtype=object)
    unknown = np.array([name is None or name != name for name in listed.ravel().tolist()], dtype=np.bool_)
    if unknown.any():
        index = _first(unknown.reshape(listed.shape))
        raise DataError(
            f"{what} is unknown at index {_spell(index)}: give the cluster of every item, or leave the item out"
        )
    try:
        return np.unique(listed, return_inverse=True)[1].reshape(listed.shape)
    except TypeError as error:
        raise DataError(f"{what} mixes kinds of names ({error}): give all as texts or all as numbers") from error


def level(confidence: float) -> float:
    """Return `confidence` if it lies strictly between 0 and 1.

    Raises:
        DataError: it does not (95 instead of 0.95 is the usual mistake).
    """
    if not 0 < confidence < 1:
        raise DataError(f"confidence is {confidence}: give a share between 0 and 1, such as 0.95")
    return confidence


def _first(mask: npt.NDArray[np.bool_]) -> tuple[int, ...]:
    return tuple(int(i) for i in np.unravel_index(int(np.argmax(mask)), mask.shape))


def _spell(index: tuple[int, ...]) -> str:
    return str(index[0]) if len(index) == 1 else str(index) if index else "() (a single number)"
