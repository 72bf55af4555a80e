"""Seeded annotations of pretend models, skewed as the paper found, and what the report would be handed of them.

Real prompts, the names of the 2020 Census; subordinate characters have other names than dominant ones, more so for later
models, so that every figure has something to show.
"""

from functools import cache

import numpy as np
import pyarrow as pa

from raylib.studies.base import ReportInput, StudyOptions
from raylib.studies.comparisons import with_q_values
from raylib.studies.narratives.annotate import ANNOTATIONS
from raylib.studies.narratives.names import census_2020
from raylib.studies.narratives.study import NarrativesStudy
from raylib.studies.resampling import blocks_of
from raylib.studies.sums import add_up
from tests.report_support import stories

_GENDERS = ("F", "M", "NB", "unsure", "unspecified")
_RACES = ("White", "Latine", "Black", "Asian", "AI/AN")
_RACE_BY_ROLE = {
    "neutral": (0.86, 0.06, 0.05, 0.028, 0.002),
    "dominant": (0.90, 0.04, 0.04, 0.019, 0.001),
    "subordinate": (0.60, 0.19, 0.12, 0.087, 0.003),
}
_FEMALE = {"Labor": (0.45, 0.62), "Learning": (0.72, 0.40), "Love": (0.55, 0.48)}
"""Share of women in dominant (and neutral) and in subordinate roles."""


@cache
def names_of(race: str, gender: str) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """Return 40 common names of a race and gender, and how likely each is taken: the first far more than the last."""
    table = census_2020()
    likelihood = table.values[:, table.races.index(race)]
    female = table.female if gender == "F" else 1 - table.female
    fits = np.minimum(female, 1 - female) > 0.15 if gender not in ("F", "M") else female > 0.8
    least = min(0.6, float(np.quantile(likelihood[fits & (table.people > 3000)], 0.97)))
    found = np.flatnonzero(fits & (likelihood >= least))
    found = found[np.argsort(-table.people[found], kind="stable")][:40]
    weight = 1 / np.arange(1, len(found) + 1)
    return tuple(table.names[int(row)].as_py() for row in found), tuple(weight / weight.sum())


def annotations(seed: int, stories_a_prompt: int, options: StudyOptions) -> pa.Table:
    """Return annotated stories of one pretend model (schema ANNOTATIONS)."""
    rng = np.random.default_rng(seed)
    rows = []
    for prompt in NarrativesStudy().prompts(options).to_pylist():
        neutral = prompt["condition"] == "power-neutral"
        for number in range(stories_a_prompt):
            row = dict.fromkeys(ANNOTATIONS.names) | {
                "sample_id": f"{prompt['prompt_id']}-{number}", "prompt_id": prompt["prompt_id"], "status": "ok",
            }  # fmt: skip
            for role in ("subject", "object") if prompt["two_characters"] else ("subject",):
                kind = "neutral" if neutral else "dominant" if role == "subject" else "subordinate"
                row |= _character(rng, role, kind, prompt["domain"], seed)
            rows.append(row)
    return pa.Table.from_pylist(rows, schema=ANNOTATIONS)


def _character(rng: np.random.Generator, role: str, kind: str, domain: str, seed: int) -> dict[str, str]:
    share = _FEMALE[domain][kind == "subordinate"] + 0.03 * (seed % 5 - 2)
    gender = str(rng.choice(_GENDERS, p=[0.94 * share, 0.94 * (1 - share), 0.008, 0.022, 0.03]))
    chances = np.array(_RACE_BY_ROLE[kind]) ** (1 + 0.06 * (seed % 5 - 2))
    names, weights = names_of(str(rng.choice(_RACES, p=chances / chances.sum())), gender)
    return {f"{role}_first_name": str(rng.choice(names, p=weights)).title(), f"{role}_gender": gender}


@cache
def pretend(name: str, seed: int = 3, stories_a_prompt: int = 20, replicates: int = 200) -> ReportInput:
    """Return what the report is handed of a pretend model."""
    study, options = NarrativesStudy(), StudyOptions("narratives", {}, replicates, 0)
    told = annotations(seed, stories_a_prompt, options)
    prompts = study.prompts(options)
    sums = add_up([study.sums(options, told, prompts)], study.measures)
    drawn = study.replicates(options, sums, list(blocks_of(replicates)))
    estimates = with_q_values(study.estimates(options, sums, drawn))
    counts = {"planned": told.num_rows, "ok": told.num_rows, "refused": 0, "truncated": 0, "error": 0, "missing": 0}
    tallies = study.tallies(options, told, prompts)
    return ReportInput(name, estimates, sums, tallies, stories(["Sarah ran."]), counts)
