"""Values drawn from a JSON schema: how the scripted engine answers a request with structured output."""

import random
from collections.abc import Mapping
from typing import Any

from raylib.errors import ConfigError

_WORDS = ["clear", "warm", "careful", "brief", "honest", "lively", "plain", "gentle", "sharp", "steady"]
_TYPES = "object, array, string, integer, number, boolean, null, with enum, const, anyOf, $ref and minimum/maximum"
_OPTIONAL_SHARE = 0.5


def draw_value(random_numbers: random.Random, schema: Mapping[str, Any]) -> Any:
    """Return a value that the schema allows.

    Raises:
        ConfigError: the schema uses what is not supported here.
    """
    return _draw(random_numbers, schema, schema)


def _draw(draw: random.Random, schema: Mapping[str, Any], root: Mapping[str, Any]) -> Any:
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return draw.choice(list(schema["enum"]))
    if "$ref" in schema:
        return _draw(draw, _resolve(str(schema["$ref"]), root), root)
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return _draw(draw, draw.choice(list(schema[key])), root)
    kind = schema.get("type", "object" if "properties" in schema else None)
    if isinstance(kind, list):
        kind = draw.choice(kind)
    match kind:
        case "object":
            return _object(draw, schema, root)
        case "array":
            least = int(schema.get("minItems", 0))
            count = draw.randint(least, int(schema.get("maxItems", least + 3)))
            return [_draw(draw, schema.get("items", {"type": "string"}), root) for _ in range(count)]
        case "string":
            return _string(draw, schema)
        case "integer":
            return draw.randint(*_bounds(schema, step=1))
        case "number":
            return round(draw.uniform(*_bounds(schema, step=0)), 3)
        case "boolean":
            return draw.random() < 0.5
        case "null":
            return None
    raise ConfigError(f"the scripted engine cannot answer a JSON schema of type {kind!r}; it knows {_TYPES}")


def _object(draw: random.Random, schema: Mapping[str, Any], root: Mapping[str, Any]) -> dict[str, Any]:
    properties = schema.get("properties", {})
    required = set(schema.get("required", ()))
    return {
        name: _draw(draw, part, root)
        for name, part in properties.items()
        if name in required or draw.random() < _OPTIONAL_SHARE
    }


def _string(draw: random.Random, schema: Mapping[str, Any]) -> str:
    if "pattern" in schema or "format" in schema:
        raise ConfigError("the scripted engine cannot answer a JSON schema with pattern or format; use enum")
    least, most = int(schema.get("minLength", 0)), int(schema.get("maxLength", 60))
    text = " ".join(draw.choice(_WORDS) for _ in range(draw.randint(1, 6)))
    while len(text) < least:
        text += f" {draw.choice(_WORDS)}"
    return text[:most].ljust(least, ".")


def _bounds(schema: Mapping[str, Any], step: int) -> tuple[Any, Any]:
    low = schema.get("minimum", schema["exclusiveMinimum"] + step if "exclusiveMinimum" in schema else 0)
    high = schema.get("maximum", schema["exclusiveMaximum"] - step if "exclusiveMaximum" in schema else low + 10)
    return low, high


def _resolve(reference: str, root: Mapping[str, Any]) -> Mapping[str, Any]:
    part: Any = root
    for name in reference.removeprefix("#/").split("/"):
        if not isinstance(part, Mapping) or name not in part:
            raise ConfigError(f"the JSON schema refers to {reference!r}, which it does not hold")
        part = part[name]
    return dict(part)
