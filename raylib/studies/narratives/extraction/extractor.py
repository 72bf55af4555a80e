"""The rule extractor: the people of a story, who plays which role, and the words that refer to each. No model."""

from raylib.studies.narratives.extraction.capitals import recased
from raylib.studies.narratives.extraction.casting import cast_roles, has_narrator
from raylib.studies.narratives.extraction.clean import story_text
from raylib.studies.narratives.extraction.descriptions import add_gendered_nouns, add_role_mentions, relatives
from raylib.studies.narratives.extraction.lexicon import TITLES
from raylib.studies.narratives.extraction.people import Person, find_people
from raylib.studies.narratives.extraction.pronouns import resolve
from raylib.studies.narratives.extraction.roles import Extraction, Found, Roles
from raylib.studies.narratives.extraction.singular_they import resolve_they
from raylib.studies.narratives.extraction.tokens import Tokens, tokenise

VERSION = "3"
"""Raised whenever a rule or a word list changes what is extracted."""


class RuleExtractor:
    """Finds names and references by rules. Stateless: one instance serves any number of stories."""

    name = "rules"
    version = VERSION

    def extract(self, story: str, roles: Roles) -> Extraction:
        """Return who plays the roles; characters without a trace have no name and no references. Never raises."""
        tokens = tokenise(recased(story_text(story)))
        if not tokens.words:
            return Extraction(Found(), Found() if roles.object else None, "no text")
        people = find_people(tokens)
        pronouns = resolve(tokens, people) if roles.object else {}
        known = [person.female for person in people]
        cast = cast_roles(tokens, people, roles, pronouns)
        subject = cast.subject or Person()
        other = (cast.object or Person()) if roles.object else None
        mains = [person for person in (subject, other) if person is not None]
        third = [person for person in people if all(person is not main for main in mains)] + relatives(tokens, roles)
        add_role_mentions(tokens, subject, other, roles)
        everyone = [*mains, *third]
        add_gendered_nouns(tokens, subject, other, everyone, roles, pronouns)
        for person in everyone:
            person.mentions.sort(key=lambda mention: mention.start)
        if subject.name is None and has_narrator(tokens):
            everyone = everyone[1:]
        same_people = roles.object is not None and len(everyone) == len(people)
        if not same_people or [person.female for person in people] != known:
            pronouns = resolve(tokens, everyone)
        for position, person in pronouns.items():
            person.references.append(position)
        if not roles.ordered:
            for position, person in resolve_they(tokens, subject, other).items():
                person.references.append(position)
        return Extraction(_found(tokens, subject), _found(tokens, other) if other else None)


def _found(tokens: Tokens, person: Person) -> Found:
    words = [tokens.lower[position].partition("'")[0] for position in sorted(set(person.references))]
    if person.name is not None:
        prefix = person.name.split()[0].lower()
        if prefix in TITLES and " " in person.name:
            words.insert(0, prefix)
    return Found(person.name, tuple(dict.fromkeys(words)))
