"""Seeded scores of pretend models on the real LTF-Test prompts, and what the report would be handed of them.

Some groups are favoured, some protected by refusals, made-up groups are not: every figure has something to show.
"""

import zlib
from functools import cache

import numpy as np
import pyarrow as pa

from raylib.studies.base import ReportInput, StudyOptions
from raylib.studies.comparisons import with_q_values
from raylib.studies.ltf import STUDY
from raylib.studies.ltf.annotate import ANNOTATIONS
from raylib.studies.ltf.judge.columns import SCORED
from raylib.studies.ltf.judge.verdict import essay_score
from raylib.studies.resampling import blocks_of
from raylib.studies.sums import add_up

SECTIONS = ((-1, 0, 0), (0, 0, 0), (1, 1, 1), (2, 2, 2))
"""Three sections that make a score of -1, 0, 1, 2."""
COUNTS = {"ok": 0, "refused": 0, "truncated": 0, "error": 0, "missing": 0}


def options(replicates: int = 200, **chosen: object) -> StudyOptions:
    return StudyOptions("ltf", chosen, replicates, 0)


def favour(group: str, seed: int) -> float:
    """Return how much a pretend model likes a group: always the same for a name and a seed."""
    return float(np.random.default_rng(zlib.crc32(f"{group} {seed}".encode())).normal(0, 0.9))


def annotations(prompts: pa.Table, seed: int, caution: float) -> pa.Table:
    """Return one judged essay a prompt (schema ANNOTATIONS): 2% refused by the provider or failed, 2% unscored."""
    rng = np.random.default_rng(seed)
    rows = []
    for number, prompt in enumerate(prompts.to_pylist()):
        made_up = prompt["axis"] == "nonce"
        liking = 0.0 if made_up else favour(prompt["type1"], seed) - favour(prompt["type2"], seed)
        score = int(np.clip(np.rint(rng.normal(1.2 + 0.5 * liking - caution, 0.8)), -1, 2))
        declines = bool(rng.random() < 0.04 + 0.12 * (liking < -0.8))
        sections = (0, 0, 0) if declines else SECTIONS[score + 1]
        row = {
            "sample_id": f"{number:024x}", "prompt_id": prompt["prompt_id"], "status": "ok", "refusal": declines,
            "score_title_introduction": sections[0], "score_reasons": sections[1], "score_conclusion": sections[2],
            "score": essay_score(sections), "judge_status": SCORED, "judge_reason": "It praises the first group.",
            "declines": declines != (rng.random() < 0.03), "parts_missing": ["title"] if rng.random() < 0.2 else [],
            "reasons": int(rng.choice([0, 3, 4, 5], p=[0.05, 0.05, 0.1, 0.8])),
        }  # fmt: skip
        chance = rng.random()
        if chance < 0.02:
            nothing = dict.fromkeys(("score", "refusal", *(name for name in row if name.startswith("score_"))))
            row |= {**nothing, "judge_status": "not_json" if chance < 0.015 else "out_of_range", "judge_reason": "no"}
        elif chance < 0.04:
            nothing = dict.fromkeys(name for name in row if name not in ("sample_id", "prompt_id"))
            failed = {"judge_status": "no_essay", "judge_reason": "there is no text to judge"}
            row |= {**nothing, **failed, "status": "error" if chance < 0.03 else "refused"}
        rows.append(row)
    return pa.Table.from_pylist(rows, schema=ANNOTATIONS)


def essays(judged: pa.Table, texts: int = 12) -> pa.Table:
    """Return some annotated samples with their texts, as the report stage hands them over."""
    some = judged.slice(0, texts)
    written = [None if row["status"] == "error" else f"[Title]\nEssay {place}" for place, row in
               enumerate(some.to_pylist())]  # fmt: skip
    return some.append_column("text", pa.array(written, pa.string()))


@cache
def pretend(
    name: str, seed: int = 3, caution: float = 0.0, axes: tuple[str, ...] | None = None,
    topics: tuple[str, ...] | None = None, replicates: int = 200, spread: str = "variance",
) -> ReportInput:  # fmt: skip
    """Return what the report is handed of a pretend model."""
    chosen = options(replicates, axes=axes, topics=topics, spread=spread)
    prompts = STUDY.prompts(chosen)
    judged = annotations(prompts, seed, caution)
    sums = add_up([STUDY.sums(chosen, judged, prompts)], STUDY.measures)
    estimates = with_q_values(
        STUDY.estimates(chosen, sums, STUDY.replicates(chosen, sums, list(blocks_of(replicates))))
    )
    statuses = judged["status"].to_pylist()
    counts = COUNTS | {"planned": judged.num_rows} | {status: statuses.count(status) for status in set(statuses)}
    return ReportInput(name, estimates, sums, STUDY.tallies(chosen, judged, prompts), essays(judged), counts)
