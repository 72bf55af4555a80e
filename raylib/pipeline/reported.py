"""Errors of ours on their way from a worker to the driver: as plain values, and back to the same kind of error."""

from collections.abc import Mapping
from typing import Any

from raylib import errors
from raylib.errors import FairsweepError, StoppedError


def reported(error: FairsweepError) -> dict[str, Any]:
    """Return an error as JSON values; a subclass from elsewhere travels as the class of raylib.errors that it is."""
    kind = next(each for each in type(error).__mro__ if each.__module__ == errors.__name__)
    return {"type": kind.__name__, "message": str(error), "exit_code": error.exit_code}


def rebuilt(answer: Mapping[str, Any]) -> FairsweepError:
    """Return the error that `reported` made values of, with its exit code."""
    kind = getattr(errors, str(answer["type"]), None)
    if isinstance(kind, type) and issubclass(kind, FairsweepError) and kind is not StoppedError:
        error = kind(answer["message"])
    else:
        error = FairsweepError(answer["message"])
    error.exit_code = int(answer["exit_code"])
    return error
