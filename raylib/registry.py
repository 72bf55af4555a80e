"""Names in a config -> classes, imported only when they are used.

A new engine, study or extractor is one line here and one module there.
"""

import importlib

from raylib.errors import ConfigError, nearest

ENGINES = {
    "vllm": "raylib.engines.vllm:VllmEngine",
    "scripted": "raylib.engines.scripted:ScriptedEngine",
}

NOT_YET = {
    "openai": "a model behind an API can be planned (--dry-run, jobs/plan.py), not asked",
}
"""Names that a config may hold although nothing answers to them in this version, and what can be done with them."""

STUDIES = {
    "bbq": "raylib.studies.bbq:STUDY",
    "ltf": "raylib.studies.ltf:STUDY",
    "narratives": "raylib.studies.narratives:STUDY",
}


def load(table: dict[str, str], name: str, what: str) -> object:
    """Return the object that `name` stands for in `table`.

    Raises:
        ConfigError: no such name; the message lists the valid ones.
    """
    check(table, name, what)
    module, _, attribute = table[name].partition(":")
    return getattr(importlib.import_module(module), attribute)


def check(table: dict[str, str], name: str, what: str) -> None:
    """Raise ConfigError, with the valid names, unless `table` has the name; nothing is imported."""
    if name in NOT_YET and name not in table:
        raise ConfigError(
            f"{what} {name!r} is not in this version of fairsweep: {NOT_YET[name]}. Valid: {', '.join(table)}."
        )
    if name not in table:
        raise ConfigError(f"unknown {what} {name!r}.{nearest(name, table)}")
