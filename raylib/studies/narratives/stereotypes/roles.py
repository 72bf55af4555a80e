"""Which character a term is about: the one whom its own sentence names nearest to it, by name or by reference.

A reading by rules, and a cautious one: `unknown` where the sentence names nobody, or both equally near.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from raylib.studies.narratives.extraction.lexicon import TITLES, role_nouns
from raylib.studies.narratives.extraction.roles import Roles
from raylib.studies.narratives.stereotypes.search import Hit
from raylib.studies.narratives.stereotypes.words import Words, words_of

ROLES = ("subject", "object", "unknown")
SUBJECT, OBJECT, UNKNOWN = ROLES
_POSSESSIVES = frozenset({"his", "her", "their", "my", "our", "your", "its"})


@dataclass(frozen=True)
class Mentions:
    """The words (in lower case) that stand for one character and not for the other."""

    subject: frozenset[str]
    object: frozenset[str]


def mentions_of(annotation: Mapping[str, Any], roles: Roles) -> Mentions:
    """Return the words for each character of a story: its name, its references, the nouns of its role.

    Args:
        annotation: a row of `annotate.ANNOTATIONS`.
        roles: the characters that the prompt asks for.
    """
    subject = _words(annotation, "subject", roles.subject)
    other = _words(annotation, "object", roles.object) if roles.object is not None else frozenset[str]()
    return Mentions(subject - other, other - subject)


def role_of(words: Words, hit: Hit, mentions: Mentions) -> str:
    """Return whom a hit is about: subject, object or unknown.

    A possessive right before the term ("her gay client") says that it is about somebody else than its owner: then only
    what follows the term in its sentence is looked at.
    """
    sentence = words.sentence(hit.first)
    owned = hit.first in sentence[1:] and words.keys[hit.first - 1] in _POSSESSIVES
    places = [place for place in sentence if not hit.first <= place <= hit.last and (place > hit.last or not owned)]
    subject, other = (_nearest(words, hit, places, known) for known in (mentions.subject, mentions.object))
    if subject == other:
        return UNKNOWN
    return SUBJECT if subject < other else OBJECT


def _words(annotation: Mapping[str, Any], character: str, role: str | None) -> frozenset[str]:
    texts: Iterable[str] = (annotation[f"{character}_name"] or "", *(annotation[f"{character}_references"] or ()))
    found = {word for text in texts for word in words_of(text).keys} | (role_nouns(role) if role else set())
    return frozenset(found - TITLES)


def _nearest(words: Words, hit: Hit, places: Iterable[int], known: frozenset[str]) -> float:
    """Return how many words away from the hit the nearest known word stands; infinity where there is none."""
    distances = (hit.first - place if place < hit.first else place - hit.last for place in places
                 if words.keys[place] in known)  # fmt: skip
    return min(distances, default=float("inf"))
