"""From vLLM's outputs to completions: status, reasoning apart from the answer, log probabilities."""

from collections.abc import Mapping, Sequence
from typing import Any

from raylib.engines.base import Completion, Status
from raylib.engines.reasoning import Split, split_reasoning

_STATUS: Mapping[str, Status] = {"stop": "ok", "length": "truncated"}


class ReasoningTags:
    """The reasoning tags as one tokenizer sees them."""

    def __init__(self, tokenizer: Any, tags: tuple[str, str]) -> None:
        self.tags = tags
        self._tokenizer = tokenizer
        end = list(tokenizer.encode(tags[1], add_special_tokens=False))
        self._end_id = end[0] if len(end) == 1 else None
        special = set(tokenizer.all_special_tokens)
        self.are_special = bool(special & set(tags))
        """The tags are special tokens, so special tokens have to be printed for the text to hold them."""

    def count(self, text: str, token_ids: Sequence[int], split: Split) -> int:
        """Return how many of the tokens are reasoning, tags included."""
        if split.reasoning is None:
            return 0
        if not split.closed:
            return len(token_ids)
        if self._end_id is not None and self._end_id in token_ids:
            return list(token_ids).index(self._end_id) + 1
        spoken = self._tokenizer.encode(text[: split.reasoning_end], add_special_tokens=False)
        return min(len(spoken), len(token_ids))


def to_completion(output: Any, prompt_tokens: int, tags: ReasoningTags, opened: bool, logprobs: bool) -> Completion:
    """Return the completion that one of vLLM's `CompletionOutput` stands for.

    Args:
        output: text, token ids, finish reason and log probabilities of one sample.
        prompt_tokens: tokens of the prompt.
        tags: the reasoning tags.
        opened: the prompt ends with the start tag.
        logprobs: whether the request asked for log probabilities.
    """
    status = _STATUS.get(output.finish_reason)
    if status is None:
        return Completion(
            text="", status="error", finish_reason=None, prompt_tokens=prompt_tokens,
            completion_tokens=len(output.token_ids), error_type="aborted",
            error=f"vLLM gave up on this sample (finish_reason {output.finish_reason!r})", retryable=True,
        )  # fmt: skip
    split = split_reasoning(output.text, tags.tags, opened)
    return Completion(
        text=split.answer,
        status=status if split.closed else "truncated",
        finish_reason=output.finish_reason,
        prompt_tokens=prompt_tokens,
        completion_tokens=len(output.token_ids),
        reasoning=split.reasoning,
        reasoning_tokens=tags.count(output.text, output.token_ids, split),
        logprobs=_logprobs(output) if logprobs else None,
    )


def _logprobs(output: Any) -> tuple[Mapping[str, float], ...]:
    """Return token -> log probability for each position, the chosen token first.

    Two tokens that print alike (parts of a character) share an entry; it keeps the likelier one.
    """
    positions = []
    for chosen, candidates in zip(output.token_ids, output.logprobs or (), strict=True):
        entry: dict[str, float] = {}
        for token_id, item in sorted(candidates.items(), key=lambda pair: pair[0] != chosen):
            token = item.decoded_token if item.decoded_token is not None else f"<{token_id}>"
            entry[token] = max(item.logprob, entry.get(token, item.logprob))
        positions.append(entry)
    return tuple(positions)
