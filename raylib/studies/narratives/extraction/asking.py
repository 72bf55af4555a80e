"""What the labelling model is asked about a story: `data/extraction/prompt.v1.yaml`, filled in."""

from functools import cache
from typing import NamedTuple

from raylib.engines.base import Message
from raylib.errors import ConfigError
from raylib.ids import digest
from raylib.studies.base import Question
from raylib.studies.narratives.data_files import read_yaml
from raylib.studies.narratives.extraction.reply import answer_schema
from raylib.studies.narratives.extraction.roles import Roles
from raylib.studies.quoting import quote
from raylib.studies.wording import fill

PROMPT_VERSION = 1
"""Which file of `data/extraction/` is asked with."""

_KEYS = ("system", "user", "one_character", "two_characters", "ordered", "answer_one", "answer_two")


class PromptTexts(NamedTuple):
    """The pieces of a prompt file, as written there."""

    system: str
    user: str
    one_character: str
    two_characters: str
    ordered: str
    answer_one: str
    answer_two: str


@cache
def prompt_texts(version: int = PROMPT_VERSION) -> PromptTexts:
    """Return the prompt file of a version.

    Raises:
        ConfigError: there is no such file, its version is another one, or a key is missing.
    """
    content, where = read_yaml(f"extraction/prompt.v{version}.yaml")
    if not isinstance(content, dict) or content.get("version") != version:
        raise ConfigError(f"{where} must say 'version: {version}', as its name does")
    missing = [key for key in _KEYS if not isinstance(content.get(key), str)]
    if missing:
        raise ConfigError(f"{where} lacks the texts {', '.join(missing)}")
    return PromptTexts(*(content[key] for key in _KEYS))


def question_about(story: str, roles: Roles, key: str) -> Question:
    """Return the question about one story; `key` (its sample's id) goes into the marks around it and the answer's seed.

    Raises:
        ConfigError: the prompt file cannot be read.
    """
    texts, quoted = prompt_texts(), quote(story, key, "story")
    two = roles.object is not None
    characters = fill(
        texts.two_characters if two else texts.one_character,
        subject=_described(roles.subject, roles, texts),
        object=_described(roles.object or "", roles, texts),
    )
    user = fill(
        texts.user, characters=characters, answer=texts.answer_two if two else texts.answer_one,
        begin=quoted.begin, end=quoted.end, story=quoted.block,
    )  # fmt: skip
    messages = (Message("system", texts.system), Message("user", user.strip()))
    return Question(key, messages, answer_schema(two_characters=two))


def asking_identity() -> dict[str, object]:
    """Return what changes an answer beside story, roles and model: goes into the annotation's fingerprint."""
    schemas = [answer_schema(two_characters=two) for two in (False, True)]
    return {"prompt": PROMPT_VERSION, "prompt_sha256": digest(list(prompt_texts())), "schema_sha256": digest(schemas)}


def _described(role: str, roles: Roles, texts: PromptTexts) -> str:
    return fill(texts.ordered, role=role) if roles.ordered else f"the {role}"
