"""A gate that lets many units through together, or one suspect alone.

When a worker dies, every unit that it held is under suspicion. On its last attempt a suspect runs alone, so that the
one that kills its worker is found without taking its neighbours with it.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Gate:
    """Shared entry for ordinary units, exclusive entry for suspects; suspects do not starve."""

    def __init__(self) -> None:
        self._condition = asyncio.Condition()
        self._inside = 0
        self._alone = False
        self._suspects_waiting = 0

    @asynccontextmanager
    async def enter(self, *, alone: bool) -> AsyncIterator[None]:
        """Wait for a place, hold it for the body of `async with`, and give it back."""
        async with self._condition:
            if alone:
                self._suspects_waiting += 1
                await self._condition.wait_for(lambda: self._inside == 0)
                self._suspects_waiting -= 1
                self._alone = True
            else:
                await self._condition.wait_for(lambda: not self._alone and not self._suspects_waiting)
            self._inside += 1
        try:
            yield
        finally:
            async with self._condition:
                self._inside -= 1
                self._alone = False
                self._condition.notify_all()
