"""YAML files -> one frozen model: `use:` pulls a file into another, `--set` overrides, errors name the key.

`use: NAME` stands in any section and loads `configs/<folder of the section>/NAME.yaml`; the keys beside it win.
Lists are replaced, mappings are merged. In `models: [a, b]` and `prices: a` a bare name or path stands for `{use: a}`.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from raylib.config.explain import explain
from raylib.config.yaml_text import parse_yaml
from raylib.errors import ConfigError, nearest

FOLDERS = {
    "study": "studies", "model": "models", "judge": "judges", "labeller": "judges", "labellers": "judges",
    "resources": "resources", "training": "training",
}  # fmt: skip
"""Which folder of `configs/` a section's `use:` looks in; a `model:` inside another section is a section of its own."""

_BARE_NAMES = ("models", "prices")

_MAX_DEPTH = 8
T = TypeVar("T", bound=BaseModel)


def load_config(path: str | Path, model: type[T], overrides: Sequence[str] = ()) -> T:
    """Return the configuration in a YAML file, with `use:` resolved and `a.b=c` overrides applied.

    Raises:
        ConfigError: the file is missing or not YAML, a key is unknown (the nearest valid one is named), a value does
            not fit, or a `use:` names no file. One line.
    """
    return validate(load_tree(Path(path), overrides), model, str(path))


def load_tree(path: Path, overrides: Sequence[str] = ()) -> dict[str, Any]:
    """Return the merged mapping of a file, before it is checked against a model."""
    tree = _resolve(_read(path), path, section=None, depth=0)
    return override_tree(tree, path, overrides)


def override_tree(tree: dict[str, Any], origin: Path, overrides: Sequence[str]) -> dict[str, Any]:
    """Return a file's tree with `a.b=c` overrides applied in order; `a.use=NAME` puts another file in the place of `a`."""
    for text in overrides:
        _override(tree, text)
    return _resolve(tree, origin, section=None, depth=0)


def validate(tree: Mapping[str, Any], model: type[T], where: str) -> T:
    """Return `tree` as a `model`, or raise a ConfigError of one line that says where and what is wrong."""
    try:
        return model.model_validate(tree)
    except ValidationError as error:
        raise ConfigError(f"{where}: {explain(error, model)}") from None


def _read(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ConfigError(f"no config file {path}.{_siblings(path)}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read {path}: {error}. Give a readable YAML file in UTF-8") from None
    try:
        tree = parse_yaml(text)
    except (ValueError, RecursionError) as error:  # a date that does not exist, brackets without end
        raise ConfigError(
            f"{path}: a value cannot be read ({_one_line(error)}); put it in quotes or correct it"
        ) from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        problem = getattr(error, "problem", None) or "not valid YAML"
        raise ConfigError(f"{path}{place}: {problem}. Check keys, indentation, quotes and colons there") from None
    if not isinstance(tree, dict) or not all(isinstance(key, str) for key in tree):
        raise ConfigError(f"{path}: expected 'key: value' lines at the top, found {type(tree).__name__}")
    return tree


def _one_line(error: Exception) -> str:
    return "nested too deeply" if isinstance(error, RecursionError) else " ".join(str(error).split())


def _siblings(path: Path) -> str:
    names = [str(p) for p in path.parent.glob("*.yaml")] if path.parent.is_dir() else []
    return nearest(str(path), names)


def _resolve(tree: dict[str, Any], origin: Path, section: str | None, depth: int) -> dict[str, Any]:
    if depth > _MAX_DEPTH:
        raise ConfigError(f"{origin}: 'use:' goes deeper than {_MAX_DEPTH} files; two files probably use each other")
    merged: dict[str, Any] = {}
    if "use" in tree:
        target = _target(tree["use"], origin, section)
        merged = _resolve(_read(target), target, section, depth + 1)
    for key, value in tree.items():
        if key == "use":
            continue
        if section is None and key in _BARE_NAMES:
            value = _as_use(value)
        own = key if section is None or key == "model" else section
        value = _resolve_value(value, origin, own, depth + 1)
        if isinstance(value, dict) and isinstance(merged.get(key), dict):
            value = _merge(merged[key], value)
        merged[key] = value
    return merged


def _resolve_value(value: Any, origin: Path, section: str, depth: int) -> Any:
    if isinstance(value, dict):
        return _resolve(value, origin, section, depth)
    if isinstance(value, list):
        return [_resolve_value(item, origin, section, depth) for item in value]
    return value


def _as_use(value: Any) -> Any:
    if isinstance(value, list):
        return [_as_use(item) for item in value]
    return {"use": value} if isinstance(value, str) else value


def _merge(low: dict[str, Any], high: Mapping[str, Any]) -> dict[str, Any]:
    result = dict(low)
    for key, value in high.items():
        both = isinstance(value, dict) and isinstance(result.get(key), dict)
        result[key] = _merge(result[key], value) if both else value
    return result


def _target(name: object, origin: Path, section: str | None) -> Path:
    if not isinstance(name, str):
        raise ConfigError(f"{origin}: 'use: {name}' must be the name of a file, for example 'use: narratives'")
    if name.endswith((".yaml", ".yml")):
        beside = origin.parent / name
        return Path(name) if Path(name).is_file() and not beside.is_file() else beside
    folder = _configs_root(origin) / (FOLDERS.get(section, section) if section else origin.parent.name)
    path = folder / f"{name}.yaml"
    if not path.is_file():
        names = [p.stem for p in folder.glob("*.yaml")]
        raise ConfigError(f"{origin}: 'use: {name}' names no file in {folder}.{nearest(name, names)}")
    return path


def _configs_root(origin: Path) -> Path:
    for folder in origin.absolute().parents:
        if folder.name == "configs":
            return folder
    return Path("configs").absolute()


def _override(tree: dict[str, Any], text: str) -> None:
    key, separator, value = text.partition("=")
    names = key.strip().split(".")
    if not separator or not all(names):
        raise ConfigError(f"--set {text!r} is not of the form key=value; write for example --set sampling.top_p=0.9")
    try:
        parsed = parse_yaml(value) if value.strip() else ""
    except (yaml.YAMLError, ValueError, RecursionError):
        raise ConfigError(f"--set {key}: cannot read the value {value!r} as YAML; put it in quotes") from None
    if len(names) > 1 and names[-1] == "use":
        names, parsed = names[:-1], {"use": parsed}  # beside what is there now, that would win over the file
    node = tree
    for depth, name in enumerate(names[:-1]):
        child = node.setdefault(name, {})
        if not isinstance(child, dict):
            if len(names) == 2 and isinstance(child, str) and name == "store":
                child = {"url": child}  # the short form `store: runs`
            else:
                raise ConfigError(f"--set {key}: {'.'.join(names[: depth + 1])} is {child!r}, which has no keys in it")
            node[name] = child
        node = child
    node[names[-1]] = parsed
