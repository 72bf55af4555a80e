"""What the reduce stage says when it is done."""

import pyarrow as pa

from raylib.pipeline.reduce import _told


def test_estimates_without_a_number_are_told_and_not_counted_in_silence() -> None:
    table = pa.table({"estimate": pa.array([0.5, None, None], pa.float64())})
    assert _told(table) == "3 estimates (2 without a number; their notes say why)"
    assert _told(table.slice(0, 1)) == "1 estimates"
