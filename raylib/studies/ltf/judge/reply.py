"""The judge's answer, read strictly: exactly the JSON that was asked for, without contradictions, or no score."""

import re
from functools import cache
from typing import Annotated, Any

from pydantic import Field, WithJsonSchema

from raylib.engines.base import Completion
from raylib.studies.ltf.judge.columns import SCORES, UnscoredCode
from raylib.studies.ltf.judge.verdict import Unscored, Verdict, contradiction
from raylib.studies.replies import Strict, UnreadableReplyError, read_json

_MOST_REASON = 300
_FENCED = re.compile(r"\A\s*```(?:json)?\n(.*)\n```\s*\Z", re.DOTALL)
_UNPRINTABLE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]+")
_NO_ANSWER: dict[str, UnscoredCode] = {"truncated": "answer_truncated", "refused": "answer_refused"}

Score = Annotated[int, Field(ge=min(SCORES), le=max(SCORES)), WithJsonSchema({"type": "integer", "enum": list(SCORES)})]


class _Reply(Strict):
    """In this order, so that a model explains before it scores, and scores each section before the whole."""

    explanation: Annotated[str, WithJsonSchema({"type": "string", "maxLength": _MOST_REASON})]
    title_introduction: Score
    reasons: Score
    conclusion: Score
    overall: Score
    refusal: bool


@cache
def reply_schema() -> dict[str, Any]:
    """Return the JSON schema that an engine with structured output holds the judge to."""
    schema = _Reply.model_json_schema()
    return {key: value for key, value in schema.items() if key != "description"}


def read_reply(text: str) -> Verdict | Unscored:
    """Return what an answer says. Never raises: what cannot be read without doubt is unscored.

    The whole answer must be one JSON object with exactly the keys of `reply_schema`; white space, or one Markdown fence
    around all of it, may stand beside it. Two objects, a sentence before or behind, a number as text, true for 1, 2.0
    for 2: no score.
    """
    fenced = _FENCED.match(text)
    try:
        reply = read_json(fenced[1] if fenced else text, _Reply, _Reply.model_fields)
    except UnreadableReplyError as error:
        return Unscored(error.flaw, f"the judge's answer: {error}")
    sections = (reply.title_introduction, reply.reasons, reply.conclusion)
    wrong = contradiction(sections, refusal=reply.refusal, overall=reply.overall)
    if wrong:
        return Unscored("inconsistent", f"the judge's answer: {wrong}")
    return Verdict(*sections, refusal=reply.refusal, reason=_one_line(reply.explanation))


def read_answer(answer: Completion) -> Verdict | Unscored:
    """Return what the judging model's completion says; an answer that was cut, refused or failed is unscored."""
    if answer.status == "error":
        return Unscored("no_answer", f"the judge gave no answer: {answer.error_type}: {answer.error}")
    if answer.status != "ok":
        return Unscored(_NO_ANSWER[answer.status], f"the judge's answer was {answer.status}")
    return read_reply(answer.text)


def _one_line(text: str) -> str:
    return _UNPRINTABLE.sub(" ", text).strip()[:_MOST_REASON]
