"""Blocks of replicates: the same values in any cut, and the right ones."""

import numpy as np
import pyarrow as pa
import pytest

from raylib.errors import DataError
from raylib.stats.bootstrap import BLOCK_SIZE, bootstrap
from raylib.stats.linearisation import share
from raylib.studies.resampling import Key, Target, blocks_of, by_key, join_blocks, replicate

SHARE = Key("share", "cell", "axis", "group")
OTHER = Key("share", "other", "axis", "group")
SUMS = np.array([[3.0, 10.0], [5.0, 10.0], [9.0, 12.0], [0.0, 4.0]])


def target(key: Key = SHARE, sums: np.ndarray = SUMS) -> Target:
    return Target((key,), sums, lambda drawn: share(drawn)[:, np.newaxis])


def run(*targets: Target, replicates: int = 700, blocks: range | None = None) -> pa.Table:
    wanted = blocks_of(replicates) if blocks is None else blocks
    return replicate(targets, seed=3, blocks=wanted, replicates=replicates)


def test_the_last_block_is_cut_short() -> None:
    assert list(blocks_of(BLOCK_SIZE * 2 + 1)) == [0, 1, 2]
    assert len(by_key(run(target()))[SHARE]) == 700


def test_replicates_are_those_of_the_bootstrap_in_one_process() -> None:
    assert np.array_equal(by_key(run(target()))[SHARE], bootstrap(SUMS, share, seed=3, replicates=700).replicates)


def test_blocks_joined_are_the_same_bytes_as_all_at_once() -> None:
    targets = (target(), target(OTHER, SUMS[:3]))
    whole = run(*targets)
    assert join_blocks([run(*targets, blocks=range(place, place + 1)) for place in range(3)]).equals(whole)


def test_one_cluster_has_no_replicates() -> None:
    assert list(by_key(run(target(sums=SUMS[:1]), target(OTHER)))) == [OTHER]
    none = run(target(sums=SUMS[:1]))
    assert none.num_rows == 0
    assert by_key(join_blocks([none, none])) == {}


def test_blocks_of_different_statistics_do_not_join() -> None:
    with pytest.raises(DataError, match="different statistics"):
        join_blocks([run(target()), run(target(OTHER))])
