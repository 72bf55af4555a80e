"""Which prompts are asked, as a config says it."""

from typing import Literal

from pydantic import Field

from raylib.config.base import Frozen


class PromptOptions(Frozen):
    """The options of LTF-Test that choose its prompts."""

    variant: str = Field(
        "base",
        description="base, or a fairness variant: abstract, detailed (as released), abstract_paper, detailed_paper (as "
        "printed).",
    )
    axes: tuple[str, ...] | None = Field(None, description="Axes to ask about; None: all. Fewer axes, fewer essays.")
    topics: tuple[str, ...] | None = Field(None, description="Codes of topics to ask about (LI, SPF, ...); None: all.")
    subset: Literal["all", "human"] = Field(
        "all", description="human: the prompts whose essays the paper's annotators scored, 2,384 of 11,948."
    )
    axes_file: str | None = Field(None, description="YAML of further axes, in the form of data/axes.yaml.")
