"""The probe against stores that break the promise in one way each."""

from collections.abc import Mapping
from threading import Barrier, Lock

import pytest

from raylib.errors import StoreError
from raylib.store.local import LocalStore
from raylib.store.probe import probe


class Broken(LocalStore):
    """A good local store until a subclass spoils one thing."""

    def __init__(self, root: str) -> None:
        super().__init__(root)
        self.puts = 0
        self.lock = Lock()
        self.together = Barrier(2)

    def number(self) -> int:
        with self.lock:
            self.puts += 1
            return self.puts


class AllRacersWin(Broken):
    def put_if_absent(self, key: str, data: bytes, metadata: Mapping[str, str] | None = None) -> bool:
        if self.number() > 2:
            return super().put_if_absent(key, data)
        super().put_if_absent(key, data)
        self.together.wait(timeout=30)
        return True


class NobodyWins(Broken):
    def put_if_absent(self, key: str, data: bytes, metadata: Mapping[str, str] | None = None) -> bool:
        super().put_if_absent(key, data)
        return False


class LaterWriterWins(Broken):
    def put_if_absent(self, key: str, data: bytes, metadata: Mapping[str, str] | None = None) -> bool:
        return super().put_if_absent(key, data) or self.number() > 1


class LaterWriterReplacesSilently(Broken):
    def put_if_absent(self, key: str, data: bytes, metadata: Mapping[str, str] | None = None) -> bool:
        if super().put_if_absent(key, data):
            return True
        (self._root / key).write_bytes(data)
        return False


class Forgets(Broken):
    def get(self, key: str) -> bytes:
        raise KeyError(key)


@pytest.mark.parametrize(
    ("kind", "what"),
    [
        (AllRacersWin, "of two writers racing for one key 2 were told that they won"),
        (NobodyWins, "of two writers racing for one key 0 were told that they won"),
        (LaterWriterWins, "a second write to the same key was accepted"),
        (LaterWriterReplacesSilently, "the first writer's bytes were replaced"),
        (Forgets, "an object that was just written is not there"),
    ],
)
def test_a_store_that_breaks_the_promise_is_refused(tmp_path: object, kind: type[Broken], what: str) -> None:
    with pytest.raises(StoreError, match=f"ignores put-if-absent .*: {what}; refusing to run") as error:
        probe(kind(str(tmp_path)))
    assert "\n" not in str(error.value)


def test_a_good_store_passes(tmp_path: object) -> None:
    probe(Broken(str(tmp_path)))
