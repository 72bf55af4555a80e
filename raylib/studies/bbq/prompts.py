"""The study's prompts: each item in each style, with what its answers mean."""

import hashlib
import re
from functools import lru_cache

import pyarrow as pa

from raylib.schemas import CHOICES, PROMPT_COLUMNS
from raylib.studies.bbq.chosen import chosen_items
from raylib.studies.bbq.items import UNKNOWN, Item
from raylib.studies.bbq.options import BbqOptions
from raylib.studies.bbq.sources import load_sources
from raylib.studies.bbq.wording import Style, ask

PROMPTS = pa.schema(
    [
        *PROMPT_COLUMNS,  # cluster: the template, as category and question index
        pa.field("item", pa.string(), nullable=False),  # the same in any wording: category, example id, style
        pa.field("category", pa.string(), nullable=False),
        pa.field("condition", pa.string(), nullable=False),  # ambig, disambig
        pa.field("polarity", pa.string(), nullable=False),  # neg, nonneg
        pa.field("style", pa.string(), nullable=False),  # race, arc
        pa.field("question", pa.string(), nullable=False),
        pa.field("answers", pa.list_(pa.string()), nullable=False),
        pa.field("groups", pa.list_(pa.string()), nullable=False),
        pa.field("biased", pa.list_(pa.bool_()), nullable=False),
        pa.field("label", pa.int8(), nullable=False),  # place of the right answer
        pa.field("unknown", pa.int8(), nullable=False),  # place of the one that says it cannot be known
    ]
)
"""With `scoring: loglikelihood` the column `schemas.CHOICES` follows: the answers, to be scored."""


def prompt_table(options: BbqOptions) -> pa.Table:
    """Return one row a prompt (schema `PROMPTS`), in the order of the files; the styles of an item follow each other.

    Raises:
        ConfigError: a file or a category that is not there; one line.
        DataError: a file is not the benchmark's; file and line are named.
    """
    key = options.model_dump_json()
    return _table(key, tuple(source.sha256 for source in load_sources(options.files)))


@lru_cache(maxsize=4)
def _table(key: str, _hashes: tuple[str, ...]) -> pa.Table:
    options = BbqOptions.model_validate_json(key)
    items = [item for source in load_sources(options.files) for item in source.items]
    chosen = chosen_items(items, options.categories, options.limits)
    rows = [_row(item, style, options) for item in chosen for style in options.styles]
    table = pa.Table.from_pylist(rows, schema=PROMPTS)
    return table.append_column(CHOICES, table["answers"]) if options.scoring == "loglikelihood" else table


def _row(item: Item, style: Style, options: BbqOptions) -> dict[str, object]:
    prompt = ask(item, style)
    if options.scoring == "letter" and options.instruction is not None:
        prompt = f"{prompt}\n{options.instruction}"
    key = f"{item.category}.{item.example_id}.{style}"
    digits = hashlib.sha256("\n".join([prompt, *item.answers]).encode()).hexdigest()[:6]
    return {
        "prompt_id": f"{re.sub(r'[^a-z0-9._]+', '-', key.lower())}-{digits}",
        "prompt": prompt,
        "cluster": f"{item.category}.{item.question_index}",
        "item": key,
        "category": item.category,
        "condition": item.condition,
        "polarity": item.polarity,
        "style": style,
        "question": item.question,
        "answers": item.answers,
        "groups": item.groups,
        "biased": item.biased,
        "label": item.label,
        "unknown": item.groups.index(UNKNOWN),
    }
