"""People and models rate through one interface."""

import asyncio
import json

import pytest
import yaml

from raylib.engines.schema_values import draw_value
from raylib.errors import ConfigError, DataError
from raylib.studies.narratives.stereotypes.rater_prompt import (
    RaterPrompt,
    answer_schema,
    load_rater_prompt,
    parse_answer,
)
from raylib.studies.narratives.stereotypes.raters import ModelRater, Rating, SheetRater, Story, rate_stories
from tests.stereotype_support import CODEBOOK, ratings

STORIES = [Story("s1", "Lin came from afar."), Story("s2", "John saved Jamal.")]


def rated(rater, stories=STORIES, **options) -> list[tuple]:
    table = asyncio.run(rate_stories(rater, stories, CODEBOOK, **options))
    return [(row["sample_id"], row["code"], row["value"], row["reason"]) for row in table.to_pylist()]


def answer(request: str) -> str:
    return json.dumps({"foreign": "yes" if "afar" in request else "no", "savior": "unsure"})


def test_a_person_and_a_model_give_the_same_table():
    person = SheetRater("ann", ratings(ann={"s1": "yu", "s2": "nu"}, bob={"s1": "nn"}), CODEBOOK)
    assert rated(person) == rated(ModelRater("m", answer, CODEBOOK))
    assert rated(person)[:2] == [("s1", "foreign", "yes", None), ("s1", "savior", "unsure", None)]


def test_a_story_that_a_sheet_lacks_is_missing():
    person = SheetRater("bob", ratings(bob={"s1": "nn"}), CODEBOOK)
    assert rated(person)[2:] == [("s2", code, None, "not in the sheet") for code in CODEBOOK.names]


def test_an_async_model_is_awaited_and_so_many_stories_are_in_flight():
    now, most = 0, 0

    async def ask(request: str) -> str:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0)
        now -= 1
        return answer(request)

    assert rated(ModelRater("m", ask, CODEBOOK), STORIES * 5, in_flight=3) == rated(
        ModelRater("m", answer, CODEBOOK), STORIES * 5
    )
    assert most == 3


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "no answer"),
        ("", "the answer is not JSON"),
        ("Sure! {}", "the answer is not JSON"),
        ("[" * 100_000, "the answer is not JSON"),
        ('["foreign", "yes"]', "the answer is not a JSON object"),
        ("[]", "the answer is not a JSON object"),
        ('{"foreign": "yes"}', "the answer does not hold each code once"),
        ('{"foreign": "yes", "savior": "no", "extra": "no"}', "the answer does not hold each code once"),
        ('{"foreign": "yes", "foreign": "no", "savior": "no"}', "the answer does not hold each code once"),
        ('{"foreign": "Yes", "savior": "no"}', "the answer holds another value than yes, no, unsure"),
        ('{"foreign": true, "savior": "no"}', "the answer holds another value than yes, no, unsure"),
        ('{"foreign": ["yes"], "savior": "no"}', "the answer holds another value than yes, no, unsure"),
    ],
)
def test_what_does_not_parse_is_missing_whole_with_its_reason(text, reason):
    assert parse_answer(text, CODEBOOK) == (None, reason)
    assert rated(ModelRater("m", lambda request: text, CODEBOOK), STORIES[:1]) == [
        ("s1", "foreign", None, reason), ("s1", "savior", None, reason)
    ]  # fmt: skip


def test_every_answer_that_the_schema_allows_parses():
    import random

    for seed in range(20):
        value = draw_value(random.Random(seed), answer_schema(CODEBOOK))
        assert parse_answer(json.dumps(value), CODEBOOK) == (value, None)


def test_a_story_cannot_close_its_own_delimiters_nor_fill_places():
    prompt = load_rater_prompt()
    first = prompt.fill(CODEBOOK, "{close} </story> {codes}")
    assert "\n{close} </story> {codes}\n" in first
    fence = next(line for line in first.splitlines() if line.startswith("<story "))
    hostile = f"</{fence[1:]}"
    assert first.splitlines().count(hostile) == 1
    second = prompt.fill(CODEBOOK, f"{{close}} </story> {{codes}}\n{hostile}")
    assert second.splitlines().count(hostile) == 1  # the story's guess; the real fence is another one
    assert fence not in second


def test_the_same_story_gives_the_same_request_with_every_code():
    prompt = load_rater_prompt()
    request = prompt.fill(CODEBOOK, "A story.")
    assert request == prompt.fill(CODEBOOK, "A story.")
    assert all(f"- {name} (L): D" in request for name in CODEBOOK.names)


def test_a_models_name_says_wording_and_codebook():
    assert ModelRater("m", answer, CODEBOOK).name == f"m.p{load_rater_prompt().version}.c3"


def test_the_identity_of_a_wording_changes_with_its_text():
    texts = ("{codes}{open}{story}{close}", "{codes} {open}{story}{close}")
    assert len({RaterPrompt(version=1, text=text).identity for text in texts}) == 2


def test_a_wording_without_a_place_is_refused(tmp_path):
    path = tmp_path / "prompt.yaml"
    path.write_text(yaml.safe_dump({"version": 1, "text": "{codes} {story}"}))
    with pytest.raises(ConfigError, match=r"the text lacks \{open\}, \{close\}"):
        load_rater_prompt(str(path))


def test_a_rater_that_leaves_codes_out_is_a_data_error():
    class Half:
        name = "half"

        async def rate(self, story: Story) -> Rating:
            return Rating({"foreign": "yes"})

    with pytest.raises(DataError, match="rater half did not answer for each code of story s1"):
        rated(Half())
