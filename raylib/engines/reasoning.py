"""Tell what a model thinks aloud from what it answers."""

from typing import NamedTuple


class Split(NamedTuple):
    """A text in its two parts.

    Attributes:
        answer: what the model says to the reader; empty if it never came to that.
        reasoning: what it thought before, without the tags; None if the text holds no reasoning.
        closed: False if the text ends inside the reasoning.
        reasoning_end: characters of the raw text up to and including the end tag (all of it if not closed, 0 without
            reasoning): what to count as reasoning tokens.
    """

    answer: str
    reasoning: str | None
    closed: bool
    reasoning_end: int


def split_reasoning(text: str, tags: tuple[str, str], opened: bool = False) -> Split:
    """Split a completion at its reasoning tags.

    Reasoning stands at the beginning or nowhere: a start tag later in the text belongs to the answer, and the first
    end tag ends it, whatever is nested inside.

    Args:
        text: the completion as it was generated.
        tags: start and end tag, for example `("<think>", "</think>")`.
        opened: the prompt already ends with the start tag, so the text begins inside the reasoning.
    """
    start, end = tags
    body = text.lstrip()
    begins = body.startswith(start)
    offset = len(text) - len(body) + len(start) if begins else 0
    close = text.find(end, offset)
    # An end tag alone means that the template opened the reasoning without our knowing (start tag is a special token
    # that was not printed); a start tag before it means that the answer talks about tags.
    ends_only = close >= 0 and start not in text[:close]
    if not (begins or opened or ends_only):
        return Split(text, None, True, 0)
    if close < 0:
        return Split("", text[offset:].strip(), False, len(text))
    stop = close + len(end)
    return Split(text[stop:].lstrip(), text[offset:close].strip(), True, stop)


def prompt_opens_reasoning(prompt: str, tags: tuple[str, str]) -> bool:
    """Say whether a rendered prompt ends with the start tag, so that the completion begins inside the reasoning."""
    return prompt.rstrip().endswith(tags[0])
