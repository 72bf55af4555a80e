"""The language-model extractor: the run's labelling model says who is in a story, one question a story."""

import pyarrow as pa

from raylib.engines.base import Completion
from raylib.schemas import UNPARSED
from raylib.studies.base import Ask, Question
from raylib.studies.narratives.annotate import NarrativesAnnotator, Row, characters
from raylib.studies.narratives.extraction.asking import question_about
from raylib.studies.narratives.extraction.reply import read_reply
from raylib.studies.narratives.extraction.roles import Extraction, Found, Roles
from raylib.studies.replies import UnreadableReplyError

VERSION = "2"
"""Raised whenever another label would follow from the same answer; prompt and schema are hashed beside it."""


class AskingNarrativesAnnotator:
    """Labels completions by asking. A story stands alone in its question, so that it can spoil no label but its own."""

    async def annotate(self, completions: pa.Table, prompts: pa.Table, ask: Ask) -> pa.Table:
        """Return one row a completion, in the same order (schema `annotate.ANNOTATIONS`).

        Status `unparsed`: the answer was cut, refused, or is not what was asked for. Status `error`: there was none.

        Raises:
            DataError: a completion belongs to no prompt of the table.
        """
        asked = _Asked()
        NarrativesAnnotator(asked).annotate(completions, prompts)
        answers = await ask(asked.questions)
        given = _Given({question.key: answer for question, answer in zip(asked.questions, answers, strict=True)})
        return NarrativesAnnotator(given).annotate(completions, prompts)


class _Asked:
    """Collects the questions about the rows that tell a story."""

    def __init__(self) -> None:
        self.questions: list[Question] = []

    def characters(self, row: Row, text: str, asked: Roles) -> dict[str, object]:
        if text.strip():
            self.questions.append(question_about(text, asked, str(row["sample_id"])))
        return {}


class _Given:
    """Labels by the answers."""

    def __init__(self, answers: dict[str, Completion]) -> None:
        self._answers = answers

    def characters(self, row: Row, text: str, asked: Roles) -> dict[str, object]:
        if not text.strip():
            return characters(Extraction(Found(), Found() if asked.object else None, "no text"), asked)
        answer = self._answers[str(row["sample_id"])]
        if answer.status == "error":
            return _no_label("error", f"the labelling model gave no answer: {answer.error_type}: {answer.error}")
        if answer.status != "ok":
            return _no_label(UNPARSED, f"the labelling model's answer was {answer.status}")
        try:
            return characters(read_reply(answer.text, text, asked), asked)
        except UnreadableReplyError as error:
            return _no_label(UNPARSED, f"the labelling model's answer: {error}")


def _no_label(status: str, why: str) -> dict[str, object]:
    return {"status": status, "notes": why}
