"""What a run would cost at an API, from a price table."""

from typing import NamedTuple

from raylib.config.loading import load_config
from raylib.config.prices import Prices
from raylib.config.run import RunConfig
from raylib.errors import nearest


class PriceTable(NamedTuple):
    """Prices, and where they were found, in words."""

    prices: Prices
    origin: str


class Cost(NamedTuple):
    """Dollars for all tokens; None: unknown, and `rests_on` says what to give."""

    usd: float | None
    rests_on: str


def price_table(path: str | None, config: RunConfig) -> PriceTable | None:
    """Return the table of a file, else the config's own, else None.

    Raises:
        ConfigError: the file is missing, is not YAML, or holds something else than prices (one line).
    """
    if path is not None:
        return PriceTable(load_config(path, Prices), path)
    return PriceTable(config.prices, "the config's prices") if config.prices is not None else None


def api_cost(model: str, table: PriceTable | None, prompt_tokens: float, new_tokens: float) -> Cost:
    """Return the cost of a run at a price table's prices, every prompt billed once a sample."""
    if table is None:
        return Cost(None, "give --prices FILE (see configs/prices/example.yaml)")
    prices, origin = table
    if model not in prices.prices:
        return Cost(None, f"{origin} has no price for {model!r}; add it.{nearest(model, prices.prices)}")
    price = prices.prices[model]
    usd = (prompt_tokens * price.input + new_tokens * price.output) / 1e6
    dated = f" of {prices.as_of}" if prices.as_of else ""
    note = f"; {prices.note}" if prices.note else ""
    return Cost(
        usd, f"{origin}{dated}: ${price.input:g} in, ${price.output:g} out a million tokens; no discounts{note}"
    )
