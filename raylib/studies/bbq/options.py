"""The study's own options, as a config gives them."""

from typing import Literal

from pydantic import Field, ValidationError, field_validator

from raylib.config.base import Frozen
from raylib.config.explain import explain
from raylib.errors import ConfigError
from raylib.studies.base import StudyOptions
from raylib.studies.bbq.items import Condition
from raylib.studies.bbq.wording import INSTRUCTION, STYLES, Style

Normalise = Literal["tokens", "none"]


class BbqOptions(Frozen):
    """What can be chosen in BBQ: which items, how they are asked, and how an answer is told."""

    files: tuple[str, ...] = Field(
        min_length=1,
        description="The benchmark's official files, one a category: paths, s3://bucket/key or https:// addresses.",
    )
    styles: tuple[Style, ...] = Field(
        STYLES, min_length=1, description="race: question, answers, context; arc: context and question, answers."
    )
    scoring: Literal["loglikelihood", "letter"] = Field(
        "loglikelihood",
        description="loglikelihood: the answer that the model finds likeliest, none is ever lost; letter: what it writes, read "
        "strictly, which any model can do.",
    )
    normalise: Normalise = Field(
        "tokens",
        description="Of log-likelihoods: tokens, the mean over an answer's tokens; none, their sum, which favours short answers "
        "(the unknown answers are often the longest).",
    )
    instruction: str | None = Field(
        INSTRUCTION, description="Last line of a prompt whose answer is read (letter); None: the question alone."
    )
    categories: tuple[str, ...] | None = Field(
        None, description="Categories to ask about, of those in the files; None: all."
    )
    limits: dict[Condition, int] = Field(
        default_factory=dict,
        description="At most so many items of each category, by condition (ambig, disambig), spread over its templates and both "
        "polarities; a condition that is not named: all.",
    )

    @field_validator("styles", "files", "categories")
    @classmethod
    def _once(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        twice = [name for place, name in enumerate(value or ()) if name in (value or ())[:place]]
        if twice:
            raise ValueError(f"{twice[0]!r} stands there twice")
        return value

    @field_validator("limits")
    @classmethod
    def _positive(cls, value: dict[Condition, int]) -> dict[Condition, int]:
        for condition, number in value.items():
            if number < 1:
                raise ValueError(f"{condition} is {number}: give at least 1 item, or leave it out for all")
        return value


def parse_options(options: StudyOptions) -> BbqOptions:
    """Return the typed options.

    Raises:
        ConfigError: an unknown key (the nearest valid one is named), no files, or a value that is not allowed.
    """
    try:
        return BbqOptions.model_validate(dict(options.options))
    except ValidationError as error:
        raise ConfigError(f"study.options of bbq: {explain(error, BbqOptions)}") from None
