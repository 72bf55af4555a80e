"""The chat template of a model folder, read without transformers: its text and its hash for the fingerprint."""

import hashlib
import json
from pathlib import Path

from raylib.errors import ModelError


def chat_template(folder: str | Path) -> str | None:
    """Return the text of the folder's chat template, or None for a base model without one.

    `chat_template.jinja` wins over `tokenizer_config.json`, as in transformers; of several named templates it is
    the one called `default`.

    Raises:
        ModelError: `tokenizer_config.json` is not JSON, or names several templates and none is `default`.
    """
    folder = Path(folder)
    jinja = folder / "chat_template.jinja"
    if jinja.is_file():
        return jinja.read_text(encoding="utf-8")
    for name in ("chat_template.json", "tokenizer_config.json"):
        if (folder / name).is_file():
            found = _from_json(folder / name)
            if found is not None:
                return found
    return None


def chat_template_sha256(folder: str | Path) -> str | None:
    """Return the sha256 of the chat template's text, or None where there is none."""
    text = chat_template(folder)
    return None if text is None else hashlib.sha256(text.encode("utf-8")).hexdigest()


def _from_json(path: Path) -> str | None:
    try:
        value = json.loads(path.read_text(encoding="utf-8")).get("chat_template")
    except (ValueError, AttributeError) as error:
        raise ModelError(f"{path} is not a JSON object ({error}): fetch the model again") from error
    if value is None or isinstance(value, str):
        return value
    named = {str(item["name"]): str(item["template"]) for item in value}
    if "default" not in named:
        raise ModelError(
            f"{path} names the chat templates {', '.join(sorted(named))} and no default: "
            "put the text of one into `chat_template:` of the model's YAML file"
        )
    return named["default"]
