"""What every job's process does around its one function: logging, signals, errors, exit codes."""

import json
import logging
import os
import select
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from raylib.errors import EXIT_DEFECT, EXIT_OK, EXIT_UNREAD, FairsweepError, StoppedError
from raylib.pipeline.arguments import Arguments, parse
from raylib.pipeline.stop import leave, stoppable

T = TypeVar("T")


def run_job(description: str | None, function: Callable[[Arguments], None]) -> int:
    """Parse the command line of a job of the chain, call `function`, and return the process's exit code."""
    return run_parsed(description, parse, function)


def run_parsed(description: str | None, parse_for: Callable[[str, str], T], function: Callable[[T], None]) -> int:
    """Parse the command line with `parse_for(description, program)`, call `function`, and return the exit code.

    A FairsweepError ends in one line on standard error and its own exit code; anything else is a defect, keeps its
    traceback, and ends with 1. A stop ends the process here, with all that it started.
    """
    logging_to_stderr()
    try:
        return guarded(lambda: function(parse_for((description or "").strip(), Path(sys.argv[0]).name)))
    except StoppedError as stopped:
        _say(stopped)
        leave(stopped.exit_code)


def guarded(action: Callable[[], None]) -> int:
    """Call `action` and return the exit code that its outcome stands for.

    Raises:
        StoppedError: SIGINT or SIGTERM came; a Ray that this process started is left as it was.
    """
    try:
        with stoppable():
            action()
    except StoppedError:
        raise
    except FairsweepError as error:
        _say(error)
        return error.exit_code
    except Exception as error:
        if isinstance(error, BrokenPipeError) and _nobody_reads():
            return EXIT_UNREAD
        logging.getLogger("raylib").exception("this is a defect of fairsweep; please report it with these lines")
        return EXIT_DEFECT
    return EXIT_OK


def _nobody_reads() -> bool:
    """Say whether standard output is a pipe closed at its other end (`| head`); if so, write nowhere from now on."""
    poll = select.poll()
    poll.register(sys.stdout.fileno(), 0)
    if not poll.poll(0):
        return False
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return True


def _say(error: FairsweepError) -> None:
    print(f"error: {' '.join(str(error).split())}", file=sys.stderr)


class _JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        entry = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            entry["exception"] = self.formatException(record.exc_info)
        return json.dumps(entry, ensure_ascii=False)


def logging_to_stderr() -> None:
    """Log to standard error: plain lines, or one JSON object a line with FAIRSWEEP_LOG=json."""
    handler = logging.StreamHandler(sys.stderr)
    if os.environ.get("FAIRSWEEP_LOG") == "json":
        handler.setFormatter(_JsonLines())
    else:
        handler.setFormatter(logging.Formatter("%(asctime)s  %(message)s", datefmt="%H:%M:%S"))
    logger = logging.getLogger("raylib")
    logger.handlers[:] = [handler]
    logger.setLevel(logging.INFO)
    logger.propagate = False
