"""Failures to order: which of the scripted engine's faults hits which request, and what it does.

Whether a fault hits follows from prompt and seed alone. A fault with `times` counts its firings in a folder, so that a
worker that crashed and was started again gets further than before.
"""

import asyncio
import hashlib
import os
import random
import signal
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from raylib.config.engine import TEXT_FAULTS, Fault
from raylib.engines.base import Completion
from raylib.ids import digest

REFUSAL = "I'm sorry, but I can't help with that request."
_HOSTILE = ("<script>alert('x')</script>", "=1+1", "\ufffd\ufffd", '{"open": [', "\u202egnp", "</p>", "\x07", "{}%s")


class Faults:
    """The faults of one engine, in the order of the configuration."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self._faults = tuple(faults)

    async def before(self, prompt: str, seed: int | None) -> None:
        """Crash, hang or wait, if that is what this request is in for."""
        for fault in self._faults:
            if fault.kind in ("crash", "hang", "slow") and _hits(fault, prompt, seed) and _fires(fault):
                await _disturb(fault)

    def on_sample(self, prompt: str, seed: int | None, completion: Completion) -> Completion:
        """Return the completion of one sample, spoilt by the faults that hit it."""
        for fault in self._faults:
            if fault.kind in TEXT_FAULTS | {"error"} and _hits(fault, prompt, seed) and _fires(fault):
                completion = _spoil(fault, completion, seed)
        return completion


def _hits(fault: Fault, prompt: str, seed: int | None) -> bool:
    if fault.match is not None and fault.match not in prompt:
        return False
    if fault.rate >= 1:
        return True
    drawn = hashlib.sha256(f"{fault.kind}|{fault.match}|{seed}|{prompt}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(drawn[:6], "big") / 2**48 < fault.rate


def _fires(fault: Fault) -> bool:
    """Say whether a counted fault has firings left, and take one; the file system decides between processes."""
    if fault.times is None or fault.marker_dir is None:
        return True
    folder = Path(fault.marker_dir)
    folder.mkdir(parents=True, exist_ok=True)
    name = digest(fault.model_dump(mode="json"))[:12]
    for number in range(fault.times):
        try:
            (folder / f"{fault.kind}-{name}-{number}").touch(exist_ok=False)
        except FileExistsError:
            continue
        return True
    return False


async def _disturb(fault: Fault) -> None:
    if fault.kind == "slow":
        await asyncio.sleep(fault.delay_s)
    elif fault.kind == "hang":
        await asyncio.Event().wait()
    elif fault.signal == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    else:
        os._exit(1)


def _spoil(fault: Fault, completion: Completion, seed: int | None) -> Completion:
    words = completion.text.split(" ")
    if fault.kind == "error":
        return replace(
            completion, text="", status="error", finish_reason=None, completion_tokens=0, logprobs=None,
            error_type="scripted", error="an error that the configuration ordered", retryable=fault.retryable,
        )  # fmt: skip
    if fault.kind == "refuse":
        text = REFUSAL
        return replace(
            completion, text=text, status="refused", finish_reason="content_filter",
            completion_tokens=len(text.split()),
        )  # fmt: skip
    if fault.kind == "truncate":
        kept = words[: max(1, len(words) // 2)]
        return replace(
            completion, text=" ".join(kept), status="truncated", finish_reason="length", completion_tokens=len(kept)
        )
    draw = random.Random(f"garble {seed}")  # noqa: S311 - not for secrets
    garbled = [draw.choice(_HOSTILE) if draw.random() < 0.3 else word for word in words]
    return replace(completion, text=" ".join([draw.choice(_HOSTILE), *garbled[1:]]))
