"""Do something for every run of a config: one after another, going on with the next where one fails.

A config with one model is one run, and its error is the job's. With several, each has a line at the end and the job
ends with the exit code of the first failure.
"""

import logging
from collections.abc import Callable, Sequence
from typing import NamedTuple

from raylib.config.run import RunConfig
from raylib.config.sweep import Sweep
from raylib.errors import FairsweepError, StoppedError

LOG = logging.getLogger(__name__)
Report = str


class Outcome(NamedTuple):
    """What became of one run."""

    config: RunConfig
    report: Report | None = None
    failure: str | None = None
    """Why it failed, in one line; None: it did not."""
    exit_code: int = 0


class Together(NamedTuple):
    """What is done for the runs of a sweep together."""

    compare: Callable[[Sequence[RunConfig], Sequence[RunConfig]], Report]
    """Write the report that compares the finished runs (the first argument) and names the failed ones."""
    also_without_some: bool = True
    """Whether to compare where some have failed."""


def each_run(
    sweep: Sweep,
    action: Callable[[RunConfig], Report | None],
    together: Together | None = None,
    after_failure: Callable[[], None] = lambda: None,
) -> None:
    """Call `action` for every run; with several models print a line a model, then compare those that finished.

    Raises:
        FairsweepError: the run's own error; with several models one that says how many failed, with the exit code of
            the first failure.
    """
    if not sweep.several:
        _print_report(action(sweep.runs[0]))
        return
    outcomes = [_attempt(sweep, place, action, after_failure) for place in range(len(sweep.runs))]
    for outcome in outcomes:
        print(_line(outcome))
    failed = [outcome for outcome in outcomes if outcome.failure is not None]
    finished = [outcome.config for outcome in outcomes if outcome.failure is None]
    if together is not None and finished and (together.also_without_some or not failed):
        _print_report(together.compare(finished, [outcome.config for outcome in failed]))
    if failed:
        error = FairsweepError(
            f"{len(failed)} of {len(outcomes)} runs failed (see their lines); the same command tries them again"
        )
        error.exit_code = failed[0].exit_code
        raise error


def _attempt(
    sweep: Sweep, place: int, action: Callable[[RunConfig], Report | None], after_failure: Callable[[], None]
) -> Outcome:
    config = sweep.runs[place]
    LOG.info("%s (%d of %d), run %s", config.shown_as, place + 1, len(sweep.runs), config.run)
    try:
        return Outcome(config, report=action(config))
    except StoppedError:
        raise
    except FairsweepError as error:  # kept as text: its traceback would hold what the run had open
        reason = " ".join(str(error).split())
        outcome = Outcome(config, failure=reason, exit_code=error.exit_code)
    LOG.error("%s failed: %s", config.shown_as, reason)
    after_failure()
    return outcome


def _line(outcome: Outcome) -> str:
    name = outcome.config.shown_as
    if outcome.failure is not None:
        return f"{name}: failed: {outcome.failure}"
    return f"{name}: ok{f': {outcome.report}' if outcome.report else ''}"


def _print_report(report: Report | None) -> None:
    if report is not None:
        print(f"report: {report}")
