"""A local Ray that does not answer in time is started once more, and then the user is told."""

import pytest

from raylib.config.run import ResourcesConfig
from raylib.errors import ConfigError
from raylib.pipeline.session import RaySession

SLOW = "The current node timed out during startup. This could happen because some of the raylet failed to startup."


class FakeInit:
    def __init__(self, failures: int, message: str = SLOW) -> None:
        self.calls, self._failures, self._message = 0, failures, message

    def __call__(self, **_options: object) -> None:
        self.calls += 1
        if self.calls <= self._failures:
            raise Exception(self._message)


def start(monkeypatch: pytest.MonkeyPatch, init: FakeInit) -> None:
    import ray

    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setattr(ray, "init", init)
    monkeypatch.setattr(ray, "shutdown", lambda: None)
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    RaySession(ResourcesConfig()).connect()


def test_a_slow_start_is_tried_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    init = FakeInit(failures=1)
    start(monkeypatch, init)
    assert init.calls == 2


def test_two_slow_starts_are_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        ConfigError, match=r"did not start within 30 s, twice: .* end other work on it, then run the same command again"
    ):
        start(monkeypatch, FakeInit(failures=2))


def test_another_failure_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    init = FakeInit(failures=2, message="something else")
    with pytest.raises(Exception, match="something else"):
        start(monkeypatch, init)
    assert init.calls == 1
