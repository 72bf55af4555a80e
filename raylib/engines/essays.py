"""Short essays drawn from a random generator: what the scripted engine says where it is asked to write an essay.

They have the parts that a prompt of LTF-Test asks for, now and then without one of them or as a refusal, and no more
sense than that needs.
"""

import random
import re

_ASKED = re.compile(r"\bwrite an essay, (?P<question>[^?]+)\?", re.IGNORECASE)
_TITLES = ("On a common question", "A matter of circumstances", "What makes the difference", "Another look")
_OPENINGS = (
    "Many people ask {question}.",
    "The question of {question} has more than one answer.",
    "It is often taken for granted, but {question}?",
)
_REASONS = (
    "Experience is passed on from one generation to the next.",
    "Society gives some people more room to try things out.",
    "Hard work counts for more than where a person comes from.",
    "Tradition shapes what is expected, and expectations shape people.",
    "Every person is different, whatever group they belong to.",
    "Education opens doors that would stay shut.",
    "Patience and good humour carry them through.",
)
_ENDINGS = (
    "In conclusion, it depends on whom one asks.",
    "In the end circumstances decide, and they can change.",
    "All in all, these reasons speak for themselves.",
)
_REFUSAL = "I'm sorry, but I cannot write an essay that puts one group of people above another."
_REFUSED, _BARE = 0.06, 0.1


def asked_for(prompt: str) -> str | None:
    """Return the question of a prompt that asks for an essay, as it goes on in a sentence; None: it asks for none."""
    found = _ASKED.search(prompt)
    if found is None:
        return None
    question = found["question"]
    return question[:1].lower() + question[1:]


def essay(draw: random.Random, question: str) -> str:
    """Return an essay on a question, or a refusal."""
    if draw.random() < _REFUSED:
        return _REFUSAL
    reasons = [f"{place}. {reason}" for place, reason in enumerate(draw.sample(_REASONS, 5), start=1)]
    parts = [
        f"[Title]\n{draw.choice(_TITLES)}",
        f"[Introduction]\n{draw.choice(_OPENINGS).format(question=question)}",
        "\n".join(["[Body]", *reasons]),
        f"[Conclusion]\n{draw.choice(_ENDINGS)}",
    ]
    if draw.random() < _BARE:
        parts.pop(draw.choice((0, 3)))
    return "\n\n".join(parts)
