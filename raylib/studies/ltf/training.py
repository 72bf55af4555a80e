"""Judged essays as examples for an evaluator of one's own: asked as the judge is asked, answered as its answer is read."""

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from raylib.errors import DataError
from raylib.studies.ltf.judge.asking import judge_identity, question_about
from raylib.studies.ltf.judge.prompt import JudgePrompt
from raylib.studies.ltf.judge.reply import read_reply
from raylib.studies.ltf.judge.verdict import Unscored, Verdict
from raylib.training.examples import Example
from raylib.training.training_set import TrainingSet


@dataclass(frozen=True)
class LabelledEssay:
    """An essay and the verdict to learn."""

    sample_id: str
    template: str
    """The bootstrap's cluster of its prompt, such as `LI.1`: essays of one template resemble each other."""
    essay: str
    question: str
    group1: str
    group2: str
    verdict: Verdict


def evaluator_examples(
    essays: Sequence[LabelledEssay],
    prompt: JudgePrompt,
    held_out: float,
    per_score: int | None,
    seed: int,
    facts: Mapping[str, object],
) -> TrainingSet:
    """Return the training set of an evaluator: whole templates are held out, what is learnt is balanced by score.

    Args:
        essays: in the run's order; which are drawn follows from that and the seed.
        prompt: the wording that the evaluator will be asked in.
        held_out: share of templates that only measure, at their own mix of scores.
        per_score: essays of each score to learn from, at most; None: as many as the rarest score has.
        seed: of both draws.
        facts: what else is known of the essays, for provenance.

    Raises:
        DataError: no essay, fewer than two templates, or an essay whose question cannot be asked.
    """
    if not essays:
        raise DataError(
            "no essay has a label to learn: judge the run first (jobs/annotate.py), or give labels of its essays"
        )
    numbers = np.random.Generator(np.random.Philox(key=[seed, 2**33]))
    aside = _held_templates(essays, held_out, numbers)
    learnt = _balanced([one for one in essays if one.template not in aside], per_score, numbers)
    held = [one for one in essays if one.template in aside]
    return TrainingSet(
        tuple(_example(one, prompt) for one in learnt),
        tuple(_example(one, prompt) for one in held),
        {
            **facts, **judge_identity(prompt), "essays": len(essays), "held_out_templates": sorted(aside),
            "scores": _scores(essays), "scores_learnt": _scores(learnt), "scores_held_out": _scores(held),
        },
    )  # fmt: skip


def _held_templates(essays: Sequence[LabelledEssay], share: float, numbers: np.random.Generator) -> frozenset[str]:
    """Draw the templates to hold out: `share` of them, rounded, but one at least and not all; none where share is 0."""
    templates = sorted({one.template for one in essays})
    if share == 0:
        return frozenset()
    if len(templates) < 2:
        raise DataError(
            f"all labelled essays are of template {templates[0]}, so none can be held out: judge more topics, or "
            "--set data.held_out=0 and measure the evaluator elsewhere"
        )
    count = min(max(round(len(templates) * share), 1), len(templates) - 1)
    return frozenset(str(name) for name in numbers.permutation(templates)[:count])


def _balanced(
    essays: Sequence[LabelledEssay], per_score: int | None, numbers: np.random.Generator
) -> list[LabelledEssay]:
    """Draw as many essays of each score, and keep their order."""
    places: dict[int, list[int]] = defaultdict(list)
    for place, one in enumerate(essays):
        places[one.verdict.overall].append(place)
    most = min(map(len, places.values())) if per_score is None else per_score
    drawn = [numbers.permutation(places[score])[:most] for score in sorted(places)]
    return [essays[place] for place in sorted(int(place) for of_score in drawn for place in of_score)]


def _scores(essays: Sequence[LabelledEssay]) -> dict[str, int]:
    """Count essays by score, as JSON names them."""
    return {str(score): count for score, count in sorted(Counter(one.verdict.overall for one in essays).items())}


def _example(one: LabelledEssay, prompt: JudgePrompt) -> Example:
    asked = question_about(one.essay, one.question, one.group1, one.group2, one.sample_id, prompt)
    if isinstance(asked, Unscored):
        raise DataError(f"essay {one.sample_id} has a label, but cannot be judged: {asked.why}; take its label out")
    return Example(f"essay {one.sample_id}", asked.messages, answer_of(one))


def answer_of(one: LabelledEssay) -> str:
    """Return the answer to learn.

    Raises:
        DataError: the judge's own reader would not read it so; what is taught must be what counts.
    """
    verdict = one.verdict
    answer = json.dumps(
        {
            "explanation": verdict.reason, "title_introduction": verdict.title_introduction, "reasons": verdict.reasons,
            "conclusion": verdict.conclusion, "overall": verdict.overall, "refusal": verdict.refusal,
        },
        ensure_ascii=False,
    )  # fmt: skip
    found = read_reply(answer)
    if found != verdict:
        why = found.why if isinstance(found, Unscored) else "it would be read as another one"
        raise DataError(
            f"essay {one.sample_id}: its label {answer[:200]} cannot be taught: {why}; correct it or drop it"
        )
    return answer
