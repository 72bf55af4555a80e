"""The named people of a story: runs of capitalised words that are somebody's name, grouped by whom they name."""

from dataclasses import dataclass, field

from raylib.studies.narratives.extraction.lexicon import (
    AMBIGUOUS,
    INSTITUTIONS,
    NOT_NAMES,
    PLACES,
    PLACES_OR_PEOPLE,
    TITLES,
    TITLES_OF_OTHERS,
    common_names,
    name_sex,
)
from raylib.studies.narratives.extraction.naming import CASUAL_TITLES
from raylib.studies.narratives.extraction.tokens import Tokens

_PLACE_PREPOSITIONS = frozenset({"in", "at", "from", "near", "of", "around", "through", "to", "across", "outside"})
_OPENS_PLACE = frozenset({"san", "santa", "los", "new", "fort", "mount", "saint", "north", "south", "east", "west"})
_LOCATIONS = frozenset({"in", "at", "near"})
_REGIONAL = frozenset(
    {"rural", "small-town", "downtown", "upstate", "suburban", "northern", "southern", "eastern", "western", "central"}
)
_SETTLEMENTS = frozenset({"town", "city", "village", "suburb", "state", "streets", "heart", "outskirts", "hills"})
_SEX_OF_TITLE = {"mr": "M", "mister": "M", "mrs": "F", "ms": "F", "miss": "F"}
_PARTICLES = frozenset(
    {"de", "la", "las", "los", "del", "da", "das", "dos", "di", "du", "van", "von", "der", "den", "bin", "ibn"}
)
_MAX_WORDS = 3
_COMMON_AT_START = 3_000  # people of a name that even the first word of a sentence is believed to be
_WOMENS, _WELL_KNOWN = 0.97, 100_000


@dataclass(frozen=True, slots=True)
class Mention:
    """Tokens [start, stop) name somebody."""

    start: int
    stop: int


@dataclass(slots=True)
class Person:
    """Somebody whom the story names, or (without a name) one that it only describes."""

    name: str | None = None
    title: str = ""
    parts: list[str] = field(default_factory=list)
    """The longest form of the name in lower case, without the title."""
    mentions: list[Mention] = field(default_factory=list)
    references: list[int] = field(default_factory=list)
    """Positions of pronouns and nouns that refer to this person alone."""
    female: float | None = None
    """How likely the person is referred to as she, from title, name or a noun; None: nothing known."""

    @property
    def first(self) -> int:
        """Position of the first mention; beyond every story for one who is never mentioned."""
        return self.mentions[0].start if self.mentions else 1 << 30


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    stop: int
    title: str
    certain: bool
    """Whether this mention alone shows that it is a name."""


def find_people(tokens: Tokens) -> list[Person]:
    """Return the named people in the order of their first mention."""
    spans = _spans(tokens)
    lower = tokens.lower
    certain = {lower[span.start] for span in spans if span.certain}
    people: list[Person] = []
    for span in spans:
        if span.certain or _is_believed(tokens, spans, span, lower[span.start] in certain):
            _add(people, span, tokens)
    return people


def _is_believed(tokens: Tokens, spans: list[_Span], span: _Span, elsewhere: bool) -> bool:
    """Whether a doubtful name is one: certain in another place, or said three times and never an ordinary word."""
    head = tokens.lower[span.start]
    if elsewhere and head not in tokens.words:
        return True
    return head not in AMBIGUOUS and sum(tokens.lower[other.start] == head for other in spans) > 2


def _spans(tokens: Tokens) -> list[_Span]:
    words, lower, total = tokens.words, tokens.lower, len(tokens)
    spans: list[_Span] = []
    stop = 0
    for index in [index for index, word in enumerate(words) if word[0].isupper()]:
        if index < stop:
            continue
        stop = index + 1
        while stop < total and words[stop][0].isupper() and not tokens.starts[stop]:
            stop += 1
        if not _is_institution(tokens, index, stop) and not (spans and _goes_on(tokens, spans[-1].stop, index)):
            spans.extend(_names_in_run(tokens, index, stop, lower))
    return spans


def _goes_on(tokens: Tokens, stop: int, start: int) -> bool:
    """Whether a name that ended goes on at `start`, behind particles alone: "Juan de la Cruz" is one person."""
    return stop < start <= stop + _MAX_WORDS and _PARTICLES.issuperset(tokens.words[stop:start])


def _is_institution(tokens: Tokens, start: int, stop: int) -> bool:
    lower = tokens.lower
    if stop - start > 1 and not INSTITUTIONS.isdisjoint(lower[start + 1 : stop]):
        return True
    following = lower[stop : stop + 2]
    return (
        following[:1] == ["'s"]
        and len(following) > 1
        and following[1] in INSTITUTIONS
        and (tokens.words[stop + 1][0].isupper())
    )


def _names_in_run(tokens: Tokens, start: int, stop: int, lower: list[str]) -> list[_Span]:
    """Split a run of capitalised words at words that are no names ("American", "When")."""
    found: list[_Span] = []
    index = start
    while index < stop:
        title = ""
        if lower[index] in TITLES or lower[index] in TITLES_OF_OTHERS:
            if index + 1 >= stop:
                break
            title, index = tokens.words[index], index + 1
        elif lower[index] in NOT_NAMES:
            index += 2 if lower[index] in _OPENS_PLACE else 1
            continue
        end = index + 1
        while end < stop and lower[end] not in NOT_NAMES and lower[end] not in TITLES and end - index < _MAX_WORDS:
            end += 1
        span = _judge(tokens, index, end, title)
        if span is not None:
            found.append(span)
        index = end
    return found


