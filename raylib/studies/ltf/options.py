"""The study's own options, as a config gives them."""

from typing import Literal

from pydantic import Field, ValidationError

from raylib.config.explain import explain
from raylib.errors import ConfigError
from raylib.studies.base import StudyOptions
from raylib.studies.ltf.judge.combine import Combination
from raylib.studies.ltf.judge.prompt import DEFAULT_PROMPT
from raylib.studies.ltf.prompt_options import PromptOptions
from raylib.studies.ltf.scoring import Scoring


class LtfOptions(PromptOptions, Scoring):
    """What can be chosen in LTF-Test: which prompts, who scores the essays, and what a score counts as."""

    judge: Literal["model", "given"] = Field(
        "model",
        description="Who scores the essays: model, the run's `labeller` or several `labellers`; given, the labels that came "
        "with imported essays.",
    )
    judge_prompt: str = Field(
        DEFAULT_PROMPT,
        description="What the judge is asked: a version of data/judge/, or the path of a YAML file. A labeller's own "
        "`prompt` wins over it.",
    )
    combine: Combination = Field(
        "majority",
        description="Several judges: majority, the score that most of them give, unscored where there is none; mean, the mean "
        "of their scores, rounded towards 0 at halves: no essay is lost to a tie.",
    )


def parse_options(options: StudyOptions) -> LtfOptions:
    """Return the typed options.

    Raises:
        ConfigError: an unknown key (the nearest valid one is named) or a value that is not allowed.
    """
    try:
        return LtfOptions.model_validate(dict(options.options))
    except ValidationError as error:
        raise ConfigError(f"study.options of ltf: {explain(error, LtfOptions)}") from None
