"""Stories by the combination of codes that raters agree on, and exemplar stories of the largest combinations."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple

import pyarrow as pa

from raylib.errors import DataError, nearest
from raylib.ids import digest
from raylib.studies.narratives.stereotypes.codebook import NO, UNSURE, YES, Codebook

NO_CODE = "(no code)"
EVERYBODY = "all"

CLUSTERS = pa.schema(
    [
        pa.field("race", pa.string(), nullable=False),  # all: every sampled story, each once
        pa.field("gender", pa.string(), nullable=False),
        pa.field("codes", pa.string(), nullable=False),  # code + code, in the codebook's order; or NO_CODE
        pa.field("stories", pa.int64(), nullable=False),
        pa.field("of", pa.int64(), nullable=False),  # stories of the race and gender that raters agree on
        pa.field("undecided", pa.int64(), nullable=False),  # stories that are in no cluster
    ]
)
EXEMPLARS = pa.schema(
    [
        (name, pa.string())
        for name in ("race", "gender", "codes", "sample_id", "prompt_id", "domain", "condition", "role", "name", "text")
    ]
)


class Agreed(NamedTuple):
    """What raters agree on."""

    combination: Mapping[str, str]
    """Story -> its combination."""
    undecided: frozenset[str]
    """Stories with a code that has no majority and was not adjudicated, or that nobody rated."""


def agreed_codes(ratings: pa.Table, codebook: Codebook, adjudicator: str | None = None) -> Agreed:
    """Return each rated story's combination of agreed codes.

    A code is agreed where more than half of its ratings (missing ones left out) say yes, or more than half say no. What
    the adjudicator, one of the raters, says with yes or no stands instead of any majority.

    Raises:
        DataError: nobody of that name rated.
    """
    raters = sorted(set(ratings["rater"].to_pylist()))
    if adjudicator is not None and adjudicator not in raters:
        raise DataError(f"--adjudicator {adjudicator!r} is no rater of these sheets.{nearest(adjudicator, raters)}")
    said: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    last_word: dict[tuple[str, str], str] = {}
    for row in ratings.to_pylist():
        story, code, value = row["sample_id"], row["code"], row["value"]
        tally = said[story][code]
        if value is None:
            continue
        if row["rater"] == adjudicator and value != UNSURE:
            last_word[story, code] = value
        elif row["rater"] != adjudicator:
            tally[value] += 1
    combination, undecided = {}, set()
    for story, codes in said.items():
        agreed = {code: last_word.get((story, code)) or _majority(codes[code]) for code in codebook.names}
        if None in agreed.values():
            undecided.add(story)
        else:
            combination[story] = " + ".join(code for code, value in agreed.items() if value == YES) or NO_CODE
    return Agreed(combination, frozenset(undecided))


def cluster_table(sample: pa.Table, agreed: Agreed) -> pa.Table:
    """Return the sizes of the clusters (schema CLUSTERS): over all stories, then by race and gender of the sampled name.

    A story that was sampled for two characters counts under both, and once among all. Largest first.
    """
    rows = []
    for (race, gender), stories in _categories(sample).items():
        sizes = Counter(agreed.combination[story] for story in stories if story in agreed.combination)
        same = {
            "race": race, "gender": gender, "of": sizes.total(),
            "undecided": sum(story in agreed.undecided for story in stories),
        }  # fmt: skip
        rows += [{**same, "codes": codes, "stories": size} for codes, size in sorted(sizes.items(), key=_largest)]
    return pa.Table.from_pylist(rows, schema=CLUSTERS)


def exemplars(sample: pa.Table, agreed: Agreed, *, seed: int = 0, number: int = 1) -> pa.Table:
    """Return up to `number` stories of the largest cluster with a code of each race and gender (schema EXEMPLARS).

    Of clusters of one size the first in the alphabet is taken. A race and gender without a coded story has no exemplar.
    """
    by_story: dict[tuple[str, str, str], dict[str, Any]] = {}
    for row in sample.to_pylist():
        by_story.setdefault((row["race"], row["gender"], row["sample_id"]), row)
    rows = []
    for (race, gender), stories in _categories(sample).items():
        coded = {story: agreed.combination[story] for story in stories if story in agreed.combination}
        sizes = Counter(codes for codes in coded.values() if codes != NO_CODE)
        if race == EVERYBODY or not sizes:
            continue
        largest = min(sizes.items(), key=_largest)[0]
        members = sorted(
            (story for story, codes in coded.items() if codes == largest),
            key=lambda story: digest([seed, story]),
        )
        rows += [{**by_story[race, gender, story], "codes": largest} for story in members[:number]]
    return pa.Table.from_pylist(rows, schema=EXEMPLARS)


def _categories(sample: pa.Table) -> dict[tuple[str, str], list[str]]:
    """Return race and gender -> stories, each once; all of them first."""
    found: dict[tuple[str, str], dict[str, None]] = {(EVERYBODY, EVERYBODY): {}}
    for row in sample.select(["race", "gender", "sample_id"]).to_pylist():
        found[EVERYBODY, EVERYBODY][row["sample_id"]] = None
        found.setdefault((row["race"], row["gender"]), {})[row["sample_id"]] = None
    return {key: list(stories) for key, stories in found.items()}


def _majority(tally: Counter[str]) -> str | None:
    return next((value for value in (YES, NO) if 2 * tally[value] > tally.total()), None)


def _largest(item: tuple[str, int]) -> tuple[int, str]:
    return -item[1], item[0]
