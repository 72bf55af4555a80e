"""Errors that a user can act on, each with the exit code that its job ends with.

Every message says what is wrong, where, and what to do next, in one line. A job prints that line without a
traceback; anything that is not a `FairsweepError` is a defect of ours and keeps its traceback (exit code 1).
"""

import difflib
from collections.abc import Iterable

EXIT_OK = 0
EXIT_DEFECT = 1
EXIT_CONFIG = 2
EXIT_DATA = 3
EXIT_LIMIT = 4
EXIT_UNFINISHED = 5
EXIT_INTERRUPTED = 130
EXIT_UNREAD = 141
EXIT_TERMINATED = 143


class FairsweepError(Exception):
    """Base of all errors that end in one line. `exit_code` is what the job's process returns."""

    exit_code = EXIT_DEFECT


class ConfigError(FairsweepError):
    """The configuration, or something that it names (a file, a key, a model), is wrong. Exit code 2."""

    exit_code = EXIT_CONFIG


class ModelError(ConfigError):
    """A model cannot be found, verified, converted or loaded. Exit code 2."""


class StoreError(ConfigError):
    """The object store cannot be reached, written to, or trusted with put-if-absent. Exit code 2."""


class DataError(FairsweepError):
    """Data that breaks its contract: a torn part, an id that was not planned, a wrong column. Exit code 3."""

    exit_code = EXIT_DATA


class LimitError(FairsweepError):
    """A limit that the configuration sets was exceeded: error rate, cost, time without progress. Exit code 4."""

    exit_code = EXIT_LIMIT


class UnfinishedError(FairsweepError):
    """There is work to do, and the caller asked only whether there is. Exit code 5."""

    exit_code = EXIT_UNFINISHED


class StoppedError(FairsweepError):
    """The run was asked to stop; what was committed stays and the same command goes on from there."""

    def __init__(self, message: str, exit_code: int = EXIT_INTERRUPTED) -> None:
        super().__init__(message)
        self.exit_code = exit_code

    def __reduce__(self) -> tuple[type["StoppedError"], tuple[str, int]]:
        return (StoppedError, (str(self), self.exit_code))


def nearest(name: str, valid: Iterable[str]) -> str:
    """Return " Did you mean 'x'? Valid: a, b, c." for a name that is none of `valid`."""
    choices = sorted(valid)
    close = difflib.get_close_matches(name, choices, n=1, cutoff=0.5)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    return f"{hint} Valid: {', '.join(choices) if choices else '(none)'}."
