"""How long a run computes: parameters from a model's name, and hours of a device from its speed."""

import math
import re
from typing import NamedTuple

from raylib.config.run import ModelConfig
from raylib.pipeline.planning.assumptions import Device

_BYTES_A_WEIGHT = 2
_OVERHEAD = 1.2
"""Weights, and at least a fifth more for the key-value cache and what runs."""
_SIZE = re.compile(r"(?<![0-9.])(?:(\d+)x)?(\d+(?:\.\d+)?)([bm])(?![a-z0-9])", re.IGNORECASE)


class Parameters(NamedTuple):
    """The size of a model."""

    billions: float
    text: str
    """As it was written: 135m, 7b, 8x7b."""
    rests_on: str


class Hours(NamedTuple):
    """Hours of one kind of device for all new tokens: a range, summed over the devices that work side by side."""

    device: str
    unit: str
    """`GPU hours` or `actor hours` (an actor on a CPU)."""
    low: float | None
    high: float | None
    """None: unknown; `rests_on` says why."""
    tokens_per_s: tuple[float, float] | None
    devices_needed: int
    """GPUs that one copy of the model takes at least; 1 for a CPU."""
    rests_on: str
    basis: str = "assumed"
    """`assumed`, or the pilot."""


def parameters_in(text: str) -> tuple[float, str] | None:
    """Return (billions, as written) of the first size in a text such as llama-3.1-8b; None if it names none.

    Experts are multiplied out (8x7b is 56): an upper bound, since they share some of their weights.
    """
    match = _SIZE.search(text)
    if match is None:
        return None
    billions = float(match[2]) * int(match[1] or 1) / (1 if match[3].lower() == "b" else 1000)
    return (billions, match[0].lower()) if billions > 0 else None


def parameters_of(model: ModelConfig, given: str | None) -> Parameters | None:
    """Return a model's size as `given`, else as its name says it, else as the last part of its source does."""
    last = model.source.partition("@")[0].replace("!", "/").rstrip("/").rsplit("/", 1)[-1]
    for text, origin in ((given, "given"), (model.name, "the model's name"), (last, "the model's source")):
        found = parameters_in(text) if text else None
        if found is not None:
            return Parameters(*found, origin)
    return None


def assumed_hours(device: Device, billions: float, new_tokens: float) -> Hours:
    """Return the hours of one kind of device by its assumed speed."""
    unit = "GPU hours" if device.memory_gb else "actor hours"
    needed = gpus_needed(billions, device.memory_gb) if device.memory_gb else 1
    speed = device.speed(billions)
    if speed is None:
        why = f"no assumption for {billions:g} billion parameters; run a pilot and give --pilot"
        return Hours(device.name, unit, None, None, None, needed, why)
    low, high = (new_tokens / rate / 3600 for rate in (speed.high, speed.low))
    return Hours(device.name, unit, low, high, (speed.low, speed.high), needed, speed.note)


def gpus_needed(billions: float, memory_gb: float) -> int:
    """Return how many GPUs hold a model in 16 bits: a power of two, as a model is split evenly.

    7 billion parameters take 7 x 2 x 1.2 = 16.8 GB: one GPU of 24 GB; 70 billion take 168 GB: four of 80 GB.
    """
    least = billions * _BYTES_A_WEIGHT * _OVERHEAD / memory_gb
    return int(2 ** max(0, math.ceil(math.log2(least))))
