"""Nouns that take up a character: the role ("the young patient"), man and woman, and kin in Love ("his sister")."""

from collections.abc import Mapping

from raylib.studies.narratives.extraction.lexicon import FAMILY_NOUNS, KIN_NOUNS, PERSON_NOUNS, PRONOUNS, role_nouns
from raylib.studies.narratives.extraction.people import Mention, Person
from raylib.studies.narratives.extraction.roles import Roles
from raylib.studies.narratives.extraction.tokens import Tokens

_NEAR_NAME = 3
_APPOSITION = 8
_STOPS = frozenset('.!?;\n"')
_ARTICLES = frozenset({"the", "a", "an", "this", "that"})
_PHRASE_REACH = 4


def add_role_mentions(tokens: Tokens, subject: Person, other: Person | None, roles: Roles) -> None:
    """Let a role's own noun count as a mention of its character, where it has no name."""
    subject_nouns = role_nouns(roles.subject)
    object_nouns = role_nouns(roles.object) if roles.object else frozenset[str]()
    common = subject_nouns & object_nouns
    only_subject, only_object = subject_nouns - common, object_nouns - common
    shared = other if other is not None and subject.name is not None else None
    either = subject_nouns | object_nouns
    for position in [position for position, word in enumerate(tokens.lower) if word in either]:
        word = tokens.lower[position]
        if word in only_subject:
            person: Person | None = subject
        elif word in only_object:
            person = other
        else:
            person = shared
        if person is not None and person.name is None and not tokens.quoted[position]:
            _mention(tokens, person, position)


def add_gendered_nouns(
    tokens: Tokens,
    subject: Person,
    other: Person | None,
    people: list[Person],
    roles: Roles,
    owners: Mapping[int, Person],
) -> None:
    """Refer man and woman, boy and girl, brother and wife to a character: by its name beside them, or by who is left.

    `owners` says to whom the pronouns refer that were resolved so far: "his sister" is the other one of the two.
    """
    love = roles.relation != "none"
    if love and other is not None and subject.name is None and other.name is None:
        _nameless_couple(tokens, subject, other)
        return
    nouns = PERSON_NOUNS.keys() | KIN_NOUNS.keys() if love else PERSON_NOUNS.keys()
    for position in tokens.signals:
        if tokens.lower[position] not in nouns or tokens.quoted[position]:
            continue
        gender, kin = PERSON_NOUNS.get(tokens.lower[position]), KIN_NOUNS.get(tokens.lower[position])
        person = _named_beside(tokens, position, people)
        if person is None and gender is not None:
            person = _without_name(subject, other)
            if person is not None:
                _mention(tokens, person, position)
        elif person is None and kin is not None and other is not None:
            person = _kin(tokens, position, kin, subject, other, owners)
        if person is not None and not _contradicts(person, gender or kin or ""):
            person.references.append(position)
            person.female = 0.99 if (gender or kin) == "F" else 0.01


def relatives(tokens: Tokens, roles: Roles) -> list[Person]:
    """Return the parents, children and so on that the story speaks of, so that pronouns can mean them as well."""
    nouns = role_nouns(roles.subject) | (role_nouns(roles.object) if roles.object else frozenset[str]())
    return [
        Person(mentions=[Mention(position, position + 1)], female=0.99 if FAMILY_NOUNS[word] == "F" else 0.01)
        for position, word in ((position, tokens.lower[position]) for position in tokens.signals)
        if word in FAMILY_NOUNS and word not in nouns and not tokens.quoted[position]
    ]


def _contradicts(person: Person, gender: str) -> bool:
    """Whether a noun of the other gender was referred to the person before: the noun means somebody else."""
    return bool(person.references) and person.female == (0.01 if gender == "F" else 0.99)


def _mention(tokens: Tokens, person: Person, position: int) -> None:
    """Add the whole phrase, from its article on, so that "The young patient" opens a sentence."""
    start = position
    for back in range(position - 1, max(position - _PHRASE_REACH, 0) - 1, -1):
        if tokens.lower[back] in _ARTICLES:
            start = back
            break
        if not tokens.lower[back][0].isalpha():
            break
    person.mentions.append(Mention(start, position + 1))


