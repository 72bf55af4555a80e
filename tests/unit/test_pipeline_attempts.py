"""Lost attempts: what counts against a unit and what does not."""

from raylib.pipeline.ledger import UNKNOWN_DEATH, Attempts

ALIVE = frozenset({"n1", "n2"})


def test_a_unit_that_never_began_has_no_lost_attempts() -> None:
    assert Attempts().lost("u", ALIVE) == []


def test_a_unit_that_comes_again_while_its_attempt_is_open_lost_that_attempt() -> None:
    attempts = Attempts()
    attempts.begin("u", "n1")
    assert attempts.lost("u", ALIVE) == [UNKNOWN_DEATH]
    attempts.begin("u", "n2")
    assert attempts.lost("u", ALIVE) == [UNKNOWN_DEATH] * 2


def test_a_unit_that_was_waiting_for_its_turn_lost_nothing() -> None:
    attempts = Attempts()
    attempts.begin("u", "n1")
    attempts.lost("u", ALIVE)
    assert attempts.lost("u", ALIVE) == [UNKNOWN_DEATH]


def test_the_reason_that_a_worker_left_is_kept() -> None:
    attempts = Attempts()
    attempts.begin("u", "n1")
    attempts.note("u", "no answer within 5 s")
    assert attempts.lost("u", ALIVE) == ["no answer within 5 s"]


def test_a_node_that_died_is_not_held_against_its_units() -> None:
    attempts = Attempts()
    attempts.begin("u", "n3")
    assert attempts.lost("u", ALIVE) == []


def test_an_attempt_that_ended_in_an_answer_is_not_lost() -> None:
    attempts = Attempts()
    attempts.begin("u", "n1")
    attempts.end("u")
    assert attempts.lost("u", ALIVE) == []
