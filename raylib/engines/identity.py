"""What of an engine's options changes its texts, and so belongs to the fingerprint of a stage."""

from pathlib import Path

from raylib.config.engine import TEXT_FAULTS, EngineConfig, OpenAIOptions, VllmOptions
from raylib.config.imported import ImportedOptions
from raylib.errors import ConfigError, ModelError, nearest
from raylib.models.cache import cache_dir
from raylib.models.hashing import folder_sha256


def text_identity(options: EngineConfig) -> dict[str, object]:
    """Return the options that change texts: never how fast, on what, or with which disturbances they come.

    `dtype: auto` counts as written, so that a run may move between a CPU and a GPU.
    """
    if isinstance(options, VllmOptions):
        return {"kind": options.kind, "dtype": options.dtype, "max_model_len": options.max_model_len}
    if isinstance(options, ImportedOptions):
        reading = options.model_dump(mode="json", include={"kind", "format", "encoding", "delimiter", "model"})
        return {**reading, "columns": options.columns.model_dump(mode="json")}
    if isinstance(options, OpenAIOptions):  # one name stands for other weights at another address
        return {"kind": options.kind, "base_url": options.base_url, "model": options.model}
    faults: list[dict[str, object]] = [
        {"kind": fault.kind, "match": fault.match, "rate": fault.rate}
        for fault in options.faults
        if fault.kind in TEXT_FAULTS
    ]
    return {
        "kind": options.kind, "version": options.version, "words_per_text": options.words_per_text, "faults": faults,
    }  # fmt: skip


def adapter_identity(options: EngineConfig, name: str | None, cache: Path | None = None) -> str | None:
    """Return the sha256 of an adapter's files, None for the base model.

    Raises:
        ConfigError: the engine has no adapter of that name.
        ModelError: the adapter's folder holds no safetensors.
    """
    if name is None:
        return None
    adapters = options.adapters if isinstance(options, VllmOptions) else {}
    if name not in adapters:
        raise ConfigError(f"no adapter {name!r} in engine.adapters.{nearest(name, adapters)}")
    folder = Path(adapters[name])
    if not (folder / "adapter_model.safetensors").is_file():
        raise ModelError(f"adapter {name!r}: {folder} holds no adapter_model.safetensors")
    return folder_sha256(folder, cache or cache_dir())
