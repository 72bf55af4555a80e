"""The thread that steps an engine: nobody waits for ever, whatever the engine does."""

import asyncio
import threading
import time
from collections.abc import Sequence
from concurrent.futures import CancelledError
from typing import Any, NamedTuple

import pytest

from raylib.engines.base import EngineDeadError
from raylib.engines.step_loop import RequestRefusedError, StepLoop


class Output(NamedTuple):
    request_id: str
    finished: bool
    value: Any


class FakeEngine:
    """A batching engine: each request takes as many steps as its params say."""

    def __init__(self) -> None:
        self.left: dict[str, int] = {}
        self.prompts: dict[str, Any] = {}
        self.aborted: list[str] = []
        self.largest_batch = 0
        self.gate = threading.Event()
        self.gate.set()
        self.fail: Exception | None = None

    def add_request(self, request_id: str, prompt: Any, params: Any, *, lora_request: Any = None) -> None:
        if params < 0:
            raise ValueError("steps must not be negative")
        self.left[request_id] = params
        self.prompts[request_id] = prompt

    def has_unfinished_requests(self) -> bool:
        return bool(self.left)

    def step(self) -> Sequence[Output]:
        self.gate.wait()
        if self.fail:
            raise self.fail
        self.largest_batch = max(self.largest_batch, len(self.left))
        self.left = {key: value - 1 for key, value in self.left.items()}
        done = [key for key, value in self.left.items() if value <= 0]
        outputs = [Output(key, key in done, self.prompts[key]) for key in self.left]
        self.left = {key: value for key, value in self.left.items() if key not in done}
        return outputs

    def abort_request(self, request_ids: list[str]) -> None:
        self.aborted += request_ids
        for key in request_ids:
            self.left.pop(key, None)


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine()


@pytest.fixture
def loop(engine: FakeEngine) -> Any:
    loop = StepLoop(engine)
    yield loop
    engine.gate.set()
    loop.close()


def wait_until(condition: Any) -> None:
    deadline = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.005)


def test_each_request_gets_its_own_final_output(loop: StepLoop) -> None:
    futures = [loop.submit(f"prompt {k}", 1 + k % 3) for k in range(20)]
    assert [future.result(5).value for future in futures] == [f"prompt {k}" for k in range(20)]


def test_requests_that_come_while_the_engine_works_join_the_batch(loop: StepLoop, engine: FakeEngine) -> None:
    engine.gate.clear()
    futures = [loop.submit(k, 2) for k in range(5)]
    engine.gate.set()
    for future in futures:
        future.result(5)
    assert engine.largest_batch == 5


def test_a_failed_step_fails_everybody_who_waits_and_all_who_come(loop: StepLoop, engine: FakeEngine) -> None:
    engine.gate.clear()
    waiting = [loop.submit(k, 3) for k in range(3)]
    engine.fail = RuntimeError("out of memory")
    engine.gate.set()
    for future in waiting:
        with pytest.raises(EngineDeadError, match="RuntimeError: out of memory"):
            future.result(5)
    with pytest.raises(EngineDeadError, match="out of memory"):
        loop.submit("late", 1)


def test_a_request_that_the_engine_refuses_fails_alone(loop: StepLoop) -> None:
    bad, good = loop.submit("bad", -1), loop.submit("good", 1)
    with pytest.raises(RequestRefusedError, match="must not be negative"):
        bad.result(5)
    assert good.result(5).value == "good"


def test_a_cancelled_request_leaves_the_batch(loop: StepLoop, engine: FakeEngine) -> None:
    async def ask_and_give_up() -> None:
        await asyncio.wait_for(asyncio.wrap_future(loop.submit("long", 10**9)), timeout=0.05)

    with pytest.raises(TimeoutError):
        asyncio.run(ask_and_give_up())
    wait_until(lambda: engine.aborted == ["0"])
    assert loop.submit("next", 1).result(5).value == "next"
    assert not engine.left


def test_an_answer_to_a_caller_who_is_gone_does_not_kill_the_engine(loop: StepLoop, engine: FakeEngine) -> None:
    engine.gate.clear()
    gone = loop.submit("gone", 1)
    gone.cancel()
    engine.gate.set()
    with pytest.raises(CancelledError):
        gone.result(5)
    assert loop.submit("next", 1).result(5).value == "next"


def test_a_hanging_step_shows_in_the_age_of_the_last_step(loop: StepLoop, engine: FakeEngine) -> None:
    assert loop.last_step_age == 0
    engine.gate.clear()
    future = loop.submit("slow", 1)
    time.sleep(0.2)
    assert loop.last_step_age > 0.1
    engine.gate.set()
    future.result(5)
    assert loop.last_step_age == 0


def test_an_engine_that_was_idle_for_long_is_not_taken_for_a_hanging_one(loop: StepLoop, engine: FakeEngine) -> None:
    time.sleep(0.3)
    engine.gate.clear()
    loop.submit("first", 1)
    assert loop.last_step_age < 0.2


def test_closing_fails_those_who_wait_and_those_who_come(engine: FakeEngine) -> None:
    loop = StepLoop(engine)
    waiting = loop.submit("long", 10**9)
    loop.close()
    with pytest.raises(EngineDeadError, match="closed"):
        waiting.result(5)
    with pytest.raises(EngineDeadError, match="closed"):
        loop.submit("late", 1)
