"""Turn messages into a prompt through a model's chat template, as templates are in the wild.

Some have no system role: they raise an error (Mistral v0.2, Gemma) or drop its text silently. Then the system text is
put in front of the first user turn, and that is recorded. Base models have no template at all: they get plain text
in the frame that the configuration gives.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from raylib.engines.base import Message
from raylib.engines.spec import ModelSpec
from raylib.errors import ConfigError, ModelError

_PROBE_SYSTEM = "fairsweep-system-probe"
_PROBE_USER = "fairsweep-user-probe"


class Prompt(NamedTuple):
    """A rendered prompt: its text and its tokens, with exactly one BOS at most."""

    text: str
    token_ids: list[int]


class Exchange(NamedTuple):
    """A prompt and the answer to it, as tokens: what a model is trained on."""

    prompt: Prompt
    answer_ids: list[int]
    """The answer and what ends its turn; nothing that the prompt holds already."""


class PromptRenderer:
    """Renders the prompts of one model.

    Args:
        tokenizer: a transformers tokenizer.
        spec: system prompt, chat template and plain-text frame.

    Raises:
        ModelError: the model has no chat template and the configuration no plain-text frame, or the template cannot
            even render one user turn.
    """

    def __init__(self, tokenizer: Any, spec: ModelSpec) -> None:
        self._tokenizer = tokenizer
        self._system = spec.system_prompt
        self._template = _choose_template(tokenizer, spec)
        self._format = spec.prompt_format or "{prompt}"
        if self._template is None and "{prompt}" not in self._format:
            raise ModelError(f"prompt_format {self._format!r} holds no {{prompt}}: write for example '{{prompt}}'")
        self._takes_system = self._probe()

    @property
    def system_folded(self) -> bool:
        """Whether a system text is put in front of the first user turn, for want of a role of its own."""
        return not self._takes_system

    def render(self, messages: Sequence[Message]) -> Prompt:
        """Return the prompt for an answer to these turns.

        Raises:
            ConfigError: the template refuses the turns (no user turn, or two of one role in a row).
        """
        turns = self._turns(messages)
        if self._template is None:
            return self._plain(turns)
        text = self._apply(turns)
        return Prompt(text, self._encode(text, special=False))

    def exchange(self, messages: Sequence[Message], answer: str) -> Exchange:
        """Return the prompt exactly as `render` gives it, and the tokens with which a model would answer it so.

        The answer ends as the template ends a turn, without white space behind the end mark; where the template shows an
        answered turn otherwise than an asked one, or there is no template, it ends with the tokenizer's EOS.

        Raises:
            ConfigError: as `render`.
        """
        prompt = self.render(messages)
        text = None
        if self._template is not None:
            whole = self._apply([*self._turns(messages), ("assistant", answer)], asks=False)
            rest = whole.removeprefix(prompt.text)
            text = rest.rstrip() if rest != whole and len(rest.rstrip()) > len(answer.strip()) else None
        if text is None:
            ids = list(self._tokenizer.encode(answer, add_special_tokens=False))
            return Exchange(prompt, [*ids, self._tokenizer.eos_token_id])
        return Exchange(prompt, list(self._tokenizer.encode(text, add_special_tokens=False)))

    def _turns(self, messages: Sequence[Message]) -> list[tuple[str, str]]:
        """Return the turns as the template takes them, the configured system text among them."""
        turns: list[tuple[str, str]] = [(message.role, message.content) for message in messages]
        if self._system is not None and not any(role == "system" for role, _ in turns):
            turns.insert(0, ("system", self._system))
        return turns if self._takes_system or self._template is None else _fold(turns)

    def _apply(self, turns: Sequence[tuple[str, str]], *, asks: bool = True) -> str:
        from jinja2 import TemplateError

        conversation = [{"role": role, "content": content} for role, content in turns]
        try:
            rendered = self._tokenizer.apply_chat_template(
                conversation, chat_template=self._template, tokenize=False, add_generation_prompt=asks
            )
        except TemplateError as error:
            roles = ", ".join(role for role, _ in turns)
            raise ConfigError(f"the chat template refuses turns of the roles {roles}: {error}") from error
        return str(rendered)

    def _probe(self) -> bool:
        """Say whether the template prints a system turn."""
        if self._template is None:
            return "{system}" in self._format
        try:
            alone = self._apply([("user", _PROBE_USER)])
        except ConfigError as error:
            raise ModelError(f"the model's chat template cannot render one user turn: {error}") from error
        if _PROBE_USER not in alone:
            raise ModelError("the model's chat template drops the user's text: give another in `chat_template:`")
        try:
            text = self._apply([("system", _PROBE_SYSTEM), ("user", _PROBE_USER)])
        except ConfigError:  # a template without a system role says so by raising
            return False
        return _PROBE_SYSTEM in text and _PROBE_USER in text

    def _plain(self, turns: list[tuple[str, str]]) -> Prompt:
        system = "".join(content for role, content in turns if role == "system")
        users = [content for role, content in turns if role != "system"]
        if len(users) != 1:
            raise ConfigError(f"a model without a chat template takes one user turn, not {len(users)} turns")
        if not self._takes_system:
            users = [_join(system, users[0])]
        # Not str.format: prompts hold braces. Text from the prompt is put in last and never searched again.
        before, _, after = self._format.partition("{prompt}")
        text = before.replace("{system}", system) + users[0] + after.replace("{system}", system)
        return Prompt(text, self._encode(text, special=True))

    def _encode(self, text: str, special: bool) -> list[int]:
        """Return token ids; the tokenizer's own BOS is added to plain text only, and never twice."""
        ids = list(self._tokenizer.encode(text, add_special_tokens=special))
        bos = self._tokenizer.bos_token_id
        # SmolLM2's BOS is its turn marker as well, so two in a row are a mistake only where both stand for a beginning.
        while bos is not None and len(ids) > 1 and ids[0] == bos and ids[1] == bos:
            ids = ids[1:]
        return ids


def _choose_template(tokenizer: Any, spec: ModelSpec) -> str | None:
    if spec.chat_template == "none":
        return None
    if spec.chat_template != "auto":
        return spec.chat_template
    own = getattr(tokenizer, "chat_template", None)
    if own is None and spec.prompt_format is None:
        raise ModelError(
            "the model has no chat template (a base model?): write `chat_template: none` and "
            "`prompt_format: '{prompt}'` into its YAML file, or the text of a template in `chat_template:`"
        )
    if isinstance(own, dict):
        own = own.get("default") or next(iter(own.values()))
    return None if own is None else str(own)


def _fold(turns: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Put the system text in front of the first user turn."""
    system = "".join(content for role, content in turns if role == "system")
    folded = [turn for turn in turns if turn[0] != "system"]
    for index, (role, content) in enumerate(folded):
        if role == "user":
            folded[index] = (role, _join(system, content))
            return folded
    return [("user", system), *folded] if system else folded


def _join(system: str, content: str) -> str:
    return f"{system}\n\n{content}" if system else content
