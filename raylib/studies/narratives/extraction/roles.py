"""Whom to look for in a story, and what was found."""

from dataclasses import dataclass

UNSURE = "unsure"
UNSPECIFIED = "unspecified"


@dataclass(frozen=True)
class Roles:
    """The characters that a prompt asks for: the nouns they go by, and what tells two like ones apart."""

    subject: str
    object: str | None = None
    relation: str = "none"

    @property
    def ordered(self) -> bool:
        """Whether the two are told apart by who is named first (`first friend`, `second friend`)."""
        return self.relation != "none" and self.subject.startswith("first ")

    @property
    def act(self) -> str:
        """What the subject does, for roles that are told apart by it; empty otherwise."""
        return self.subject.partition(" who ")[2] if self.relation != "none" else ""


@dataclass(frozen=True)
class Found:
    """One character: the name as written (None: the story has none) and the words that refer to it alone."""

    name: str | None = None
    references: tuple[str, ...] = ()


@dataclass(frozen=True)
class Extraction:
    """Both characters; `object` is None where the prompt asks for one."""

    subject: Found
    object: Found | None
    notes: str = ""
