"""Reading a study's YAML files: its own in its `data/`, or a user's by path."""

from importlib.resources import files
from pathlib import Path

import yaml

from raylib.config.yaml_text import parse_yaml
from raylib.errors import ConfigError


def read_yaml(path: Path | str, study: str) -> tuple[object, str]:
    """Return the content of a YAML file and its name for messages.

    Args:
        path: a `Path` is a user's file; a `str` is relative to the study's `data/`.
        study: the study's package, for example raylib.studies.narratives.

    Raises:
        ConfigError: there is no such file, or it is not YAML.
    """
    try:
        if isinstance(path, Path):
            text, where = path.read_text(encoding="utf-8-sig"), str(path)
        else:
            resource = files(study).joinpath("data").joinpath(path)
            text, where = resource.read_text(encoding="utf-8"), f"data/{path}"
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror or error}; give the path of a YAML file") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 text ({error.reason}); give the path of a YAML file") from error
    try:
        return parse_yaml(text), where
    except (
        yaml.YAMLError,
        ValueError,
        RecursionError,
    ) as error:  # also a date that does not exist, brackets without end
        raise ConfigError(f"{where} is not YAML: {' '.join(str(error).split())}") from error
