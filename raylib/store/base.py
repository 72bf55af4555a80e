"""The object store as the rest of the package sees it: immutable objects under keys, first writer wins."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple, Protocol


class ObjectInfo(NamedTuple):
    """What a listing or a look-up says of one object."""

    key: str
    size: int


class ObjectStore(Protocol):
    """A place for immutable objects. Two implementations: a local directory and an S3-compatible bucket.

    Keys are relative, '/'-separated and hold only `[A-Za-z0-9._-]` in each segment; '.' and '..' are refused.
    All methods raise `StoreError` (one line: what, where, what to do) when the store itself is at fault.
    Instances can be pickled: Ray workers open their own connections.
    """

    @property
    def url(self) -> str:
        """The store's address as a person would type it (`/data/runs`, `s3://bucket/prefix`); no secrets."""
        ...

    def put_if_absent(self, key: str, data: bytes, metadata: Mapping[str, str] | None = None) -> bool:
        """Write an object whole, unless the key exists. Return True if this call created it.

        Readers see all of it or nothing. A lost reply is retried; if the retry finds the very bytes of this call,
        it counts as created. `metadata` goes into the object's user metadata where the store keeps any (S3).
        """
        ...

    def get(self, key: str) -> bytes:
        """Return an object's bytes. Raises KeyError if there is none."""
        ...

    def exists(self, key: str) -> bool:
        """Say whether the key holds an object."""
        ...

    def list(self, prefix: str) -> Iterator[ObjectInfo]:
        """Yield all objects whose key begins with `prefix`, in key order (a prefix ends where the caller says)."""
        ...

    def local_path(self, key: str) -> str | None:
        """Return the file that holds the object where it lies on this machine's disk, else None."""
        ...