def _named_beside(tokens: Tokens, position: int, people: list[Person]) -> Person | None:
    """The person in "a young boy named Tim", "her brother, James", "Anna, a young woman", "James, her brother"."""
    lower = tokens.lower
    for person in people:
        for mention in person.mentions:
            gap = mention.start - position
            if 0 < gap <= _NEAR_NAME:
                if all(word in {",", "named", "called"} for word in lower[position + 1 : mention.start]):
                    return person
            elif 0 < position - mention.stop <= _APPOSITION and _appositive(lower, mention.stop, position):
                return person
    return None


def _appositive(lower: list[str], stop: int, position: int) -> bool:
    """Whether "Anna, a young woman" or "Anna was a young woman" joins the name that ends at `stop` to the noun."""
    if lower[stop] not in {",", "was", "is"} or position - stop < 2:
        return False
    between = lower[stop + 1 : position]
    if between[0] not in _ARTICLES and between[0] not in PRONOUNS and between[0] != "another":
        return False
    if any(word in _STOPS or word in {"and", "to", "with", "'s", "of", "who"} for word in between):
        return False
    # One comma is that between two adjectives ("a portly, joyous lady"), if nothing else but adjectives is there.
    return "," not in between or (
        between.count(",") == 1 and len(between) - between.index(",") <= 2 and len(between) <= 4
    )


def _without_name(subject: Person, other: Person | None) -> Person | None:
    if other is not None and other.name is None:
        return other
    return subject if subject.name is None else None


def _kin(
    tokens: Tokens, position: int, kin: str, subject: Person, other: Person, owners: Mapping[int, Person]
) -> Person | None:
    """Whom "his sister" means: the other one than he, unless that one is plainly no sister."""
    for back in range(position - 1, max(position - _PHRASE_REACH, 0) - 1, -1):
        word = tokens.lower[back]
        if word in PRONOUNS or word == "'s":
            owner = owners.get(back) if word != "'s" else _named_at(subject, other, back)
            if owner is subject or owner is other:
                meant = other if owner is subject else subject
                return meant if _likeness(meant, kin) > 0.15 else None
            break
        if not word[0].isalpha():
            break
    first, second = _likeness(subject, kin), _likeness(other, kin)
    if abs(first - second) < 0.3:
        return None
    return subject if first > second else other


def _named_at(subject: Person, other: Person, stop: int) -> Person | None:
    return next((person for person in (subject, other) for mention in person.mentions if mention.stop == stop), None)


def _likeness(person: Person, gender: str) -> float:
    female = 0.5 if person.female is None else person.female
    return female if gender == "F" else 1 - female


def _nameless_couple(tokens: Tokens, subject: Person, other: Person) -> None:
    """Without names, the gender of nouns and pronouns tells the two apart: the first one to appear is the subject."""
    nouns: list[tuple[int, str]] = []
    genders: list[str] = []
    for position in tokens.signals:
        if tokens.quoted[position]:
            continue
        word = tokens.lower[position]
        gender = PERSON_NOUNS.get(word) or KIN_NOUNS.get(word)
        if gender:
            nouns.append((position, gender))
        pronoun = PRONOUNS.get(word)
        if gender or pronoun in ("F", "M"):
            genders.append(gender or str(pronoun))
    if not genders:
        return
    if len(set(genders)) == 1:
        # "The younger sister asked the older sister": two of one gender, where a noun says so twice.
        if len(nouns) > 1:
            for person, (position, gender) in zip((subject, other), nouns, strict=False):
                person.references.append(position)
                person.female = 0.99 if gender == "F" else 0.01
        return
    for person, gender in ((subject, genders[0]), (other, "F" if genders[0] == "M" else "M")):
        person.female = 0.99 if gender == "F" else 0.01
        for position, found in nouns:
            if found == gender:
                person.references.append(position)
                person.mentions.append(Mention(position, position + 1))
