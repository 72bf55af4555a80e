"""One config, several runs: `models: [a, b]` in the place of `model:`, and `each: {KEY: [a, b]}` for any other key.

Models and the values of `each` are crossed: one run for each combination, all else equal. Everything below this sees
single runs. Their names are `<run>.<model name>.<value>`; what they have in common (a report that compares them) is kept
under `<run>` itself.
"""

import copy
import itertools
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from raylib.config.loading import load_tree, override_tree, validate
from raylib.config.run import ModelConfig, RunConfig
from raylib.errors import ConfigError, nearest
from raylib.ids import check_name

_LONGEST = 64


class Sweep(NamedTuple):
    """The runs that a config stands for: at least one."""

    name: str
    runs: tuple[RunConfig, ...]
    several: bool
    """Whether the config lists models or values (be it one): then the runs are reported together, too."""


_Values = tuple[tuple[str, Any], ...]
"""One choice of a value for each key of `each`."""


def load_sweep(path: str | Path, overrides: Sequence[str] = ()) -> Sweep:
    """Return the runs of a config file. `--set model.KEY=VALUE` on several models changes each of them.

    Raises:
        ConfigError: as `load_config`; or the config names both or neither of `model` and `models`, a model or a value
            twice, or makes a run's name too long. One line.
    """
    path = Path(path)
    of_models = [text for text in overrides if text.startswith("model.")]
    tree = load_tree(path, [text for text in overrides if text not in of_models])
    models, each = tree.pop("models", None), tree.pop("each", None)
    choices = _choices(each, overrides, path)
    if models is None:
        tree = override_tree(tree, path, of_models)
        if tree.get("model") is None:
            raise ConfigError(f"{path}: no model is named{_strange(tree)}")
        runs = [(validate(_with_values(tree, values, path), RunConfig, str(path)), "", values) for values in choices]
    else:
        if tree.pop("model", None) is not None:
            raise ConfigError(
                f"{path}: it names both `model` and `models`; keep one and set the other to null "
                "(one of the models alone: --set models=[NAME])"
            )
        chosen = list(itertools.product(_listed(models, path), choices))
        found = [_with_model(_with_values(tree, values, path), model, path, of_models) for model, values in chosen]
        runs = [(run, run.model.name, values) for run, (_, values) in zip(found, chosen, strict=True)]
    if models is None and each is None:
        return Sweep(runs[0][0].run, (runs[0][0],), several=False)
    named = [_named(run, model, values) for run, model, values in runs]
    _check_names(runs[0][0].run, named, path)
    return Sweep(runs[0][0].run, tuple(named), several=True)


def _choices(each: object, overrides: Sequence[str], path: Path) -> list[_Values]:
    """Return every combination of the values in `each`; one empty one where there is none."""
    if each is None:
        return [()]
    example = "for example each: {study.options.variant: [base, abstract]}"
    if not isinstance(each, dict) or not each:
        raise ConfigError(f"{path}: each must give a list of values by dotted key, {example}")
    for key, values in each.items():
        if not isinstance(values, list) or not values or any(isinstance(value, dict | list) for value in values):
            raise ConfigError(f"{path}: each.{key} must be a list of single values, {example}")
        if key.partition(".")[0] in ("run", "model", "models", "store"):
            raise ConfigError(f"{path}: each cannot vary {key!r}: list models under `models`; run and store are one")
        for text in overrides:
            if text.partition("=")[0].strip() == key:
                raise ConfigError(
                    f"--set {text}: this config takes {key} from `each` in turn; say which with --set "
                    f"'each={{{key}: [VALUE]}}', or --set each=null beside it for one run"
                )
    return list(itertools.product(*([(key, value) for value in values] for key, values in each.items())))


def _with_values(tree: Mapping[str, Any], values: _Values, path: Path) -> dict[str, Any]:
    """Return a copy of the tree that holds these values."""
    return override_tree(copy.deepcopy(dict(tree)), path, [f"{key}={json.dumps(value)}" for key, value in values])


def _named(run: RunConfig, model: str, values: _Values) -> RunConfig:
    """Return the run under its own name, with what tells it from the others as its label."""
    words = [str(value).lower() for _, value in values]
    label = " ".join([run.model.name, *words]) if words else None
    return run.model_copy(update={"run": ".".join(filter(None, [run.run, model, *words])), "label": label})


def _strange(tree: Mapping[str, Any]) -> str:
    valid = {*RunConfig.model_fields, "models", "each"}
    for key in tree:
        if key not in valid:
            return f" (unknown key {key!r}.{nearest(key, valid)})"
    return ": add `model: {use: NAME}` for one, or `models: [NAME, NAME]` for several"


def _listed(models: object, path: Path) -> list[dict[str, Any]]:
    if not isinstance(models, list) or not models or not all(isinstance(item, dict) for item in models):
        raise ConfigError(f"{path}: models must list at least one model, for example models: [scripted, my-model]")
    return models


def _with_model(tree: Mapping[str, Any], model: dict[str, Any], path: Path, overrides: Sequence[str]) -> RunConfig:
    for text in overrides:
        if text.partition("=")[0].strip() in ("model.use", "model.name"):
            raise ConfigError(
                f"--set {text}: this config names several models; say which with --set models=[NAME, NAME]"
            )
    branch = override_tree({**tree, "model": dict(model)}, path, overrides)
    validate(branch["model"], ModelConfig, f"{path}: model {model.get('name', '(without a name)')}")
    return validate(branch, RunConfig, str(path))


def _check_names(name: str, runs: Sequence[RunConfig], path: Path) -> None:
    for run, times in Counter(run.run for run in runs).items():
        own = run.removeprefix(f"{name}.")
        if times > 1:
            raise ConfigError(
                f"{path}: models names {own!r} {times} times; each model needs a `name` of its own, and each value of "
                "`each` must differ"
            )
        if len(run) > _LONGEST:
            raise ConfigError(
                f"{path}: run name {run!r} has {len(run)} characters, {_LONGEST} at most: "
                f"shorten `run` ({len(name)}) or the model's `name` ({len(own)})"
            )
        check_name(run, "run")
