"""Identity: what makes two texts the same text, and the seeds that follow from it.

A fingerprint covers everything that changes a text and nothing that does not (no path, concurrency, batch size or
machine). Sample and unit ids derive from it, so that a run killed anywhere finds its own work again.
"""

import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence

from raylib.errors import ConfigError

NAME_PATTERN = re.compile(r"^[a-z0-9][a-z0-9._-]{0,63}$")
_SEED_BITS = 40  # leaves room to add any sample index and stay within vLLM's signed 64-bit seeds


def canonical_json(value: object) -> str:
    """Return the one JSON text of a value: sorted keys, no spaces, UTF-8.

    Raises:
        ConfigError: the value holds something that JSON has no exact form for (an object, a set, NaN). It is never
            stringified: `str(x)` may hold an address or an order that changes from one process to the next.
    """
    _check(value, "value")
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest(value: object) -> str:
    """Return the sha256 of the value's canonical JSON, as 64 hexadecimal digits."""
    return hashlib.sha256(canonical_json(value).encode("utf-8")).hexdigest()


def fingerprint(kind: str, value: Mapping[str, object]) -> str:
    """Return the 24-digit fingerprint of a stage (`kind` keeps stages with equal inputs apart)."""
    return digest({"kind": kind, "value": value})[:24]


def sample_id(stage_fingerprint: str, prompt_id: str, sample_index: int) -> str:
    """Return the 24-digit id of one sample: the same for every way of cutting samples into units."""
    return digest([stage_fingerprint, prompt_id, sample_index])[:24]


def unit_id(stage_fingerprint: str, content: Sequence[object]) -> str:
    """Return the 24-digit id of a unit of work, from its stage and what it covers."""
    return digest([stage_fingerprint, list(content)])[:24]


def base_seed(stage_fingerprint: str, prompt_id: str) -> int:
    """Return the seed of sample 0 of a prompt; sample i has base + i (vLLM gives child k of a request seed + k)."""
    return int(digest(["seed", stage_fingerprint, prompt_id])[: _SEED_BITS // 4], 16)


def check_name(name: str, what: str) -> str:
    """Return `name` if it may be part of a key or a file name.

    Raises:
        ConfigError: it holds anything but lower-case letters, digits, '.', '_' and '-' (so no '../'), or is longer
            than 64 characters.
    """
    if not NAME_PATTERN.fullmatch(name) or ".." in name:
        raise ConfigError(
            f"{what} {name!r} is not a valid name: use 1 to 64 of a-z, 0-9, '.', '_', '-', "
            "beginning with a letter or digit (for example 'llama3-base.v1')"
        )
    return name


def _check(value: object, where: str) -> None:
    if value is None or isinstance(value, str | bool | int):
        return
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ConfigError(f"{where} is {value}: a fingerprint takes finite numbers only")
        return
    if isinstance(value, Mapping):
        for key, item in value.items():
            if not isinstance(key, str):
                raise ConfigError(f"{where} has the key {key!r}: a fingerprint takes text keys only")
            _check(item, f"{where}.{key}")
        return
    if isinstance(value, list | tuple):
        for index, item in enumerate(value):
            _check(item, f"{where}[{index}]")
        return
    raise ConfigError(
        f"{where} is a {type(value).__name__}: a fingerprint takes text, numbers, lists and mappings only"
    )
