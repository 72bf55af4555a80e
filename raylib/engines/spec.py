"""What an engine is told of the model that it runs, beside its own options."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ModelSpec:
    """A resolved model and how it is spoken to. Everything here changes the text and is in the fingerprint.

    Attributes:
        path: folder with safetensors, config and tokenizer; None for an engine without weights.
        system_prompt: put in front of requests that hold no system turn of their own. None: none; "": an empty one,
            which keeps a template from putting in its own.
        chat_template: `auto` (the model's own), `none` (plain text by `prompt_format`) or the text of a template.
        prompt_format: frame for models without a template; holds `{prompt}` and may hold `{system}`.
        reasoning_tags: what encloses the text that a model thinks aloud before its answer.
        trust_remote_code: run Python code that lies in the model's folder. Off unless the configuration pins it.
    """

    path: str | None
    system_prompt: str | None = None
    chat_template: str = "auto"
    prompt_format: str | None = None
    reasoning_tags: tuple[str, str] = ("<think>", "</think>")
    trust_remote_code: bool = False
