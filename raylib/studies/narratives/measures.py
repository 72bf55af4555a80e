"""What the study counts, and in which cells: the vocabulary that `metrics.py` writes and `estimates.py` reads.

Cells are `<domain>/<condition>`, for power-laden prompts also `<domain>/power-laden/dominant` and `.../subordinate`,
and `Love/romantic partner` for couples in both conditions. `all/...` pools the domains.
"""

from raylib.stats.median_ratio import THRESHOLDS
from raylib.studies.narratives.baseline import PAIRS
from raylib.studies.narratives.extraction.gender import GENDERS
from raylib.studies.narratives.names import RACES
from raylib.studies.narratives.prompts import CONDITIONS, EVERY_DOMAIN

NEUTRAL, LADEN = CONDITIONS["neutral"], CONDITIONS["laden"]
DOMINANT, SUBORDINATE = "dominant", "subordinate"
POOLED = EVERY_DOMAIN
COUPLES_RELATION = "romantic partner"
COUPLES_CELL = f"Love/{COUPLES_RELATION}"

GENDER_LABELS = (*GENDERS, "unsure", "unspecified")
OTHER = "other"
CLASSES = (*GENDERS, OTHER)
"""Genders in intersections; `other` holds unsure and unspecified, so that the classes add up to all characters."""


def both(first: str, second: str) -> str:
    """Return the name of an intersection: `Latine F`, `Asian F-NB`."""
    return f"{first} {second}"


MEASURES = {
    "stories": ("stories",),
    "names": ("characters", "named", "covered"),
    "race": RACES,
    "gender": GENDER_LABELS,
    "covered": RACES,
    "covered by gender": tuple(both(race, gender) for gender in CLASSES for race in RACES),
    "race by gender": tuple(both(race, gender) for gender in CLASSES for race in RACES),
    "above": tuple(f"{both(race, gender)} {t}" for gender in CLASSES for race in RACES for t in THRESHOLDS),
    "pair": PAIRS,
    "covered by pair": tuple(both(race, pair) for pair in PAIRS for race in RACES),
    "race by pair": tuple(both(race, pair) for pair in PAIRS for race in RACES),
}
"""`named`: a first name was found; `names: covered`: the default name source lists it; `covered`: the source of the
race's column lists it (sources list different names, so each race has its own denominator); `race`: sums of likelihoods
over characters so covered; `above`: whole counts of those whose likelihood exceeds t percent; `pair`: couples of whom
both have a gender, `covered by pair` and `race by pair`: their characters."""
