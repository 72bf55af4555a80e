"""Essays in, verdicts out: one question an essay, so that an essay can spoil no score but its own."""

from collections.abc import Sequence
from typing import NamedTuple

from raylib.studies.base import Ask, Question
from raylib.studies.ltf.judge.asking import question_about
from raylib.studies.ltf.judge.prompt import JudgePrompt
from raylib.studies.ltf.judge.reply import read_answer
from raylib.studies.ltf.judge.verdict import Unscored, Verdict


class Essay(NamedTuple):
    """What a judge is shown of a sample; see `asking.question_about`."""

    sample_id: str
    text: str | None
    question: str
    group1: str
    group2: str


async def judge_essays(essays: Sequence[Essay], prompt: JudgePrompt, ask: Ask) -> list[Verdict | Unscored]:
    """Return one verdict an essay, in the same order; all are asked about at once, those without a text never."""
    found = [
        question_about(essay.text, essay.question, essay.group1, essay.group2, essay.sample_id, prompt)
        for essay in essays
    ]
    questions = [item for item in found if isinstance(item, Question)]
    answers = iter(zip(questions, await ask(questions), strict=True))
    return [read_answer(next(answers)[1]) if isinstance(item, Question) else item for item in found]
