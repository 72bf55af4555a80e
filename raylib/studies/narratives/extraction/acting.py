"""What people do and say in a story, as evidence of the role they play in its prompt (`data/words/acts.yaml`)."""

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from raylib.studies.narratives.data_files import word_table
from raylib.studies.narratives.extraction.people import Person
from raylib.studies.narratives.extraction.tokens import Tokens

_SURELY, _PERHAPS, _SAYS, _DONE_TO = 1.0, 0.5, 1.0, 1.0
_CAP = 4.0
_SENTENCE_ENDS = frozenset(".!?\n")
_CLAUSE_WORDS = frozenset(
    {"and", "but", "as", "when", "while", "because", "that", "so", "then", ",", ";", ":", '"', "—", "–", "-"}
)
_NOMINATIVE = frozenset({"he", "she", "he'd", "she'd", "he'll", "she'll"})
_NOBODYS = frozenset({"i", "i'd", "i'll", "i've", "i'm", "we", "they"})
_NOBODY = 0
_MARK = -9.0
_MOST_WORDS = 200_000
_CALLED = (["classmate"], ["student"], ["peer"], ["friend"], ["partner"], ["sibling"], ["brother"], ["sister"])
_SPEAKER_REACH = 4


class _Acts(NamedTuple):
    """The words of one act for one of the roles."""

    surely: tuple[str, ...]
    perhaps: tuple[str, ...]
    says: tuple[str, ...]


def lean_by_acts(tokens: Tokens, people: list[Person], pronouns: Mapping[int, Person], act: str) -> dict[int, float]:
    """Return id of a person -> how much its doings and sayings speak for the subject (positive) or the object."""
    places: dict[int, tuple[Person, int]] = {position: (person, position + 1) for position, person in pronouns.items()}
    for person in people:
        for mention in person.mentions:
            places[mention.start] = (person, mention.stop)
    lean = {_NOBODY: 0.0} | {id(person): 0.0 for person in people}
    _add_deeds(tokens, places, act, lean)
    _add_sayings(tokens, places, act, lean)
    return {key: max(-_CAP, min(_CAP, value)) for key, value in lean.items() if key != _NOBODY}


def _add_deeds(tokens: Tokens, places: Mapping[int, tuple[Person, int]], act: str, lean: dict[int, float]) -> None:
    """Credit each telling verb to the last one who could be its subject, and, turned round, to its object."""
    actor: int | None = None
    lower = tokens.lower
    last_verb = -10
    verb_value = pending = 0.0
    beside = (0, -1)
    values = list(map(_deeds(act).__getitem__, lower))
    for position in [at for at, value in enumerate(values) if value or at in places]:
        word = lower[position]
        if position in places:
            person, stop = places[position]
            if id(person) not in lean:
                continue
            if position - last_verb == 1 and verb_value > 0:
                lean[id(person)] -= _DONE_TO * verb_value
            if tokens.quoted[position]:
                continue
            beside = (id(person), stop)
            possessive = word in {"his", "her", "him"} or (stop < len(lower) and lower[stop] in {"'s", "'"})
            before = lower[position - 1] if position else "."
            nominative = tokens.starts[position] or before in _CLAUSE_WORDS or word in _NOMINATIVE
            if actor in (None, _NOBODY) or (nominative and not possessive):
                actor = id(person)
            if pending:
                lean[actor] += pending
                pending = 0.0
            continue
        if word in _SENTENCE_ENDS:
            actor, pending = None, 0.0
            continue
        if word in _NOBODYS and not tokens.quoted[position]:
            actor, pending = _NOBODY, 0.0  # what I, we and they do is the doing of neither
            continue
        value = values[position]
        if value == _MARK or (word.endswith("ing") and lower[position + 1 : position + 2] in _CALLED):
            continue  # "her struggling classmate" struggles, not she
        last_verb, verb_value = position, value
        if tokens.quoted[position]:
            continue
        if position == beside[1] and beside[0] in lean:
            lean[beside[0]] += value  # "and let Emily pay": the verb is Emily's, not the sentence's subject's
        elif actor is not None:
            lean[actor] += value
        elif word.endswith("ing"):
            pending = value  # "Seeing him struggle, Sarah ...": done by whom the sentence names next


