"""Reading the study's YAML files: its own in `data/`, or a user's by path."""

from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from raylib.errors import ConfigError, nearest
from raylib.studies import data_files


def read_yaml(path: Path | str) -> tuple[object, str]:
    """Return the content of a YAML file and its name for messages; a `str` is relative to the package's `data/`.

    Raises:
        ConfigError: there is no such file, or it is not YAML.
    """
    return data_files.read_yaml(path, "raylib.studies.narratives")


@cache
def word_table(name: str) -> dict[str, Any]:
    """Return the content of `data/words/<name>.yaml`, a mapping.

    Raises:
        ConfigError: it holds no mapping.
    """
    value, where = read_yaml(f"words/{name}.yaml")
    if not isinstance(value, dict):
        raise ConfigError(f"{where} must map names to words")
    return value


@cache
def word_lists(name: str) -> dict[str, tuple[str, ...]]:
    """Return the word lists of `data/words/<name>.yaml`: key -> words as written there."""
    lists = word_table(name).items()
    return {key: tuple(words.split() if isinstance(words, str) else words) for key, words in lists}


def preset_path(folder: str, name: str) -> Path | str:
    """Return where a preset is: a name stands for a file of the package's `data/<folder>/`, anything else is a path.

    Raises:
        ConfigError: neither a preset nor a YAML path.
    """
    if name.endswith((".yaml", ".yml")):
        return Path(name)
    own = files("raylib.studies.narratives").joinpath("data").joinpath(folder)
    presets = [item.name.removesuffix(".yaml") for item in own.iterdir() if item.name.endswith(".yaml")]
    if name not in presets:
        raise ConfigError(f"unknown {folder} preset {name!r} (or give a path to a .yaml file).{nearest(name, presets)}")
    return f"{folder}/{name}.yaml"
