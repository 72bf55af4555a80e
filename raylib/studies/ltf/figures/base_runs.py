"""Which run each of several is compared with: the one whose name its own begins with, else the first."""

from collections.abc import Sequence
from typing import NamedTuple

_ENDS = " ,+/(:|"
"""What stands between a model's name and that of a variant: "gpt-4o abstract", "gpt-4o + abstract", "gpt-4o/abstract"."""


class Bases(NamedTuple):
    """Run -> the run that it is compared with; a run that is a base itself is missing."""

    of: dict[str, str]
    guessed: bool
    """No name begins with another one, so the first run was taken for all others."""


def base_runs(names: Sequence[str]) -> Bases:
    """Return the base of each run: the longest other name that, with a space or sign behind it, begins the run's own.

    If there is none for any run, the first run is the base of all others.
    """
    found = {}
    for name in names:
        begins = [
            other for other in names if name.startswith(other) and name[len(other) : len(other) + 1] in tuple(_ENDS)
        ]
        if begins:
            found[name] = max(begins, key=len)
    roots = {name: _root(name, found) for name in found}
    if roots or len(names) < 2:
        return Bases(roots, guessed=False)
    return Bases(dict.fromkeys(names[1:], names[0]), guessed=True)


def families(names: Sequence[str], bases: Bases) -> list[tuple[str, list[str]]]:
    """Return each base with the runs that are compared with it, all in the order of `names`."""
    return [(name, [other for other in names if bases.of.get(other) == name]) for name in names if name not in bases.of]


def _root(name: str, found: dict[str, str]) -> str:
    while name in found:
        name = found[name]
    return name
