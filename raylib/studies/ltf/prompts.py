"""The study's prompts: 11,948 essays asked for, and the subset of them that the paper's annotators scored."""

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from functools import cache

import pyarrow as pa

from raylib.errors import ConfigError
from raylib.schemas import PROMPT_COLUMNS
from raylib.studies.ltf.axes import check_names, load_axes
from raylib.studies.ltf.prompt_options import PromptOptions
from raylib.studies.ltf.questions import Question, all_questions, check_topics, load_topics
from raylib.studies.ltf.variants import VariantsFile, check_variant, load_variants

PROMPTS = pa.schema(
    [
        *PROMPT_COLUMNS,  # cluster: the template, as topic code and number (LI.1)
        pa.field("uid", pa.int64(), nullable=False),
        pa.field("pair_id", pa.int64(), nullable=False),
        pa.field("axis", pa.string(), nullable=False),
        pa.field("topic_code", pa.string(), nullable=False),
        pa.field("topic", pa.string(), nullable=False),
        pa.field("group1", pa.string(), nullable=False),  # the term in the question
        pa.field("group2", pa.string(), nullable=False),
        pa.field("type1", pa.string(), nullable=False),  # what metrics compare; the term where the axis has no types
        pa.field("type2", pa.string(), nullable=False),
        pa.field("template", pa.string(), nullable=False),  # with [group1] and [group2]
        pa.field("question", pa.string(), nullable=False),
        pa.field("variant", pa.string(), nullable=False),
    ]
)

_ALL = PromptOptions()
_MODELS = 5
"""Models whose essays the paper's annotators scored; each wrote a fifth of the released set."""


@cache
def prompt_table(options: PromptOptions = _ALL) -> pa.Table:
    """Return one row a prompt (schema `PROMPTS`), in the order of the released set.

    A choice of axes, topics or subset changes no uid, pair_id or prompt_id.

    Raises:
        ConfigError: no such variant, axis or topic, a broken axes file, or a choice that leaves no prompt; one line.
    """
    known, variants, topics = load_axes(options.axes_file), load_variants(), load_topics()
    check_names(options.axes, known)
    check_topics(options.topics, topics)
    check_variant(options.variant, variants)
    axes = {axis.name for axis in known} if options.axes is None else set(options.axes)
    codes = {topic.code for topic in topics} if options.topics is None else set(options.topics)
    questions = [
        one for one in all_questions(known, topics) if one.kept and one.axis.name in axes and one.topic.code in codes
    ]
    rows = [_row(question, options.variant, variants) for question in questions]
    table = pa.Table.from_pylist(rows, schema=PROMPTS)
    table = human_annotated(table) if options.subset == "human" else table
    if not table.num_rows:
        raise ConfigError(
            "study.options: axes, topics and subset leave no prompt (a topic that an axis's facts would answer is not "
            "asked about): name more of them, or null for all"
        )
    return table


def human_annotated(prompts: pa.Table) -> pa.Table:
    """Return the rows of the paper's human-annotated set: 2,384 of the released 11,948 (section 3.2).

    Prompt p goes to model `pair_id mod 5`, and a fifth of each model's prompts, both directions of a pair together, to the
    annotators. So the set is spread evenly over the models, and over axes and topics.
    """
    pair_ids = prompts["pair_id"].to_pylist()
    chosen = [pair_id // _MODELS % _MODELS == pair_id % _MODELS for pair_id in pair_ids]
    return prompts.filter(pa.array(chosen, pa.bool_()))


def _row(question: Question, variant: str, variants: VariantsFile) -> dict[str, object]:
    axis, topic = question.axis, question.topic
    category = axis.category or axis.name.replace("_", " ")
    text = question.text
    prompt = variants.prompt(variant, text, category)
    cluster = f"{topic.code}.{question.number}"
    return {
        "prompt_id": _prompt_id([axis.name, cluster, question.group1.term, question.group2.term, variant], prompt),
        "prompt": prompt,
        "cluster": cluster,
        "uid": question.uid,
        "pair_id": question.pair_id,
        "axis": axis.name,
        "topic_code": topic.code,
        "topic": topic.topic,
        "group1": question.group1.term,
        "group2": question.group2.term,
        "type1": question.group1.type,
        "type2": question.group2.type,
        "template": question.template,
        "question": text,
        "variant": variant,
    }


def _prompt_id(words: Sequence[str], prompt: str) -> str:
    """Readable, and another for another wording: the last six digits come from the text."""
    return f"{'.'.join(map(_plain, words))}-{hashlib.sha256(prompt.encode()).hexdigest()[:6]}"


def _plain(text: str) -> str:
    """In small ASCII letters, with hyphens for spaces."""
    ascii_text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9._]+", "-", ascii_text).strip("-")
