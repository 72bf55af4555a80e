"""Which of the people of a story plays the subject and which the object of its prompt."""

from collections.abc import Mapping
from itertools import permutations
from typing import NamedTuple

from raylib.studies.narratives.extraction.acting import lean_by_acts
from raylib.studies.narratives.extraction.lexicon import (
    KIN_NOUNS,
    NARRATOR,
    PRONOUNS,
    TITLES_OF_OTHERS,
    role_nouns,
)
from raylib.studies.narratives.extraction.people import Person
from raylib.studies.narratives.extraction.roles import Roles
from raylib.studies.narratives.extraction.tokens import Tokens

_BREAKS = frozenset('.!?;\n"')
_NAMING = frozenset({",", "named", "called", '"'})
_OWNERS = (["his"], ["her"], ["their"])
_PREDICATES = frozenset({",", "was", "is", "(", "-", "–", "—", "had", "worked"})
_OTHERS_NOUN = frozenset({"his", "her", "their", "for", "with", "'s"})
_ENDS_OF_PHRASE = frozenset({"and", "with", "that", "for", "to", "his", "her", "'s"})
_TITLES_OF_ADULTS = frozenset({"mr", "mrs", "ms", "miss", "mx", "dr", "doctor"})
_APPOSITION = 9
_MAX_PEOPLE = 6
_POSSESSIVES = frozenset({"his", "her", "their", "my", "'s"})
_AFTER_SOMEBODY = frozenset({".", ",", "said", "says", "told", "was", "had", "took", "gave", "went"})
_PARENTS = frozenset({"mom", "mommy", "dad", "mother", "father"})


class Cast(NamedTuple):
    """Who plays the roles; None: the story gives that character no name."""

    subject: Person | None
    object: Person | None


def cast_roles(tokens: Tokens, people: list[Person], roles: Roles, pronouns: Mapping[int, Person]) -> Cast:
    """Choose the people for the roles from appositions, verbs, prominence and the order of mention.

    `pronouns` says to whom pronouns refer: what she does counts for whom she is.
    """
    nouns = role_nouns(roles.subject) | (role_nouns(roles.object) if roles.object else frozenset[str]())
    able = [
        person
        for person in people
        if (person.title not in TITLES_OF_OTHERS or person.title in nouns)
        and not _only_addressed(tokens, person, people)
    ]
    if "student" in roles.subject:
        able = [person for person in able if person.title not in _TITLES_OF_ADULTS] or able
    if roles.object is None:
        return Cast(_alone(tokens, able, roles), None)
    if not able:
        return Cast(None, None)
    if roles.ordered:
        return _in_order(tokens, able)
    return _Pairing(tokens, able, roles, pronouns).cast()


def _alone(tokens: Tokens, people: list[Person], roles: Roles) -> Person | None:
    nouns = role_nouns(roles.subject)
    best, best_score = None, -1.0
    for person in people:
        score = len(person.mentions) + 3 * linked(tokens, person, nouns) - 2 * person.first / len(tokens)
        if score > best_score:
            best, best_score = person, score
    return best


def _in_order(tokens: Tokens, people: list[Person]) -> Cast:
    """The two most prominent, in the order of their first mention."""
    ranked = sorted(people, key=lambda person: person.first / len(tokens) - min(len(person.mentions), 4))[:2]
    ranked.sort(key=lambda person: person.first)
    return Cast(ranked[0] if ranked else None, ranked[1] if len(ranked) > 1 else None)


class _Pairing:
    """The choice of two people for the two roles of a power-laden prompt."""

    def __init__(self, tokens: Tokens, people: list[Person], roles: Roles, pronouns: Mapping[int, Person]) -> None:
        self._tokens = tokens
        self._people = sorted(people, key=lambda person: -len(person.mentions))[:_MAX_PEOPLE]
        self._love = roles.relation != "none"
        subject, other = role_nouns(roles.subject), role_nouns(roles.object or "")
        self._subject_nouns, self._object_nouns = subject - other, other - subject
        self._relation_nouns = (subject & other) | frozenset(KIN_NOUNS) if self._love else frozenset[str]()
        act = roles.act or ("star student" if "star student" in roles.subject else "other")
        self._lean = {id(person): 0.0 for person in self._people}
        self._weight = {id(person): min(len(person.mentions), 4.0) for person in self._people}
        self._add_appositions()
        for key, value in lean_by_acts(tokens, self._people, pronouns, act).items():
            self._lean[key] += value

    def cast(self) -> Cast:
        """Return the best pair; with one person, the role that suits it better."""
        people, lean = self._people, self._lean
        if has_narrator(self._tokens):
            best = max(people, key=lambda person: self._weight[id(person)])
            return Cast(best, None) if lean[id(best)] > 2 else Cast(None, best)
        if len(people) == 1 and self._love and _has_american(self._tokens):
            return Cast(None, people[0])
        if len(people) == 1:
            return Cast(None, people[0]) if lean[id(people[0])] + self._unnamed_bias() < 0 else Cast(people[0], None)
        best_pair, best_score = Cast(None, None), -1e9
        for subject, other in permutations(people, 2):
            score = lean[id(subject)] - lean[id(other)] + self._weight[id(subject)] + self._weight[id(other)]
            score += 1.5 if subject.first < other.first else 0.0
            if score > best_score:
                best_pair, best_score = Cast(subject, other), score
        return best_pair

    def _unnamed_bias(self) -> float:
        """Positive where the story speaks of an object without a name, negative where of such a subject."""
        if self._love:
            return -1.0 if not _PARENTS.isdisjoint(self._tokens.lower) else 1.0
        subject = _described(self._tokens, self._subject_nouns)
        other = _described(self._tokens, self._object_nouns)
        return 0.5 + min(other, 2) - min(subject, 2)

    def _add_appositions(self) -> None:
        for person in self._people:
            as_subject = linked(self._tokens, person, self._subject_nouns)
            as_object = linked(self._tokens, person, self._object_nouns)
            key = id(person)
            self._lean[key] += 3 * (as_subject - as_object)
            self._weight[key] += 3 * (as_subject + as_object)
            if self._love and _possessed(self._tokens, person, self._relation_nouns):
                self._lean[key] -= 1


