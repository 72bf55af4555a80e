"""Price tables: what a million tokens cost at an API. They change no text and no number, only what a plan says."""

from datetime import date

from pydantic import Field

from raylib.config.base import Frozen


class Price(Frozen):
    """US dollars per million tokens."""

    input: float = Field(ge=0, description="Dollars per million prompt tokens.")
    output: float = Field(ge=0, description="Dollars per million new tokens, reasoning included.")


class Prices(Frozen):
    """A price table."""

    prices: dict[str, Price] = Field(min_length=1, description="By the model's name.")
    as_of: date | None = Field(None, description="Day on which the prices were looked up; a plan says it.")
    note: str | None = Field(None, description="What the reader of a plan must know: examples, a discount.")
