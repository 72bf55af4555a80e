"""What every store promises, on the local disk, on moto and on a Ceph gateway."""

import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from threading import Barrier

import pytest

from raylib.errors import StoreError
from raylib.store.base import ObjectInfo, ObjectStore
from raylib.store.probe import check_shared, probe
from tests.store_writers import write_all


def test_the_first_writer_wins_and_its_bytes_stay(store: ObjectStore) -> None:
    assert store.put_if_absent("a/b.bin", b"first") is True
    assert store.put_if_absent("a/b.bin", b"second") is False
    assert store.get("a/b.bin") == b"first"


def test_writing_the_same_bytes_again_does_not_count_as_created(store: ObjectStore) -> None:
    assert store.put_if_absent("a", b"same") is True
    assert store.put_if_absent("a", b"same") is False


def test_of_eight_threads_racing_for_a_key_exactly_one_wins(store: ObjectStore) -> None:
    barrier = Barrier(8)

    def write(writer: int) -> bool:
        barrier.wait()
        return store.put_if_absent("race", b"%d" % writer * 1000)

    with ThreadPoolExecutor(8) as pool:
        won = list(pool.map(write, range(8)))
    assert won.count(True) == 1
    assert store.get("race") == b"%d" % won.index(True) * 1000


def test_two_processes_racing_for_twenty_keys_win_each_exactly_once(store: ObjectStore) -> None:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        first, second = pool.map(write_all, [store, store], [1, 2], [20, 20])
    assert sorted(first + second) == list(range(20))
    assert {store.get(f"race/{number:03}")[:1] for number in first} <= {b"1"}
    assert {store.get(f"race/{number:03}")[:1] for number in second} <= {b"2"}


def test_an_empty_object_is_an_object(store: ObjectStore) -> None:
    store.put_if_absent("empty", b"")
    assert store.exists("empty")
    assert store.get("empty") == b""


def test_a_missing_key_is_a_key_error_and_does_not_exist(store: ObjectStore) -> None:
    store.put_if_absent("a/bc", b"x")
    assert not store.exists("a/b")
    with pytest.raises(KeyError, match=r"a/b"):
        store.get("a/b")


def test_a_listing_is_in_byte_order_of_whole_keys_and_ends_where_the_prefix_says(store: ObjectStore) -> None:
    for key in ("p/b", "p/a/z", "p/a-1", "p/a.x", "p/B", "q/a", "pp"):
        store.put_if_absent(key, b"12345")
    # '-' 2d < '.' 2e < '/' 2f < 'B' 42 < 'b' 62
    assert [info.key for info in store.list("p/")] == ["p/B", "p/a-1", "p/a.x", "p/a/z", "p/b"]
    assert list(store.list("p/a.")) == [ObjectInfo("p/a.x", 5)]
    assert [info.key for info in store.list("p")] == ["p/B", "p/a-1", "p/a.x", "p/a/z", "p/b", "pp"]
    assert len(list(store.list(""))) == 7
    assert list(store.list("nothing/")) == []


@pytest.mark.parametrize(
    "key", ["../x", "a/../b", "a/./b", "/a", "a//b", "a/", "", "ä", "a b", "a\n", ".tmp/x", "x" * 201]
)
def test_a_key_that_is_no_key_is_refused_by_every_method(store: ObjectStore, key: str) -> None:
    for method in (store.get, store.exists, store.local_path, lambda key: store.put_if_absent(key, b"x")):
        with pytest.raises(StoreError, match="not a valid key"):
            method(key)


@pytest.mark.parametrize("prefix", ["../", "a/../", "/", "a//", "ä"])
def test_a_prefix_that_no_key_has_is_refused(store: ObjectStore, prefix: str) -> None:
    with pytest.raises(StoreError, match="not a valid key"):
        list(store.list(prefix))


def test_a_pickled_store_is_the_same_place(store: ObjectStore) -> None:
    store.put_if_absent("a", b"x")
    copy = pickle.loads(pickle.dumps(store))
    assert copy.url == store.url
    assert copy.get("a") == b"x"


def test_the_probe_passes_and_leaves_one_tiny_object(store: ObjectStore) -> None:
    probe(store)
    (left,) = store.list("")
    assert left.key.startswith("probe/")
    assert left.size <= 8


def test_a_node_that_does_not_see_the_drivers_object_is_told_what_to_use(store: ObjectStore) -> None:
    store.put_if_absent("runs/r/witness", b"x")
    check_shared(store, "runs/r/witness")
    with pytest.raises(StoreError, match=r"does not see the store's object runs/other/witness .* use s3://"):
        check_shared(store, "runs/other/witness")
