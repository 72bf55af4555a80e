"""Pydantic's findings as one line that a person can act on."""

import re
import types
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from raylib.errors import nearest

_TYPE = re.compile(r"(?:tuple|list|dict|function-\w+)\[")


def explain(error: ValidationError, model: type[BaseModel]) -> str:
    """Return the first finding in one line, with the nearest valid key, and how many more there are."""
    findings = sorted(_causes(error), key=lambda item: item["type"] != "extra_forbidden")
    first = findings[0]
    place = ".".join(str(part) for part in _without_tags(first["loc"], model)) or "(top)"
    if first["type"] == "extra_forbidden":
        name = str(first["loc"][-1])
        text = f"unknown key {place!r}.{nearest(name, _valid_keys(model, first['loc'][:-1]))}"
    elif first["type"] == "missing":
        text = f"key {place!r} is missing; add it to the file or give --set {place}=..."
    elif first["type"] == "model_type" and not first["loc"] and isinstance(first["input"], list) and _needed(model):
        text = f"the file is a list: write '{_needed(model)[0]}:' above it, and indent it"
    elif first["type"] == "model_type":
        text = f"{place}: write 'key: value' lines or {{use: NAME}}, not {_short(first['input'])}"
    elif first["type"] in ("tuple_type", "list_type"):
        text = f"{place}: write a list, as [{_short(first['input']).strip(chr(39))}], not {_short(first['input'])}"
    else:
        message = first["msg"].removeprefix("Value error, ")
        shown = "" if first["type"] == "value_error" else f" (got {_short(first['input'])})"
        text = f"{place}: {message}{shown}"
    more = len(findings) - 1
    return text + (f" (and {more} more {'problem' if more == 1 else 'problems'})" if more else "")


def _needed(model: type[BaseModel]) -> list[str]:
    """Return the keys that a file cannot do without."""
    return [name for name, field in model.model_fields.items() if field.is_required()]


def _causes(error: ValidationError) -> list[Any]:
    """Leave out findings that say less than others: too short, where items were wrong; no list, where a mapping is meant."""
    found = error.errors(include_url=False)
    places = [item["loc"] for item in found]

    def follows(item: Any) -> bool:
        place = item["loc"]
        if item["type"] == "too_short":
            return any(len(loc) > len(place) and loc[: len(place)] == place for loc in places)
        member = bool(place) and isinstance(place[-1], str) and _TYPE.match(place[-1]) is not None
        return member and any(len(loc) > len(place) and loc[: len(place) - 1] == place[:-1] for loc in places)

    return [item for item in found if not follows(item)]


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _members(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    if get_origin(annotation) in (Annotated, Union, types.UnionType, tuple, list, dict):
        return [m for part in get_args(annotation) for m in _members(part)]
    return []


def _step(models: list[type[BaseModel]], part: int | str) -> tuple[list[type[BaseModel]], bool]:
    """Go one part of a location down; the flag says that the part is the tag of a union, not a key."""
    if isinstance(part, int):
        return models, False  # an item of a list, whose models its key led to
    found = [m for model in models if part in model.model_fields for m in _members(model.model_fields[part].annotation)]
    if any(part in model.model_fields for model in models):
        return found, False
    if len(models) < 2:
        return models, False  # a name in a mapping, whose models its key led to
    tagged = [model for model in models if any(field.default == part for field in model.model_fields.values())]
    return tagged or models, True


def _valid_keys(model: type[BaseModel], location: tuple[int | str, ...]) -> list[str]:
    models: list[type[BaseModel]] = [model]
    for part in location:
        models, _ = _step(models, part)
    return sorted({name for member in models for name in member.model_fields})


def _without_tags(location: tuple[int | str, ...], model: type[BaseModel]) -> list[int | str]:
    models: list[type[BaseModel]] = [model]
    kept: list[int | str] = []
    for part in location:
        if isinstance(part, str) and _TYPE.match(part):
            continue  # a member of a union, as pydantic calls it
        models, is_tag = _step(models, part)
        if not is_tag:
            kept.append(part)
    return kept