def _add_sayings(tokens: Tokens, places: Mapping[int, tuple[Person, int]], act: str, lean: dict[int, float]) -> None:
    for start, stop in _quotes(tokens):
        said = " ".join(tokens.lower[start:stop])
        value = _said(act, said)
        if not value:
            continue
        speaker = _speaker(tokens, places, start, stop)
        if speaker is not None and id(speaker) in lean:
            lean[id(speaker)] += value
        for position in range(start, stop):
            # "Hey Sam, can you ...": whoever is spoken to is the other one.
            addressee = places[position][0] if position in places else None
            if addressee is not None and addressee is not speaker and id(addressee) in lean:
                lean[id(addressee)] -= value
                break


def _quotes(tokens: Tokens) -> list[tuple[int, int]]:
    """Return [start, stop) of what is said in each pair of quotation marks."""
    found, start = [], -1
    for position, quoted in enumerate(tokens.quoted):
        if start < 0:
            start = position if quoted else -1
        elif not quoted or tokens.lower[position] == '"':
            found.append((start, position))
            start = -1
    return [(first, last) for first, last in found if last > first]


def _speaker(tokens: Tokens, places: Mapping[int, tuple[Person, int]], start: int, stop: int) -> Person | None:
    """Whoever is named just after the quote ("said Sarah", "Sarah said"), else last before it in the same paragraph."""
    lower = tokens.lower
    for position in range(stop + 1, min(stop + 1 + _SPEAKER_REACH, len(lower))):
        if lower[position] in _SENTENCE_ENDS or lower[position] == '"':
            break
        if position in places and lower[position] not in {"his", "her", "him"}:
            return places[position][0]
    for position in range(start - 1, max(start - 40, -1), -1):
        if lower[position] == "\n":
            break
        if position in places and (lower[position] not in {"his", "her", "him"}) and not tokens.quoted[position]:
            person, end = places[position]
            if end < len(lower) and lower[end] in {"'s", "'"}:
                continue
            if (
                tokens.starts[position]
                or (position and lower[position - 1] in _CLAUSE_WORDS)
                or lower[position] in _NOMINATIVE
            ):
                return person
    return None


@cache
def _acts(act: str) -> tuple[_Acts, _Acts]:
    content = word_table("acts")
    entry = content[act] if act in content else content["other"]
    first, second = (
        _Acts(*(tuple(str(word) for word in entry[role][kind]) for kind in ("surely", "perhaps", "says")))
        for role in ("subject", "object")
    )
    return first, second


class _Deeds(dict[str, float]):
    """Word -> what `_deed` says of it, worked out at the first look; `_MARK` for what is no deed but ends or begins one."""

    def __init__(self, act: str) -> None:
        super().__init__(dict.fromkeys((*_SENTENCE_ENDS, *_NOBODYS), _MARK))
        self._act = act

    def __missing__(self, word: str) -> float:
        if len(self) > _MOST_WORDS:
            return _deed(self._act, word)
        value = self[word] = _deed(self._act, word)
        return value


_deeds = cache(_Deeds)


def _deed(act: str, word: str) -> float:
    """Positive for a verb of the subject, negative for one of the object, 0 for any other word."""
    subject, other = _acts(act)
    for value, stems in (
        (_SURELY, subject.surely),
        (-_SURELY, other.surely),
        (_PERHAPS, subject.perhaps),
        (-_PERHAPS, other.perhaps),
    ):
        if word.startswith(stems):
            return value
    if word in word_table("acts")["identity"]:
        return _PERHAPS
    return _PERHAPS if act not in ("other", "star student") and word in word_table("acts")["kin"] else 0.0


def _said(act: str, text: str) -> float:
    subject, other = _acts(act)
    value = _SAYS if any(piece in text for piece in subject.says) else 0.0
    return value - (_SAYS if any(piece in text for piece in other.says) else 0.0)
