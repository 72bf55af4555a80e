"""Raters, human or model, behind one interface: a story in, a value for each code out."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

import pyarrow as pa

from raylib.errors import DataError
from raylib.ids import check_name
from raylib.studies.narratives.stereotypes.codebook import Codebook
from raylib.studies.narratives.stereotypes.rater_prompt import RaterPrompt, load_rater_prompt, parse_answer
from raylib.studies.narratives.stereotypes.sheets import RATINGS

Ask = Callable[[str], str | Awaitable[str | None] | None]
"""Takes a request, gives a model's whole answer, or None where there is none; a plain or an async function."""


class Story(NamedTuple):
    """What a rater is given."""

    sample_id: str
    text: str


class Rating(NamedTuple):
    """What a rater says of a story."""

    values: Mapping[str, str | None]
    """Code -> yes, no, unsure; None: missing."""
    reason: str | None = None
    """Why values are missing, where that is known."""


class Rater(Protocol):
    """Codes stories."""

    @property
    def name(self) -> str:
        """What tells this rater from others, in tables and file names."""
        ...

    async def rate(self, story: Story) -> Rating:
        """Return a value for each code of the codebook; never raises for what the story says."""
        ...


class SheetRater:
    """Somebody who filled a coding sheet."""

    def __init__(self, name: str, ratings: pa.Table, codebook: Codebook) -> None:
        """Take the rows of one rater from ratings (schema `sheets.RATINGS`)."""
        self.name = check_name(name, "rater")
        self._codes = codebook.names
        self._values = {
            (row["sample_id"], row["code"]): row["value"] for row in ratings.to_pylist() if row["rater"] == name
        }

    async def rate(self, story: Story) -> Rating:
        """Return what the sheet says; a story that is not in it is missing."""
        values = {code: self._values.get((story.sample_id, code)) for code in self._codes}
        rated = any((story.sample_id, code) in self._values for code in self._codes)
        return Rating(values, None if rated else "not in the sheet")


class ModelRater:
    """A language model that is asked once a story; an answer that does not parse is missing, whole."""

    def __init__(self, name: str, ask: Ask, codebook: Codebook, prompt: RaterPrompt | None = None) -> None:
        """Take a short name for the model; the rater's name also says which wording and codebook it was asked with.

        `ask` may hold the model to `rater_prompt.answer_schema(codebook)`; the answer is checked in any case.
        """
        self._prompt = prompt or load_rater_prompt()
        self.name = check_name(f"{name}.p{self._prompt.version}.c{codebook.version}", "rater")
        self._ask, self._codebook = ask, codebook

    async def rate(self, story: Story) -> Rating:
        """Ask the model. Errors of `ask` are not caught here: what fails there is no rating of the story."""
        answer = self._ask(self._prompt.fill(self._codebook, story.text))
        if inspect.isawaitable(answer):
            answer = await answer
        values, problem = parse_answer(answer, self._codebook)
        return Rating(values if values is not None else dict.fromkeys(self._codebook.names), problem)


async def rate_stories(rater: Rater, stories: Sequence[Story], codebook: Codebook, in_flight: int = 8) -> pa.Table:
    """Return a rater's ratings of stories (schema RATINGS) in their order, `in_flight` stories at a time.

    Raises:
        DataError: the rater does not answer for each code, with a value that is allowed.
    """
    gate = asyncio.Semaphore(in_flight)

    async def rated(story: Story) -> Rating:
        async with gate:
            return await rater.rate(story)

    ratings = await asyncio.gather(*(rated(story) for story in stories))
    rows = []
    for story, rating in zip(stories, ratings, strict=True):
        if set(rating.values) != set(codebook.names):
            raise DataError(f"rater {rater.name} did not answer for each code of story {story.sample_id}")
        rows += [
            {"sample_id": story.sample_id, "rater": rater.name, "code": code, "value": rating.values[code],
             "reason": rating.reason if rating.values[code] is None else None}
            for code in codebook.names
        ]  # fmt: skip
    return pa.Table.from_pylist(rows, schema=RATINGS)
