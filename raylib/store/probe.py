"""Before a run: does this store keep its promise, and do all machines see the same one?"""

import socket
import uuid
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from raylib.errors import StoreError
from raylib.store.base import ObjectStore


def probe(store: ObjectStore) -> None:
    """Check that of two writers one wins and that a later one changes nothing. Leaves one object of 8 bytes.

    Raises:
        StoreError: the store cannot be reached or written to, or it lets a second writer replace the first.
    """
    key = f"probe/{uuid.uuid4().hex}"
    rivals = (b"writer-1", b"writer-2")
    barrier = Barrier(len(rivals))

    def race(data: bytes) -> bool:
        barrier.wait()
        return store.put_if_absent(key, data)

    with ThreadPoolExecutor(len(rivals)) as pool:
        won = list(pool.map(race, rivals))
    if won.count(True) != 1:
        raise _unsafe(store, f"of two writers racing for one key {won.count(True)} were told that they won")
    winner = rivals[won.index(True)]
    if store.put_if_absent(key, b"a-third."):
        raise _unsafe(store, "a second write to the same key was accepted")
    try:
        kept = store.get(key)
    except KeyError:
        raise _unsafe(store, "an object that was just written is not there") from None
    if kept != winner:
        raise _unsafe(store, "the first writer's bytes were replaced")


def check_shared(store: ObjectStore, key: str) -> None:
    """Check that this machine sees an object that the driver wrote.

    Raises:
        StoreError: it does not: the store is a folder that exists on the driver's machine alone, or another bucket.
    """
    if not store.exists(key):
        raise StoreError(
            f"this node ({socket.gethostname()}) does not see the store's object {key} in {store.url}: "
            "a local path works on one machine only; use s3://bucket/prefix, or a folder that all nodes mount"
        )


def _unsafe(store: ObjectStore, what: str) -> StoreError:
    return StoreError(
        f"{store.url}: this store ignores put-if-absent (If-None-Match: *): {what}; refusing to run, since two workers "
        "could replace each other's results. Use AWS S3, a Ceph object gateway, another server that honours "
        "If-None-Match, or a local folder"
    )
