"""Small JSON objects on the store. One that cannot be read is an error that names it, never a traceback."""

import json
from typing import Any

from raylib.errors import DataError
from raylib.store.base import ObjectStore


def read_document(store: ObjectStore, key: str) -> dict[str, Any]:
    """Return the mapping that an object holds.

    Raises:
        DataError: the object is gone, torn, or holds something else than a JSON mapping.
    """
    try:
        value = json.loads(store.get(key))
    except KeyError:
        raise DataError(f"{store.url}/{key} is gone: something deletes objects there") from None
    except (ValueError, RecursionError):
        raise DataError(f"{store.url}/{key} is torn or was replaced: it is no JSON") from None
    if not isinstance(value, dict):
        raise DataError(f"{store.url}/{key} was replaced: it holds no JSON mapping")
    return value
