"""Ctrl-C and SIGTERM: stop taking in work, keep what is committed, say how to go on.

A stop waits for nobody: what is committed is on the store, and the rest is done again. So it does not take Ray apart
piece by piece (which can hang, or end the process with a code of its own) but ends the processes and goes.
"""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

import psutil

from raylib.errors import EXIT_INTERRUPTED, EXIT_TERMINATED, StoppedError

GRACE_S = 7.0
"""Seconds that a stop may take before the process is ended wherever it is."""

_CODES = {signal.SIGINT: EXIT_INTERRUPTED, signal.SIGTERM: EXIT_TERMINATED}


@contextmanager
def stoppable() -> Iterator[None]:
    """Turn the first SIGINT or SIGTERM in the body of `with` into a StoppedError in the main thread.

    A second signal, or GRACE_S seconds after the first, ends the process at once.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    watchdogs: list[threading.Timer] = []

    def stop(number: int, _frame: FrameType | None) -> None:
        code = _CODES[signal.Signals(number)]
        stopped = StoppedError(
            f"stopped by {signal.Signals(number).name}; what was committed is kept, the same command goes on from there",
            code,
        )
        if watchdogs:
            _say_and_leave(stopped)
        watchdogs.append(threading.Timer(GRACE_S, _say_and_leave, args=(stopped,)))
        watchdogs[0].daemon = True
        watchdogs[0].start()
        raise stopped

    before = {each: signal.signal(each, stop) for each in _CODES}
    try:
        yield
    finally:
        for watchdog in watchdogs:
            watchdog.cancel()
        for each, handler in before.items():
            signal.signal(each, handler)


def leave(code: int) -> NoReturn:
    """End what this process started, down to the last child, and then this process, without a clean-up."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    family = psutil.Process().children(recursive=True)
    for child in family:
        try:
            child.kill()
        except psutil.NoSuchProcess:
            continue
    os._exit(code)


def _say_and_leave(stopped: StoppedError) -> NoReturn:
    print(f"error: {stopped}", file=sys.stderr)
    leave(stopped.exit_code)
