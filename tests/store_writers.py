"""Writers for other processes: they import this small module, not a whole test module."""

from raylib.store.base import ObjectStore


def write_all(store: ObjectStore, writer: int, count: int) -> list[int]:
    """Try to write `count` keys and return the numbers of those that this writer created."""
    return [number for number in range(count) if store.put_if_absent(f"race/{number:03}", b"%d" % writer * 500)]
