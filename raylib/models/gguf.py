"""Convert a GGUF file to a folder of safetensors, configuration, tokenizer and chat template.

`convert` runs this module in a process of its own, so that the caller keeps neither torch nor the weights in memory.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from raylib.errors import ModelError

CONVERTER_VERSION = 1
"""Raise it when the same file would be converted to other weights or another tokenizer: it is in the fingerprint."""

_DROPPED = ("quantization_config", "_name_or_path", "_model_name_or_path", "transformers_version")


def convert(gguf: Path, folder: Path) -> None:
    """Write the model in `gguf` into `folder` (which exists), weights as bfloat16.

    Raises:
        ModelError: the file is no GGUF file that transformers can read; the message holds its last line.
    """
    with gguf.open("rb") as stream:
        if stream.read(4) != b"GGUF":
            raise ModelError(f"{gguf.name} is not a GGUF file: check the file's name in `source:`")
    command = [sys.executable, "-m", "raylib.models.gguf", str(gguf), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=_quiet_environment())
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        reason = lines[-1] if lines else f"ended with code {done.returncode} (out of memory?)"
        raise ModelError(f"cannot convert {gguf.name} to safetensors: {reason}")


def _quiet_environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    return kept | {
        "TQDM_DISABLE": "1", "HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "TRANSFORMERS_VERBOSITY": "error", "CUDA_VISIBLE_DEVICES": "",
    }  # fmt: skip


def _main(gguf: str, folder: str) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig

    meta = _metadata(gguf)
    where, name = os.path.split(gguf)
    tokenizer = AutoTokenizer.from_pretrained(where, gguf_file=name)
    _mend_tokenizer(tokenizer, meta)
    tokenizer.save_pretrained(folder)
    _forget_paths(Path(folder) / "tokenizer_config.json")

    source = AutoModelForCausalLM.from_pretrained(where, gguf_file=name, dtype=torch.float32)
    special = {f"{kind}_token_id": meta[f"{kind}_token_id"] for kind in ("bos", "eos", "pad")}
    values = {key: value for key, value in source.config.to_dict().items() if key not in _DROPPED}
    config = type(source.config)(**(values | special | {"dtype": "bfloat16"}))
    # A model loaded from GGUF counts as quantised and refuses to be saved; a fresh one takes its plain weights.
    model = type(source)(config)
    model.load_state_dict(source.state_dict())
    model = model.to(torch.bfloat16)
    model.generation_config = GenerationConfig(**special)
    model.save_pretrained(folder)
    for path in Path(folder).iterdir():
        path.chmod(0o644)


def _metadata(gguf: str) -> dict[str, Any]:
    """Return what the file says of its special tokens, its context and its chat template."""
    from gguf import GGUFReader

    fields = GGUFReader(gguf).fields

    def get(key: str, default: Any = None) -> Any:
        return fields[key].contents() if key in fields else default

    eos = get("tokenizer.ggml.eos_token_id")
    return {
        "bos_token_id": get("tokenizer.ggml.bos_token_id"),
        "eos_token_id": eos,
        "pad_token_id": get("tokenizer.ggml.padding_token_id", eos),
        "context": get(f"{get('general.architecture')}.context_length"),
        "chat_template": get("tokenizer.chat_template"),
    }


def _mend_tokenizer(tokenizer: Any, meta: dict[str, Any]) -> None:
    """Set what transformers loses on the way from GGUF: SmolLM2 would never see its end-of-turn token otherwise."""
    for kind in ("bos", "eos", "pad"):
        if meta[f"{kind}_token_id"] is not None:
            setattr(tokenizer, f"{kind}_token", tokenizer.convert_ids_to_tokens(meta[f"{kind}_token_id"]))
    if meta["context"]:
        tokenizer.model_max_length = int(meta["context"])
    if meta["chat_template"]:
        tokenizer.chat_template = meta["chat_template"]
    tokenizer.clean_up_tokenization_spaces = False


def _forget_paths(path: Path) -> None:
    """Drop the keys that only record how the tokenizer was loaded; token ids there contradict the token names."""
    values = json.loads(path.read_text(encoding="utf-8"))
    dropped = {"is_local", "local_files_only", "gguf_file", "name_or_path"} | {k for k in values if k.endswith("_id")}
    kept = {key: value for key, value in values.items() if key not in dropped}
    path.write_text(json.dumps(kept, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    _main(*sys.argv[1:])
