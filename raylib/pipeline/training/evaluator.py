"""A judged run of LTF-Test, and people's labels of its essays, as what an evaluator learns."""

from argparse import Namespace
from collections import Counter
from collections.abc import Mapping
from typing import Any

from pydantic import Field

from raylib.config.base import Frozen
from raylib.config.training import TrainConfig
from raylib.errors import DataError
from raylib.pipeline.calibration.reading import labels_file
from raylib.pipeline.calibration.run import AnnotatedRun, open_annotated
from raylib.studies.ltf.calibration.essays import Matched, judged_essays, match
from raylib.studies.ltf.calibration.labels import join_labels
from raylib.studies.ltf.judge.columns import SECTION_COLUMNS, SECTIONS
from raylib.studies.ltf.judge.prompt import load_prompt
from raylib.studies.ltf.judge.verdict import Verdict, contradiction
from raylib.studies.ltf.training import LabelledEssay, evaluator_examples
from raylib.training.training_set import TrainingSet


class EvaluatorData(Frozen):
    """Which essays are learnt from, and whose labels."""

    config: str = Field(description="The config of a finished run of ltf, whose judge is the reference.")
    run: str | None = Field(None, description="The name of that run, where it is another than its config says.")
    labels: tuple[str, ...] = Field(
        (), description="Files of people's labels of its essays: what they agree on takes the place of the judge's."
    )
    held_out: float = Field(0.2, ge=0, lt=1, description="Share of templates that only measure; none is on both sides.")
    per_score: int | None = Field(
        None, ge=1, description="Essays of each score to learn from, at most; None: as many as the rarest score has."
    )
    prompt: str = Field("v1", description="The wording that the evaluator is asked in: a version, or a YAML file.")


class EvaluatorTrainConfig(TrainConfig):
    """The training of a judge of one's own for LTF-Test."""

    data: EvaluatorData


def evaluator_set(config: EvaluatorTrainConfig) -> TrainingSet:
    """Return the judged essays of a run as a training set.

    Raises:
        ConfigError: the run's config is wrong or of another study, or a file cannot be read.
        DataError: the run is not judged, or a label cannot be taught (names the essay).
    """
    data = config.data
    run = open_annotated(Namespace(config=data.config, overrides=[], run=data.run, limit=None))
    verdicts, left = _judged(run)
    people = _of_people(_matched(run, data.labels)) if data.labels else {}
    essays = _essays(run, verdicts | people)
    facts = {
        "run": run.context.config.run, "annotation": run.annotation.fingerprint, "left_out": dict(sorted(left.items())),
        "labelled_by_people": len(people),
    }  # fmt: skip
    return evaluator_examples(
        essays, load_prompt(data.prompt), data.held_out, data.per_score, config.training.seed, facts
    )


def _matched(run: AnnotatedRun, files: tuple[str, ...]) -> Matched:
    labels = join_labels([labels_file(path, "data.labels") for path in files])
    return match(judged_essays(run.annotations, run.context.prompts), labels)


def _judged(run: AnnotatedRun) -> tuple[dict[str, Verdict], Counter[str]]:
    """Return the judge's verdicts, and how many essays have none, by reason."""
    left: Counter[str] = Counter()
    found: dict[str, Verdict] = {}
    for row in run.annotations.select(
        ["sample_id", "status", *SECTION_COLUMNS, "refusal", "judge_status", "judge_reason"]
    ).to_pylist():
        title_introduction, reasons, conclusion = (row[name] for name in SECTION_COLUMNS)
        if row["status"] in ("error", "refused"):
            left[row["status"]] += 1
        elif None in (title_introduction, reasons, conclusion):
            left[row["judge_status"]] += 1
        else:
            found[row["sample_id"]] = Verdict(
                title_introduction, reasons, conclusion, refusal=bool(row["refusal"]), reason=row["judge_reason"]
            )
    return found, left


def _of_people(people: Matched) -> dict[str, Verdict]:
    """Return what annotators agree on, or decided; nobody's explanation is beside it."""
    by_section = [people.reference[name] for name in SECTIONS]
    refusals = people.reference["refusal"]
    found: dict[str, Verdict] = {}
    for place, name in enumerate(people.judged.sample_ids):
        values = [float(scores[place]) for scores in by_section]
        if any(value != value for value in values):  # NaN: not settled, or the file has no sections
            continue
        sections = (int(values[0]), int(values[1]), int(values[2]))
        refusal = bool(refusals[place] == 1)
        if wrong := contradiction(sections, refusal=refusal):
            raise DataError(
                f"essay {name}: what people agree on cannot be taught: {wrong}; adjudicate it or take it out"
            )
        found[name] = Verdict(*sections, refusal=refusal, reason="")
    if not found:
        raise DataError(
            "data.labels: no essay has the three sections settled, which an evaluator learns; give sheets with "
            f"{', '.join(SECTIONS)}"
        )
    return found


def _essays(run: AnnotatedRun, verdicts: Mapping[str, Verdict]) -> list[LabelledEssay]:
    texts = run.essays(verdicts)
    prompts: dict[str, Mapping[str, Any]] = {
        row["prompt_id"]: row
        for row in run.context.prompts.select(["prompt_id", "cluster", "question", "group1", "group2"]).to_pylist()
    }
    essays = []
    for row in run.annotations.select(["sample_id", "prompt_id"]).to_pylist():
        name, asked = row["sample_id"], prompts[row["prompt_id"]]
        if name in verdicts and texts[name]["text"] is not None:
            essays.append(
                LabelledEssay(
                    name, asked["cluster"], texts[name]["text"], asked["question"], asked["group1"], asked["group2"],
                    verdicts[name],
                )
            )  # fmt: skip
    return essays