def _only_addressed(tokens: Tokens, person: Person, people: list[Person]) -> bool:
    """Whether a title and last name is only ever said to somebody ("Mr. Reese, your autograph!") whom the story calls else."""
    if person.title not in _TITLES_OF_ADULTS or len(people) == 1:
        return False
    return all(tokens.quoted[mention.start] for mention in person.mentions)


def has_narrator(tokens: Tokens) -> bool:
    """Whether somebody tells the story as I: a character without a name, he or she."""
    return sum(tokens.lower[position] in NARRATOR and not tokens.quoted[position] for position in tokens.signals) > 1


def _has_american(tokens: Tokens) -> bool:
    """Whether "the American" is somebody of the story who does or says something, more than once."""
    lower = tokens.lower
    return (
        sum(
            lower[position - 1] == "the"
            and (lower[position + 1] in _AFTER_SOMEBODY or lower[position + 1].endswith("ed"))
            for position in range(1, len(lower) - 1)
            if lower[position] == "american" and not tokens.quoted[position]
        )
        > 1
    )


def _described(tokens: Tokens, nouns: frozenset[str]) -> int:
    """Count mentions such as "the young patient" or "an American manager"."""
    lower = tokens.lower
    articles = {"the", "a", "an", "this"}
    return sum(
        word in nouns
        and not articles.isdisjoint(lower[max(position - 3, 0) : position])
        and not tokens.quoted[position]
        for position, word in enumerate(lower)
    )


def _possessed(tokens: Tokens, person: Person, nouns: frozenset[str]) -> bool:
    """Whether the story has "her friend Mike" or "his younger sister, Anna"."""
    lower = tokens.lower
    for mention in person.mentions:
        before = lower[max(mention.start - 5, 0) : mention.start]
        if before and before[-1] == ",":
            before = before[:-1]
        if before and before[-1] in nouns and not _POSSESSIVES.isdisjoint(before):
            return True
        if lower[mention.stop : mention.stop + 1] == [","]:
            after = lower[mention.stop + 1 : mention.stop + 5]
            if after and after[0] in PRONOUNS and not nouns.isdisjoint(after):
                return True
    return False


def linked(tokens: Tokens, person: Person, nouns: frozenset[str]) -> float:
    """Return whether the story calls the person by one of the nouns (title, apposition, predicate): 1 or 0."""
    if person.title and person.title in nouns:
        return 1.0
    return float(any(_linked_here(tokens.lower, mention.start, mention.stop, nouns) for mention in person.mentions))


def _linked_here(lower: list[str], start: int, stop: int, nouns: frozenset[str]) -> bool:
    return _noun_before(lower, start, nouns) or _noun_after(lower, stop, nouns)


def _noun_before(lower: list[str], start: int, nouns: frozenset[str]) -> bool:
    """Find the noun in "the actor Jake", "a student named Tim", "the cashier, a young woman named Sarah"."""
    before = lower[max(start - _APPOSITION, 0) : start]
    if not before:
        return False
    if before[-1] in nouns:
        return True
    if before[-1] not in _NAMING:
        return False
    reach = len(before) if before[-1] in {"named", "called"} else 3
    for word in reversed(before[-reach:-1]):
        if word in nouns:
            return True
        if word in _BREAKS or word in _ENDS_OF_PHRASE:
            return False
    return False


def _noun_after(lower: list[str], stop: int, nouns: frozenset[str]) -> bool:
    """Find the noun in "Sarah, a new nurse" and "Tim was the star"."""
    if stop >= len(lower) or lower[stop] not in _PREDICATES:
        return False
    if (
        lower[stop] == ","
        and lower[stop + 1 : stop + 2] in _OWNERS
        and not nouns.isdisjoint(lower[stop + 2 : stop + 3])
    ):
        return True  # "said Sandra, his boss"
    for index in range(stop + 1, min(stop + 1 + _APPOSITION, len(lower))):
        if lower[index] in _BREAKS or (lower[index] == "," and index > stop + 1):
            return False
        if lower[index] in nouns and lower[index - 1] not in _OTHERS_NOUN:
            return True
    return False
