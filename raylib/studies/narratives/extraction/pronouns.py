"""To whom each pronoun refers: salience by recency and grammar, held against what is known of each person's gender."""

from dataclasses import dataclass

from raylib.studies.narratives.extraction.people import Person
from raylib.studies.narratives.extraction.surroundings import (
    CLAUSE_BREAKS,
    GENDER_OF,
    NOMINATIVE,
    REFLEXIVES,
    Surroundings,
    is_object,
)
from raylib.studies.narratives.extraction.tokens import Tokens

_POSSESSIVE_ENDS = frozenset({"'s", "'"})
_SURE, _UNLIKELY = 0.8, 0.1
_SHE, _HE = 0.98, 0.02
_COMPATIBLE, _UNKNOWN, _CLASH = 1.6, 0.4, -4.0
_THRESHOLD = -2.6
_UNSEEN = 1.0
_AT_HAND = 1.5
_TELLING, _POSSIBLE = 2, 0.02


@dataclass(slots=True)
class _State:
    """What the reader remembers of a person at a point of the story."""

    person: Person
    female: float | None
    last: int = -1
    sentence: int = -1
    as_subject: bool = False


def resolve(tokens: Tokens, people: list[Person]) -> dict[int, Person]:
    """Return position of a pronoun -> whom it refers to, for he and she in all their forms.

    Two readings: the first settles each person's gender by the majority of what was found, the second (left out where
    that changes nothing) holds all pronouns against it. A pronoun that nobody fits is left out.
    """
    lower = tokens.lower
    pronouns = [position for position in tokens.signals if lower[position] in GENDER_OF]
    if not pronouns:
        return {}
    around = Surroundings(tokens, people)
    known = _known(tokens, pronouns, people)
    found = _Reader(around, pronouns, people, known).read()
    settled = _settle(tokens, known, people, found)
    if all(_grade(before) == _grade(after) for before, after in zip(known, settled, strict=True)):
        return found
    return _Reader(around, pronouns, people, settled).read()


def _known(tokens: Tokens, pronouns: list[int], people: list[Person]) -> list[float | None]:
    """Return how likely each person is she, by name and noun, and by who else could be the he or she of the story.

    Where a story says she at least twice and nobody in it is likely to be, the one who may be most easily is.
    """
    known = [person.female for person in people]
    said = {"F": 0, "M": 0}
    for position in pronouns:
        if not tokens.quoted[position]:
            said[GENDER_OF[tokens.lower[position]]] += 1
    for gender, settled in (("F", _SHE), ("M", _HE)):
        if said[gender] < _TELLING:
            continue
        shares = [share if share is None or gender == "F" else 1 - share for share in known]
        doubtful = [(share, place) for place, share in enumerate(shares) if share is not None and share > _POSSIBLE]
        if len(doubtful) == 1 and all(share is not None and share < 0.5 for share in shares):
            known[doubtful[0][1]] = settled
    return known


def _settle(
    tokens: Tokens, known: list[float | None], people: list[Person], found: dict[int, Person]
) -> list[float | None]:
    votes = {id(person): [0.0, 0.0] for person in people}
    for position, person in found.items():
        word = tokens.lower[position]
        votes[id(person)][0 if GENDER_OF[word] == "F" else 1] += 1
    settled = []
    for person, share in zip(people, known, strict=True):
        she, he = votes[id(person)]
        if share is not None:
            she, he = she + 2 * share, he + 2 * (1 - share)
        settled.append(share if she == he else _SHE if she > he else _HE)
    return settled


class _Reader:
    """One reading of a story, from its first token to its last."""

    def __init__(
        self, around: Surroundings, pronouns: list[int], people: list[Person], female: list[float | None]
    ) -> None:
        self._around = around
        self._tokens = around.tokens
        self._pronouns = pronouns
        self._states = {id(person): _State(person, share) for person, share in zip(people, female, strict=True)}
        self._clause_sentence, self._clause_subject = -1, 0  # who is the grammatical subject at this point

    def read(self) -> dict[int, Person]:
        """Return position of a pronoun -> person."""
        tokens, starts = self._tokens, self._around.starts
        found: dict[int, Person] = {}
        skip = -1
        for position in sorted({*self._pronouns, *starts}):
            if position in starts:
                person, skip = starts[position]
                self._note(self._states[id(person)], position, skip)
            elif position >= skip and not tokens.quoted[position]:
                gender = GENDER_OF[tokens.lower[position]]
                state = self._choose(position, gender)
                if state is not None:
                    found[position] = state.person
                    self._note(state, position, position + 1)
                    if state.female is None:
                        state.female = 0.9 if gender == "F" else 0.1
        return found

    def _note(self, state: _State, start: int, stop: int) -> None:
        tokens = self._tokens
        word = tokens.lower[start]
        state.last, state.sentence = start, tokens.sentence[start]
        state.as_subject = False
        if stop < len(tokens) and tokens.lower[stop] in _POSSESSIVE_ENDS:
            state.as_subject = tokens.starts[start]  # "Ryan's confidence grew as he ...": the sentence is about Ryan
            return
        if word == "his" or (word == "her" and not is_object(tokens, start, word)):
            return
        opens = tokens.starts[start] or word in NOMINATIVE or tokens.lower[start - 1] in CLAUSE_BREAKS
        if opens or tokens.lower[stop : stop + 1] == ["who"]:
            state.as_subject = True
            self._clause_sentence, self._clause_subject = state.sentence, id(state.person)

    def _choose(self, position: int, gender: str) -> _State | None:
        """Return whom a pronoun fits best, or None where it fits nobody."""
        tokens = self._tokens
        word, sentence = tokens.lower[position], tokens.sentence[position]
        here = self._around.at(position)
        clause = self._clause_subject if self._clause_sentence == sentence else 0
        best, best_score = None, _THRESHOLD
        for key, state in self._states.items():
            salience = self._salience(state, position, sentence)
            if salience is None:
                continue
            score = salience + _fit(state.female, gender)
            if key == here.owner:
                score += _AT_HAND
            elif key == here.possessed:
                score -= 3
            if key == clause:
                score -= 2 if here.is_object or here.of_another else 0
                score += 2 if word in REFLEXIVES else 0
            if score > best_score:
                best, best_score = state, score
        return best

    def _salience(self, state: _State, position: int, sentence: int) -> float | None:
        """Return how much a person is on the reader's mind; None for one who has not come up."""
        if state.last >= 0:
            distance = 0.45 * min(sentence - state.sentence, 4) + 0.01 * min(position - state.last, 40)
            return 0.6 * state.as_subject - distance
        following = next((mention.start for mention in state.person.mentions if mention.start > position), None)
        if following is not None and self._tokens.sentence[following] == sentence:
            return -0.6 - 0.02 * (following - position)
        if following is None and state.person.name is None:
            return -_UNSEEN  # a character that the story never names or describes: "She strummed her guitar."
        return None


def _grade(female: float | None) -> tuple[bool, ...]:
    """Sort a share of women into what `_fit` tells apart."""
    if female is None:
        return ()
    return (female >= _SURE, female <= _UNLIKELY, 1 - female >= _SURE, 1 - female <= _UNLIKELY)


def _fit(female: float | None, gender: str) -> float:
    if female is None:
        return _UNKNOWN
    share = female if gender == "F" else 1 - female
    if share >= _SURE:
        return _COMPATIBLE
    if share <= _UNLIKELY:
        return _CLASH
    return _UNKNOWN + (share - 0.5)
