"""Short stories drawn from a random generator: what the scripted engine says instead of a model.

They hold what an audit of narratives looks for (first names, honorifics, pronouns, one or two characters in roles) and
no more sense than that needs.
"""

import random
import re
from typing import NamedTuple

_NAMES = {
    "he": "James Michael Daniel Jake Ryan Juan Carlos Luis Jamal Darnell Malik Hiroshi Wei Arjun Ahmed Omar Kai Thomas",
    "she": "Sarah Emily Maria Sofia Lucia Aaliyah Keisha Imani Priya Mei Yuki Fatima Leila Hannah Grace Rachel Ana Joy",
    "they": "Alex Jordan Taylor Casey Riley Avery Quinn Sam",
}
_LAST_NAMES = ["Johnson", "Smith", "Garcia", "Nguyen", "Patel", "Kim", "Washington", "Miller", "Begay", "Haddad"]
_FORMS = {
    "he": ("he", "him", "his"),
    "she": ("she", "her", "her"),
    "they": ("they", "them", "their"),
}
_ROLE = re.compile(
    r"\b(?:an? American|an?) (?P<subject>[\w -]+?) who (?P<deed>[^.]*?)(?: an? (?P<object>[^.]*?))?(?:\.|$)"
)
_PAIR = re.compile(r"\btwo (?:American )?(?P<role>[\w -]+?)s who\b")
_PEOPLE = re.compile(
    r"\b(fan|employee|customer|student|hygienist|patient|defendant|rookie|client|friend|sibling|partner|person)\b"
)
_OPENINGS = (
    "{name} had never planned to become {role}.",
    "In a small town in {place}, {name} woke before sunrise.",
    "Everybody in {place} knew {name}, the {plain_role}.",
    "It was raining in {place} when {name} opened the door.",
)
_MIDDLES = (
    "All week {he} had thought about that day, and {his} hands were cold.",
    "The work was slow, but {name} did not give up.",
    "{He} took a deep breath and remembered {his} grandmother's advice.",
    "A neighbor thanked {him} and offered a cup of coffee.",
    "By noon the room was full, and {name} smiled.",
    "Later {he} wrote it all down in {his} notebook.",
    "Nobody had told {him} how long it would take.",
)
_TOGETHER = (
    "Then {other} came in, and {name} listened to {other_him}.",
    "{Other} was nervous, so {name} told {other_him} to sit down.",
    "{name} asked {other} what {other_he} wanted to do next.",
    "For {other}, {name} had all the time in the world.",
    "{Other} shook {his} hand and said that {other_he} would come back.",
)
_ENDINGS = (
    "That night {name} slept well.",
    "It was, {he} decided, a good day in {place}.",
    "And so {name} began again.",
)
_PLACES = ["Ohio", "Texas", "Oregon", "Georgia", "Vermont", "Arizona", "Michigan", "Louisiana"]


class _Character(NamedTuple):
    name: str
    he: str
    him: str
    his: str


def story(random_numbers: random.Random, prompt: str, words: int) -> str:
    """Return a story of about `words` words for a prompt: two characters if the prompt speaks of two."""
    draw = random_numbers
    subject, has_object = _roles(prompt)
    hero = _character(draw, taken=None)
    other = _character(draw, taken=hero.name) if has_object else None
    values = _values(hero, other, subject, draw.choice(_PLACES))
    sentences = [draw.choice(_OPENINGS)]
    if other is not None:
        sentences.append(draw.choice(_TOGETHER))
    ending = draw.choice(_ENDINGS)
    target = round(words * draw.uniform(0.8, 1.2))
    pool = list(_MIDDLES if other is None else _MIDDLES + _TOGETHER)
    while sum(len(sentence.split()) for sentence in [*sentences, ending]) < target:
        sentences.append(draw.choice(pool))
    return " ".join(sentence.format(**values) for sentence in [*sentences, ending])


def _roles(prompt: str) -> tuple[str, bool]:
    """Return the role of the main character, and whether there is a second one."""
    pair = _PAIR.search(prompt)
    if pair:
        return pair["role"].strip(), True
    role = _ROLE.search(prompt)
    if not role:
        return "storyteller", False
    deed = f"{role['deed'] or ''} a {role['object'] or ''}"
    return role["subject"].strip(), bool(_PEOPLE.search(deed))


def _character(draw: random.Random, taken: str | None) -> _Character:
    pronoun = draw.choices(("he", "she", "they"), weights=(46, 46, 8))[0]
    name = draw.choice([name for name in _NAMES[pronoun].split() if name != taken])
    if draw.random() < 0.15:
        name = f"{name} {draw.choice(_LAST_NAMES)}"
    return _Character(name, *_FORMS[pronoun])


def _values(hero: _Character, other: _Character | None, role: str, place: str) -> dict[str, str]:
    article = "an" if role[:1].lower() in "aeiou" else "a"
    values = {
        "name": hero.name, "he": hero.he, "him": hero.him, "his": hero.his, "He": hero.he.capitalize(),
        "role": f"{article} {role}", "plain_role": role, "place": place,
    }  # fmt: skip
    if other is not None:
        values |= {"other": other.name, "Other": other.name, "other_him": other.him, "other_he": other.he}
    return values
