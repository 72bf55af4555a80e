"""What a job's data builder returns: what is learnt, what only measures it, and where both came from."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from raylib.ids import digest
from raylib.training.examples import Example


@dataclass(frozen=True)
class TrainingSet:
    """Examples in a fixed order: their order is part of the adapter's identity."""

    examples: tuple[Example, ...]
    held_out: tuple[Example, ...] = ()
    """Never learnt from; their loss is drawn beside that of the others."""
    facts: Mapping[str, object] = field(default_factory=dict)
    """JSON values for provenance: files by sha256, rows read, rows left out and why."""

    def sha256(self) -> str:
        """Return the hash of all that is learnt: messages and answers, in their order."""
        rows = [[[[turn.role, turn.content] for turn in example.messages], example.answer] for example in self.examples]
        return digest(rows)
