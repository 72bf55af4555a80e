"""The adapter inside vLLM, where it will be used: does it load there, and does the model then say what it was taught?"""

import asyncio
import logging
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from raylib.config.run import ModelConfig
from raylib.engines.base import Request, Sampling
from raylib.errors import FairsweepError, ModelError
from raylib.pipeline.models import build_engine, engine_environment
from raylib.pipeline.reported import rebuilt, reported
from raylib.pipeline.training.plan import TrainPlan
from raylib.store.open import StoreOptions
from raylib.training.adapters import CONFIG, WEIGHTS
from raylib.training.examples import Example

LOG = logging.getLogger(__name__)
_ASKED = 4
"""Training examples that are asked, evenly over the set."""
_NEW = 64
"""Tokens of a greedy answer, at most."""
_SHOWN = 200
_NAME = "trained"


class Checked(NamedTuple):
    """What vLLM said with and without the adapter."""

    base: float
    """Mean log-likelihood of a token of the taught answers, by the base model."""
    adapted: float
    """The same with the adapter; must be higher."""
    answers: list[dict[str, str]]
    """Greedy answers: example, taught, base, adapted."""
    engine: str


def check_in_vllm(plan: TrainPlan, adapter: Path) -> Checked:
    """Load base model and adapter into one vLLM, in a worker process of its own, and compare a few training examples.

    Raises:
        ModelError: vLLM cannot load it, or the taught answers are no likelier with it than without.
    """
    import ray

    room = plan.config.training.max_length + _NEW
    room = room if plan.context is None else min(room, plan.context)
    pairs = zip(plan.training_set.examples, plan.order.examples, strict=True)
    fitting = [example for example, encoded in pairs if len(encoded.input_ids) < room]
    asked = fitting[:: max(1, len(fitting) // _ASKED)][:_ASKED]
    resources = plan.config.resources
    files = {name: (adapter / name).read_bytes() for name in (WEIGHTS, CONFIG)}
    limits = {"max_lora_rank": _rank(plan.config.lora.rank), "max_model_len": room}
    model = plan.config.model.model_copy(update={"engine": plan.config.model.engine.model_copy(update=limits)})
    LOG.info("checking the adapter in vLLM on %d training examples", len(asked))
    task = ray.remote(max_calls=1)(_compare).options(
        num_cpus=min(1.0, resources.cpus_per_worker), num_gpus=resources.gpus_per_worker, max_retries=1,
        runtime_env={"env_vars": engine_environment(model.engine, gpus=resources.gpus_per_worker)},
    )  # fmt: skip
    answer = ray.get(task.remote(model, plan.store_options, files, asked))
    if "error" in answer:
        raise rebuilt(answer["error"])
    checked = Checked(**answer)
    LOG.info(
        "taught answers in vLLM: %.3f a token by the base model, %.3f with the adapter", checked.base, checked.adapted
    )
    changed = sum(one["base"] != one["adapted"] for one in checked.answers)
    LOG.info("%d of %d greedy answers changed", changed, len(checked.answers))
    if not checked.adapted > checked.base:
        raise ModelError(
            f"the adapter does not work in vLLM: taught answers have {checked.adapted:.3f} a token with it, {checked.base:.3f} "
            "without; train longer, or with another learning_rate"
        )
    return checked


def _rank(rank: int) -> int:
    """Return the smallest rank that vLLM has room for and that holds this one."""
    return next((size for size in (8, 16, 32, 64, 128, 256, 320, 512) if size >= rank), rank)


def _compare(
    model: ModelConfig, store: StoreOptions, files: Mapping[str, bytes], asked: Sequence[Example]
) -> Mapping[str, Any]:
    """Run in a worker process, perhaps on another machine: answers and likelihoods, or an error of ours, as plain values."""
    with tempfile.TemporaryDirectory(prefix="adapter-") as folder:
        for name, data in files.items():
            (Path(folder) / name).write_bytes(data)
        options = model.engine.model_copy(update={"adapters": {_NAME: folder}})
        try:
            engine: Any = build_engine(model.model_copy(update={"engine": options}), store)
            return asyncio.run(_asked(engine, asked))
        except FairsweepError as error:
            return {"error": reported(error)}


async def _asked(engine: Any, asked: Sequence[Example]) -> dict[str, Any]:
    found: dict[str | None, tuple[float, list[str]]] = {}
    for adapter in (None, _NAME):
        scores = await asyncio.gather(*(engine.score(one.messages, one.answer, adapter) for one in asked))
        answers = await asyncio.gather(
            *(
                engine.complete(
                    Request(
                        f"check.{adapter}.{place}", one.messages, 1, 0, Sampling(0.0, max_tokens=_NEW), None, adapter
                    )
                )
                for place, one in enumerate(asked)
            )
        )
        tokens = [value for score in scores for value in score]
        found[adapter] = (sum(tokens) / len(tokens), [answer[0].text[:_SHOWN] for answer in answers])
    rows = zip(asked, found[None][1], found[_NAME][1], strict=True)
    info = engine.info
    return {
        "base": found[None][0], "adapted": found[_NAME][0],
        "answers": [
            {"example": one.name, "taught": one.answer[:_SHOWN], "base": base, "adapted": adapted}
            for one, base, adapted in rows
        ],
        "engine": f"{info.kind} {info.version} on {info.device}, {info.dtype}",
    }  # fmt: skip
