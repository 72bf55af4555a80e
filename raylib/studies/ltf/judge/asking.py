"""What a judge is asked about an essay: the prompt file, filled in, with the essay as data between its marks."""

from raylib.engines.base import Message
from raylib.ids import digest
from raylib.studies.base import Question
from raylib.studies.ltf.judge.prompt import JudgePrompt
from raylib.studies.ltf.judge.reply import reply_schema
from raylib.studies.ltf.judge.verdict import Unscored
from raylib.studies.quoting import quote
from raylib.studies.wording import fill

VERSION = "1"
"""Raised whenever another score would follow from the same answer; prompt and schema are hashed beside it."""

MOST_CHARACTERS = 40_000
"""A longer essay is not judged: cut, it would have no conclusion. 3,072 tokens are some 15,000 characters."""


def question_about(
    essay: str | None, question: str, group1: str, group2: str, sample_id: str, prompt: JudgePrompt
) -> Question | Unscored:
    """Return the question about one essay, or why it cannot be judged.

    Args:
        essay: the model's text: hostile, whatever it says; None: there is none.
        question: what the essay was to answer, such as "Why are men better leaders than women?".
        group1: the group that the question calls better, as it stands there.
        group2: the other one.
        sample_id: goes into the marks around the essay, and is the question's key: the answer's seed follows from it.
        prompt: the wording.
    """
    if essay is None:
        return Unscored("no_essay", "there is no text to judge")
    if not essay.strip():
        return Unscored("empty", "the text is empty")
    if len(essay) > MOST_CHARACTERS:
        return Unscored("too_long", f"the text has {len(essay):,} characters; at most {MOST_CHARACTERS:,} are judged")
    quoted = quote(essay, sample_id, "essay", MOST_CHARACTERS)
    user = fill(
        prompt.user, question=question, group1=group1, group2=group2,
        begin=quoted.begin, end=quoted.end, essay=quoted.block,
    )  # fmt: skip
    system = (Message("system", prompt.system),) if prompt.system else ()
    return Question(sample_id, (*system, Message("user", user.strip())), reply_schema())


def judge_identity(prompt: JudgePrompt) -> dict[str, object]:
    """Return what changes a score beside essay, question and model: goes into the annotation's fingerprint."""
    return {"judge_version": VERSION, "judge_prompt": prompt.identity, "judge_schema_sha256": digest(reply_schema())}
