"""Read a pickle from outside without running anything that it names."""

import pickle
from pathlib import Path
from typing import NoReturn

from raylib.errors import DataError


class _ContainersOnly(pickle.Unpickler):
    """Builds dicts, lists, tuples, sets, strings, bytes and numbers, which need no global; refuses every global.

    A pickle can run code only through a global that it names (a class, a function, `os.system`) or a persistent id.
    """

    def find_class(self, module_name: str, global_name: str) -> NoReturn:
        raise pickle.UnpicklingError(
            f"it names {module_name}.{global_name}, and only containers and strings may be in it"
        )


def load_containers(path: Path, what: str) -> object:
    """Return the content of a pickle file made of builtin containers, strings and numbers.

    Raises:
        DataError: it names a global, is no pickle, or is cut short; nothing that it names was imported or called.
    """
    try:
        with path.open("rb") as stream:
            return _ContainersOnly(stream).load()
    except OSError as error:
        raise DataError(f"cannot read {what} ({path}): {error.strerror or error}") from None
    except Exception as error:  # noqa: BLE001 (a broken pickle raises nearly anything)
        reason = " ".join(str(error).split()) or type(error).__name__
        raise DataError(f"refused to read {what} ({path}): {reason}") from None
