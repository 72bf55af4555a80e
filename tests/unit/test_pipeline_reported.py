"""An error keeps its kind, its message and its exit code between a worker and the driver."""

import json

import pytest

from raylib.errors import ConfigError, DataError, FairsweepError, LimitError, ModelError, StoppedError
from raylib.pipeline.reported import rebuilt, reported
from raylib.store.part_file import PartError


@pytest.mark.parametrize(
    ("error", "kind", "code"),
    [
        (ConfigError("x"), ConfigError, 2),
        (ModelError("x"), ModelError, 2),
        (PartError("x"), DataError, 3),
        (LimitError("x"), LimitError, 4),
        (StoppedError("x", 143), FairsweepError, 143),
    ],
)
def test_an_error_arrives_as_the_kind_that_it_is(error: FairsweepError, kind: type, code: int) -> None:
    again = rebuilt(json.loads(json.dumps(reported(error))))
    assert (type(again), again.exit_code, str(again)) == (kind, code, "x")
