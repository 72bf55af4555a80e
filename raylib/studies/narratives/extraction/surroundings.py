"""What the words around a pronoun say of whom it can mean, whoever has come up so far."""

from typing import NamedTuple

from raylib.studies.narratives.data_files import word_lists
from raylib.studies.narratives.extraction.lexicon import CONTRACTIONS, PRONOUNS
from raylib.studies.narratives.extraction.people import Person
from raylib.studies.narratives.extraction.tokens import Tokens

CLAUSE_BREAKS = frozenset(
    {"and", "but", "as", "when", "while", "because", "that", "who", "if", "so", ",", ";", ":", '"'}
)
NOMINATIVE = frozenset({"he", "she"})
REFLEXIVES = frozenset({"himself", "herself"})
GENDER_OF = {word: gender for word, gender in PRONOUNS.items() if gender != "T"}
GENDER_OF |= {short: GENDER_OF[word] for short, word in CONTRACTIONS.items() if word in GENDER_OF}
"""He and she in all their forms -> F or M."""

_GRAMMAR = word_lists("grammar")
_NOT_AFTER_POSSESSIVE = frozenset(_GRAMMAR["not_after_possessive"])
_BESTOWED = frozenset(_GRAMMAR["bestowed"])
_OF_ANOTHER = _BESTOWED | frozenset(_GRAMMAR["of_another"])
_HELD = frozenset(_GRAMMAR["held"])
_HOLDING = tuple(_GRAMMAR["holding"])
_FRONTING = frozenset({"with", "despite", "without"})
_OBJECT_FORMS = frozenset({"him", "hers"})
_ENDS_OF_PHRASE = frozenset({"and", "to", "as", "that", "with", "when", "while", "in", "for", "toward", "at", "made"})
_REACH = 9


class Here(NamedTuple):
    """One pronoun's place. Persons stand by their `id`; 0: nobody."""

    is_object: bool
    """Him, her or his that the clause's subject does something to, so hardly the subject itself."""
    of_another: bool
    """His or her before what somebody else gives ("absorbed his guidance") or is ("became her mentor")."""
    owner: int
    """Whose it is in "saw Maria fishing in her purse" and in "With tears in her eyes, Maria ..."."""
    possessed: int
    """Who follows in one phrase with a possessive ("her older brother, James") and so cannot be its owner."""


class Surroundings:
    """The places of one story's pronouns, each looked at once."""

    def __init__(self, tokens: Tokens, people: list[Person]) -> None:
        self.tokens = tokens
        self.starts = {mention.start: (person, mention.stop) for person in people for mention in person.mentions}
        """First token of a mention -> whose it is, and where it stops."""
        self._stops = {mention.stop: id(person) for person in people for mention in person.mentions}
        self._seen: dict[int, Here] = {}

    def at(self, position: int) -> Here:
        """Return what is known of the pronoun at a position."""
        here = self._seen.get(position)
        if here is None:
            here = self._seen[position] = self._look(position)
        return here

    def _look(self, position: int) -> Here:
        word = self.tokens.lower[position]
        is_acted_on = is_object(self.tokens, position, word) or _is_held(self.tokens, position)
        possessed = 0 if is_acted_on else self._possessed(position)
        if word in NOMINATIVE:
            return Here(is_acted_on, False, 0, possessed)
        of_another = not is_acted_on and self._next(position) in _OF_ANOTHER
        return Here(is_acted_on, of_another, self._owner(position), possessed)

    def _next(self, position: int) -> str:
        lower = self.tokens.lower
        return lower[position + 1] if position + 1 < len(lower) else "."

    def _owner(self, position: int) -> int:
        lower = self.tokens.lower
        for start in range(position - 1, max(position - _REACH, 0), -1):
            if lower[start] in CLAUSE_BREAKS or not lower[start][0].isalpha():
                break
            if start in self._stops and lower[start].endswith("ing"):
                return self._stops[start]
        if self._next(position) in _BESTOWED or not self._is_fronted(position):
            return 0
        for stop in range(position + 2, min(position + _REACH, len(lower) - 1)):
            if lower[stop] == ",":
                return id(self.starts[stop + 1][0]) if stop + 1 in self.starts else 0
            if lower[stop] in CLAUSE_BREAKS:
                break
        return 0

    def _is_fronted(self, position: int) -> bool:
        """Whether the pronoun stands in a phrase in front of its sentence ("With tears in her eyes,")."""
        tokens = self.tokens
        for start in range(position - 1, max(position - _REACH, -1), -1):
            if start in self.starts or tokens.lower[start] == ",":
                return False
            if tokens.starts[start]:
                return tokens.lower[start] in _FRONTING
        return False

    def _possessed(self, position: int) -> int:
        for start in range(position + 2, position + 5):
            if start in self.starts and _is_phrase(self.tokens.lower[position + 1 : start]):
                return id(self.starts[start][0])
        return 0


def is_object(tokens: Tokens, position: int, word: str) -> bool:
    """Whether him or her is an object here (her is a possessive before a noun)."""
    if word in _OBJECT_FORMS:
        return True
    if word != "her":
        return False
    following = tokens.lower[position + 1] if position + 1 < len(tokens) else "."
    return not following[0].isalpha() or following in _NOT_AFTER_POSSESSIVE or following.endswith("ly")


def _is_phrase(between: list[str]) -> bool:
    return all((word[0].isalpha() or word == ",") and word not in _ENDS_OF_PHRASE for word in between)


def _is_held(tokens: Tokens, position: int) -> bool:
    """Whether it is a hand that somebody else takes: "she said, squeezing her hand"."""
    if position == 0 or position + 1 >= len(tokens):
        return False
    return tokens.lower[position + 1] in _HELD and tokens.lower[position - 1].startswith(_HOLDING)