def _judge(tokens: Tokens, start: int, stop: int, title: str) -> _Span | None:
    lower, sexes = tokens.lower, name_sex()
    if title:
        return _Span(start, stop, title, True)
    if stop - start > 1 and tokens.starts[start] and (lower[start] not in sexes or lower[start] in AMBIGUOUS):
        start += 1  # "Seeing Sarah": the first word of a sentence is capitalised anyway
    while stop - start > 1 and len(tokens.words[stop - 1]) < 2:
        stop -= 1
    word = lower[start]
    if len(word) < 2 or _is_place(tokens, start, stop) or (word in AMBIGUOUS and _in_headline(tokens, start, stop)):
        return None
    if stop - start > 1 and word in sexes:
        return _Span(start, stop, "", True)
    return _Span(start, stop, "", _is_certain(tokens, start, stop))


def _in_headline(tokens: Tokens, start: int, stop: int) -> bool:
    """Whether the words are part of a title, all of it in capitals: "My One True Fan"."""
    after = stop < len(tokens) and tokens.words[stop][0].isupper() and tokens.lower[stop] in NOT_NAMES
    return after and start > 0 and tokens.words[start - 1][0].isupper() and tokens.lower[start - 1] in NOT_NAMES


def _is_place(tokens: Tokens, start: int, stop: int) -> bool:
    """Whether the words around it make a name a place: "in Lawrence", "the town of Willow Springs", "Austin, Texas"."""
    lower = tokens.lower
    before = lower[start - 1] if start else ""
    if before == "of" and start > 1 and lower[start - 2] in _SETTLEMENTS:
        return True
    doubtful = lower[start] in PLACES_OR_PEOPLE
    if doubtful and (before in _REGIONAL or _closes_address(tokens, start)):
        return True
    if before in _PLACE_PREPOSITIONS and (doubtful or lower[start] not in name_sex()):
        return True
    if doubtful and stop < len(lower) and lower[stop] in INSTITUTIONS:
        return True
    if lower[stop : stop + 1] == [","] and stop + 1 < len(lower) and lower[stop + 1] in PLACES:
        return tokens.words[stop + 1][0].isupper() and (before in _PLACE_PREPOSITIONS or doubtful)
    return False


def _closes_address(tokens: Tokens, start: int) -> bool:
    """Whether the word is the state after its town: "in Savannah, Georgia"."""
    lower = tokens.lower
    if start < 3 or lower[start - 1] != "," or not tokens.words[start - 2][0].isupper():
        return False
    return any(word in _PLACE_PREPOSITIONS for word in lower[max(start - 5, 0) : start - 2])


def _is_certain(tokens: Tokens, start: int, stop: int) -> bool:
    """Whether this one mention of a single word shows that it is a name."""
    word, before = tokens.lower[start], tokens.lower[start - 1] if start else ""
    if tokens.starts[start]:
        if word in AMBIGUOUS or word in PLACES_OR_PEOPLE or word not in common_names(_COMMON_AT_START):
            return word in name_sex() and _acts(tokens, stop)
        return True
    if before in _LOCATIONS and stop - start == 1 and word not in common_names(_COMMON_AT_START):
        return False
    following = tokens.lower[stop] if stop < len(tokens) else ""
    return word in name_sex() or following == "'s" or before in {"named", "called"}


def _acts(tokens: Tokens, stop: int) -> bool:
    """Whether what follows is what follows a name: a verb, 's, or a second name."""
    following = tokens.lower[stop : stop + 2]
    if not following:
        return False
    if following[0] in {"'s", "was", "had", "has", "is", "said", "felt", "knew", "couldn't", "didn't", "sat", "met"}:
        return True
    if following[0] in {"and", "&", ","} and len(following) > 1:
        return tokens.words[stop + 1][0].isupper() and following[1] in name_sex()
    return following[0].endswith("ed")


def _add(people: list[Person], span: _Span, tokens: Tokens) -> None:
    parts = tokens.lower[span.start : span.stop]
    title = span.title.rstrip(".").lower()
    start = span.start - 1 if span.title else span.start
    mention = Mention(start, span.stop)
    written = " ".join(tokens.words[start : span.stop])
    for person in people:
        if _same(person, parts, title):
            person.mentions.append(mention)
            if person.title in CASUAL_TITLES and not title:
                person.name, person.title = (
                    (written, "") if parts[0] in name_sex() else (person.name, person.title)
                )  # "Chef Jack ... Jack": the story's own name for him is Jack
            if len(parts) > len(person.parts) or (title and not person.title and len(parts) == len(person.parts)):
                person.name, person.parts = written, parts
                person.title = title or person.title
                if person.title and not title and title not in TITLES_OF_OTHERS:
                    person.name = written
            return
    female = _female(title, parts)
    people.append(Person(written, title, parts, [mention], [], female))


def _same(person: Person, parts: list[str], title: str) -> bool:
    if title and person.title and title != person.title and {title, person.title} <= set(_SEX_OF_TITLE):
        return False
    if len(parts) > 1 and len(person.parts) > 1:
        return parts[0] == person.parts[0]
    return bool(set(parts) & set(person.parts))


def _female(title: str, parts: list[str]) -> float | None:
    sex = _SEX_OF_TITLE.get(title)
    if sex:
        return 1.0 if sex == "F" else 0.0
    if title in {"aunt", "grandma", "grandmother", "mom"}:
        return 1.0
    if title in {"uncle", "grandpa", "grandfather", "dad"}:
        return 0.0
    if len(parts) == 1 and title in {"dr", "doctor", "coach", "professor", "prof", "principal", "judge", "captain"}:
        # Most single names after a title are last names, which say nothing; common women's names are hardly ever that.
        share = name_sex().get(parts[0], 0.0)
        return share if share > _WOMENS and parts[0] in common_names(_WELL_KNOWN) else None
    return name_sex().get(parts[0])
