"""What a key may look like: the same rule for every store, so that a key works on all of them."""

import re

from raylib.errors import StoreError

RESERVED = ".tmp"
"""The folder in which a local store builds files before they get their name; no key begins with it."""

_SEGMENT = re.compile(r"[A-Za-z0-9._-]{1,200}")
_LONGEST = 900  # S3 allows 1,024 bytes, the store's own prefix included


def check_key(key: str) -> str:
    """Return `key` if it names an object.

    Raises:
        StoreError: it is empty, too long, absolute, holds '.' or '..' as a segment, or any other character than
            letters, digits, '.', '_', '-' and '/'.
    """
    _check(key, key.split("/"))
    return key


def check_prefix(prefix: str) -> str:
    """Return `prefix` if keys can begin with it: '' (all keys), whole segments ('parts/'), or part of one ('a/b').

    Raises:
        StoreError: no key can begin like this; the rules are those of `check_key`.
    """
    if prefix:
        segments = prefix.split("/")
        _check(prefix, segments if segments[-1] else segments[:-1])
    return prefix


def _check(key: str, segments: list[str]) -> None:
    for segment in segments:
        if not _SEGMENT.fullmatch(segment) or segment in (".", ".."):
            raise StoreError(
                f"{key[:200]!r} is not a valid key: use segments of 1 to 200 of A-Z, a-z, 0-9, '.', '_', '-' joined by "
                "'/', no '.' or '..' (for example 'parts/generate/part-1.parquet')"
            )
    if segments[:1] == [RESERVED]:
        raise StoreError(f"{key[:200]!r} is not a valid key: {RESERVED!r} is for unfinished files; use another name")
    if len(key) > _LONGEST:
        raise StoreError(f"{key[:60]!r}... is not a valid key: it has {len(key)} characters; at most {_LONGEST}")
