"""Progress that a person reads: a live line in a terminal, plain lines in a log, snapshots on the store."""

import logging
import sys
import time
from types import TracebackType
from typing import Any

from raylib.pipeline.records import StageRecords
from raylib.pipeline.state import StageState
from raylib.pipeline.unit import StagePlan

LOG = logging.getLogger(__name__)
_LOG_EVERY_S = 15.0
_STORE_EVERY_S = 30.0


class Watch:
    """Shows how far a stage is; `with Watch(...) as watch`, then `watch.tick()` often and `watch.update()` on news."""

    def __init__(self, plan: StagePlan, state: StageState, records: StageRecords) -> None:
        self._plan, self._state, self._records = plan, state, records
        self._began = time.monotonic()
        self._rows_before = state.rows
        self._tokens_before = state.tokens
        self._units_before = state.finished
        fewest, most = plan.resources.actors
        self._actors = [fewest, min(most, max(fewest, len(plan.units) - state.finished))]
        self._last_log = self._last_store = self._began
        self._live: Any = None

    def __enter__(self) -> "Watch":
        if sys.stderr.isatty():
            from rich.live import Live
            from rich.text import Text

            self._live = Live(Text(self.line()), refresh_per_second=2, transient=True)
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()
        LOG.info("%s", self.line())
        if error is None:  # a store that fails now must not hide what ended the stage
            self._records.add_progress(self.snapshot())

    def update(self) -> None:
        """Take note of a finished unit (the counts are read from the state)."""
        self.tick()

    def tick(self) -> None:
        """Show the present line if it is time to."""
        now = time.monotonic()
        if self._live is not None:
            from rich.text import Text

            self._live.update(Text(self.line()))
        elif now - self._last_log >= _LOG_EVERY_S:
            self._last_log = now
            LOG.info("%s", self.line())
        if now - self._last_store >= _STORE_EVERY_S:
            self._last_store = now
            self._records.add_progress(self.snapshot())

    def snapshot(self) -> dict[str, Any]:
        """Return counts, rates (per second, of this process) and the seconds left (None: not known yet)."""
        seconds = max(time.monotonic() - self._began, 1e-9)
        state = self._state
        done_now = state.finished - self._units_before
        left = len(self._plan.units) - state.finished
        return {
            "stage": self._plan.name,
            "units": state.finished,
            "planned_units": len(self._plan.units),
            "quarantined_units": len(state.quarantined),
            "samples": state.rows,
            "planned_samples": self._plan.samples,
            "statuses": {name: count for name, count in sorted(state.statuses.items()) if count},
            "seconds": round(seconds, 1),
            "samples_per_s": round((state.rows - self._rows_before) / seconds, 2),
            "tokens_per_s": round((state.tokens - self._tokens_before) / seconds, 1),
            "eta_s": round(seconds / done_now * left) if done_now else None,
            "actors": self._actors,
            "gpus_per_actor": self._plan.resources.gpus,
        }

    def line(self) -> str:
        """Return the state in one line of at most 80 columns."""
        s = self.snapshot()
        parts = [
            f"{s['stage']:<8} {s['units']}/{s['planned_units']} units",
            f"{s['samples']}/{s['planned_samples']} samples",
        ]
        if s["tokens_per_s"]:
            parts.append(f"{s['tokens_per_s']:.0f} tok/s")
        elif s["samples_per_s"]:
            parts.append(f"{s['samples_per_s']:.0f}/s")
        parts.append(f"{s['statuses'].get('error', 0)} errors")
        if s["quarantined_units"]:
            parts.append(f"{s['quarantined_units']} lost")
        if s["units"] < s["planned_units"]:
            parts.append("ETA " + (_duration(s["eta_s"]) if s["eta_s"] is not None else "?"))
        return "  ".join(parts)


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
