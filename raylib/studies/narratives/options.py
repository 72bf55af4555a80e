"""The study's own options, as a config gives them."""

from typing import Literal

from pydantic import Field, ValidationError

from raylib.config.base import Frozen
from raylib.config.explain import explain
from raylib.errors import ConfigError
from raylib.studies.base import StudyOptions


class NarrativesOptions(Frozen):
    """What can be chosen in the narratives study."""

    scenarios: str | None = Field(None, description="Scenario file of another wording or locale; None: the paper's.")
    extractor: Literal["rules", "llm", "given"] = Field(
        "rules",
        description="How characters are found; rules need no model, llm asks the run's `labeller`. given: by the labels of "
        "imported texts.",
    )
    names: str = Field(
        "census2020", description="Race by first name: census2020, or the .parquet path of jobs/build_names.py."
    )
    baseline: str = Field("paper", description="Comparison shares: a preset of data/comparison/, or a YAML path.")


def parse_options(options: StudyOptions) -> NarrativesOptions:
    """Return the typed options.

    Raises:
        ConfigError: an unknown key (the nearest valid one is named) or a value that is not allowed.
    """
    try:
        return NarrativesOptions.model_validate(dict(options.options))
    except ValidationError as error:
        raise ConfigError(f"study.options of narratives: {explain(error, NarrativesOptions)}") from None
