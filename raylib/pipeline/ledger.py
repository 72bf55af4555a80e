"""Who began which unit, and how often a unit's worker died on it. Lives as long as the driver."""

import ray

UNKNOWN_DEATH = "its worker process ended without a word (crash, kill, or out of memory)"


class Attempts:
    """Counts lost attempts of units. A node that died is not held against the units that it carried."""

    def __init__(self) -> None:
        self._open: dict[str, str] = {}
        self._noted: dict[str, str] = {}
        self._lost: dict[str, list[str]] = {}

    def lost(self, unit_id: str, alive: frozenset[str]) -> list[str]:
        """Return why a unit's attempts so far were lost; one that is still open when the unit comes again was."""
        node = self._open.pop(unit_id, None)
        reason = self._noted.pop(unit_id, UNKNOWN_DEATH)
        if node in alive:
            self._lost.setdefault(unit_id, []).append(reason)
        return list(self._lost.get(unit_id, ()))

    def begin(self, unit_id: str, node: str) -> None:
        """Record that a worker now works on a unit (a unit that waits for its turn has not begun)."""
        self._open[unit_id] = node

    def note(self, unit_id: str, reason: str) -> None:
        """Record why the worker is about to end itself."""
        self._noted[unit_id] = reason

    def end(self, unit_id: str) -> None:
        """Record that an attempt ended in an answer, good or bad, that the worker itself reports."""
        self._open.pop(unit_id, None)


@ray.remote(num_cpus=0, max_restarts=0)
class Ledger:
    """`Attempts` as a Ray actor, which asks Ray which nodes are alive."""

    def __init__(self) -> None:
        self._attempts = Attempts()

    def lost(self, unit_id: str) -> list[str]:
        """See `Attempts.lost`."""
        alive = frozenset(str(item["NodeID"]) for item in ray.nodes() if item["Alive"])
        return self._attempts.lost(unit_id, alive)

    def begin(self, unit_id: str, node: str) -> None:
        """See `Attempts.begin`."""
        self._attempts.begin(unit_id, node)

    def note(self, unit_id: str, reason: str) -> None:
        """See `Attempts.note`."""
        self._attempts.note(unit_id, reason)

    def end(self, unit_id: str) -> None:
        """See `Attempts.end`."""
        self._attempts.end(unit_id)
