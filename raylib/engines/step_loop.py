"""A thread that steps a batching engine, and futures for those who wait for its answers.

vLLM's in-process engine works only while somebody calls `step()`. One thread does, as long as there is work; any number
of callers add requests meanwhile, so that the next step already works on them and the batch never runs empty.
"""

import itertools
import logging
import queue
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any, NamedTuple, Protocol

from raylib.engines.base import EngineDeadError

_LOG = logging.getLogger(__name__)
_CLOSE_TIMEOUT_S = 30.0


class Steppable(Protocol):
    """What the loop needs of an engine; vLLM's `LLMEngine` has it."""

    def add_request(self, request_id: str, prompt: Any, params: Any, *, lora_request: Any = None) -> Any:
        """Take a request, or raise because of what it asks."""
        ...

    def has_unfinished_requests(self) -> bool:
        """Say whether a step would do anything."""
        ...

    def step(self) -> Sequence[Any]:
        """Work once on all requests; return outputs with `request_id` and `finished`."""
        ...

    def abort_request(self, request_ids: list[str]) -> None:
        """Forget requests."""
        ...


class RequestRefusedError(Exception):
    """The engine did not take this one request (its parameters are at fault); it goes on with the others."""


class _Add(NamedTuple):
    request_id: str
    prompt: Any
    params: Any
    lora_request: Any


class _Abort(NamedTuple):
    request_id: str


class StepLoop:
    """Runs an engine in a daemon thread until `close`, or until a step fails: then everybody is told at once."""

    def __init__(self, engine: Steppable) -> None:
        self._engine = engine
        self._orders: queue.SimpleQueue[_Add | _Abort | None] = queue.SimpleQueue()
        self._waiting: dict[str, Future[Any]] = {}
        self._lock = threading.Lock()
        self._dead: str | None = None
        self._ids = itertools.count()
        self._last_beat = time.monotonic()
        self._thread = threading.Thread(target=self._run, name="fairsweep-engine", daemon=True)
        self._thread.start()

    @property
    def last_step_age(self) -> float:
        """Seconds since the engine last showed life; 0 while nobody waits for it. Large: it hangs."""
        with self._lock:
            return time.monotonic() - self._last_beat if self._waiting else 0.0

    def submit(self, prompt: Any, params: Any, lora_request: Any = None) -> "Future[Any]":
        """Return a future of the engine's final output. Cancelling it takes the request out of the batch.

        The future raises RequestRefusedError if the engine does not take the request.

        Raises:
            EngineDeadError: the engine is dead or closed.
        """
        future: Future[Any] = Future()
        request_id = str(next(self._ids))
        with self._lock:
            if self._dead is not None:
                raise EngineDeadError(self._dead)
            if not self._waiting:
                self._last_beat = time.monotonic()
            self._waiting[request_id] = future
            self._orders.put(_Add(request_id, prompt, params, lora_request))
        future.add_done_callback(lambda done: self._orders.put(_Abort(request_id)) if done.cancelled() else None)
        return future

    def close(self) -> None:
        """End the thread; whoever still waits gets an EngineDeadError."""
        self._orders.put(None)
        self._thread.join(_CLOSE_TIMEOUT_S)
        self._die("the engine was closed")

    def _run(self) -> None:
        try:
            while self._take_orders():
                self._last_beat = time.monotonic()
                if self._engine.has_unfinished_requests():
                    for output in self._engine.step():
                        if output.finished:
                            self._finish(output.request_id, output)
        except BaseException as error:  # noqa: BLE001 - it goes to everybody who waits, and to the log
            _LOG.exception("the engine died")
            self._die(f"the engine died: {type(error).__name__}: {str(error).strip() or 'no message'}")

    def _take_orders(self) -> bool:
        """Carry out what was ordered; wait for an order only if the engine is idle. False: close."""
        block = not self._engine.has_unfinished_requests()
        while True:
            try:
                order = self._orders.get(block=block)
            except queue.Empty:
                return True
            block = False
            if order is None:
                return False
            if isinstance(order, _Add):
                self._add(order)
            else:
                self._forget(order.request_id)

    def _add(self, order: _Add) -> None:
        try:
            self._engine.add_request(order.request_id, order.prompt, order.params, lora_request=order.lora_request)
        except Exception as error:  # noqa: BLE001 - whatever it is, it concerns this request and goes to who asked
            self._finish(order.request_id, RequestRefusedError(f"{type(error).__name__}: {error}"))

    def _forget(self, request_id: str) -> None:
        with self._lock:
            self._waiting.pop(request_id, None)
        self._engine.abort_request([request_id])

    def _finish(self, request_id: str, result: Any) -> None:
        with self._lock:
            future = self._waiting.pop(request_id, None)
        if future is None or not future.set_running_or_notify_cancel():
            return  # cancelled meanwhile: nobody waits
        if isinstance(result, BaseException):
            future.set_exception(result)
        else:
            future.set_result(result)

    def _die(self, reason: str) -> None:
        with self._lock:
            self._dead = self._dead or reason
            waiting = list(self._waiting)
        for request_id in waiting:
            self._finish(request_id, EngineDeadError(self._dead))
