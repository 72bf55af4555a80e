"""LTF-Test between two runs: base against a fairness variant, a model against its debiased self."""

from collections.abc import Collection, Mapping, Sequence

import pyarrow as pa

from raylib.stats.arrays import Floats
from raylib.studies.comparing import Headline, SampleScores
from raylib.studies.differences import Correction, Corrections, Draws, Side
from raylib.studies.ltf.degrees import ALL_GROUPS, CORRECTED
from raylib.studies.ltf.estimates import comparisons
from raylib.studies.ltf.favouritism import dob_name
from raylib.studies.ltf.measures import POOLED, refusals, scored, sum_of_scores
from raylib.studies.ltf.metrics import labels_of
from raylib.studies.ltf.noise import noises
from raylib.studies.ltf.options import LtfOptions
from raylib.studies.ltf.scoring import Scoring
from raylib.studies.ltf.shares import ABSOLUTE, REFUSALS
from raylib.studies.resampling import Key, Target, blocks_of, by_key, replicate
from raylib.studies.rows import OK, Comparison, key_of

_COMPARED_FOR = {"variant"}
_SAID_BY_LABELS = {"judge", "judge_prompt"}
_SAID_BY_DATA = {"axes_file"}
_HEADLINES = (CORRECTED, ABSOLUTE, REFUSALS)


def agreed_options(options: LtfOptions) -> Mapping[str, object]:
    """Return the options that choose prompts and say how scores count."""
    return options.model_dump(mode="json", exclude=_COMPARED_FOR | _SAID_BY_LABELS | _SAID_BY_DATA)


def side(sums: pa.Table, scoring: Scoring, controls: Collection[str], draws: Draws) -> Side:
    """Return a run's comparisons, with the noise that `DoB corrected` is without.

    The plug-in DoB is a variance, so its own interval never holds 0: whether there is bias at all, `DoB corrected` says.
    """
    found = comparisons(sums, scoring, controls)
    noise = noises(found, _group_favouritism(found, draws), controls)
    taken_off: dict[Key, Correction | None] = {}
    judged_by: dict[Key, Key] = {}
    for row in (row for comparison in found for row in comparison.rows if row["statistic"] == CORRECTED):
        key = key_of(row)
        added = noise.get(key.cell)
        taken_off[key] = Correction(added.sample, sum(added)) if added is not None else None
        judged_by[key._replace(statistic=dob_name(scoring))] = key
    return Side(found, Corrections(taken_off, judged_by))


def headline(key: Key) -> Headline | None:
    """Return the place of a whole axis's bias, extreme essays and refusals; topics, groups and pairs have none."""
    if key.statistic not in _HEADLINES or key.group != ALL_GROUPS or "/" in key.cell:
        return None
    return Headline(key.statistic, "all axes" if key.cell == POOLED else key.cell)


def sample_scores(annotations: pa.Table, scoring: Scoring) -> SampleScores:
    """Return each essay's score; a refusal scores 0 or nothing, as the options have it."""
    labels = labels_of(annotations)
    known = scored(labels, scoring) > 0
    return SampleScores(
        pa.array(sum_of_scores(labels), pa.float64(), mask=~known), pa.array(refusals(labels) > 0, pa.bool_())
    )


def _group_favouritism(found: Sequence[Comparison], draws: Draws) -> dict[Key, Floats]:
    """Return the replicates of GroupFav, which is all that the noise of the degree of bias is made of."""
    targets = [
        _part(comparison.target, "GroupFav")
        for comparison in found
        if any(row["statistic"] == CORRECTED and row["status"] == OK for row in comparison.rows)
    ]
    return by_key(replicate(targets, seed=draws.seed, blocks=blocks_of(draws.replicates), replicates=draws.replicates))


def _part(target: Target, statistic: str) -> Target:
    places = [place for place, key in enumerate(target.keys) if key.statistic == statistic]
    return Target(
        tuple(target.keys[place] for place in places), target.sums, lambda drawn: target.value(drawn)[:, places]
    )
