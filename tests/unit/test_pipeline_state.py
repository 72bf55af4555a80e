"""What the driver counts while a stage runs."""

from types import SimpleNamespace
from typing import Any

from raylib.pipeline.state import StageState
from raylib.pipeline.watch import Watch
from raylib.store.parts import Receipt


def receipt(unit: str, revision: int = 0, **statuses: int) -> Receipt:
    return Receipt(unit, f"{unit}.{revision}", revision, sum(statuses.values()), 1, "0" * 64, statuses, 10)


def test_totals_are_those_of_the_committed_parts() -> None:
    state = StageState([receipt("a", ok=3, error=1)], [], {})
    state.commit(receipt("b", ok=4))
    assert (state.rows, state.statuses["error"], state.tokens, state.finished) == (8, 1, 20, 2)


def test_a_part_that_is_tried_again_counts_only_once_it_is_back() -> None:
    first = receipt("a", ok=3, error=1)
    state = StageState([first], [], {})
    state.set_aside(first)
    assert (state.rows, state.statuses["error"], state.tokens) == (0, 0, 0)
    state.commit(receipt("a", 1, ok=4))
    assert (state.rows, state.statuses["error"], state.receipts["a"].revision) == (4, 0, 1)


def test_a_unit_whose_retry_is_given_up_keeps_its_earlier_part() -> None:
    first = receipt("a", ok=3, error=1)
    state = StageState([first], [], {})
    state.set_aside(first)
    state.quarantine({"unit_id": "a", "reason": "crash"})
    assert state.receipts == {"a": first}
    assert state.quarantined == {}


def test_a_quarantined_unit_that_comes_back_is_no_longer_quarantined() -> None:
    state = StageState([], [], {"a": {"unit_id": "a", "reason": "crash"}})
    state.commit(receipt("a", ok=4))
    assert (state.quarantined, state.finished) == ({}, 1)


def test_a_snapshot_says_how_many_actors_there_can_be_at_most_one_a_unit_to_do() -> None:
    plan: Any = SimpleNamespace(
        name="generate", units=("a", "b", "c"), samples=6, resources=SimpleNamespace(actors=(1, 8), gpus=2)
    )
    records: Any = None
    snapshot = Watch(plan, StageState([receipt("a", ok=2)], [], {}), records).snapshot()
    assert (snapshot["actors"], snapshot["gpus_per_actor"]) == ([1, 2], 2)
