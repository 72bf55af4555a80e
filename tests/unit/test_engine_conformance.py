"""What every engine does, whatever runs the model. A new engine is one more parameter here."""

import asyncio
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from raylib.config.engine import ScriptedOptions, VllmOptions
from raylib.engines.base import Completion, Engine, EngineDeadError, Message, Request, Sampling
from raylib.engines.choices import from_record
from raylib.engines.scripted import ScriptedEngine
from raylib.engines.spec import ModelSpec
from raylib.errors import ConfigError, ModelError

MAX_MODEL_LEN = 256
MODEL = Path(__file__).parents[2] / "configs" / "models" / "smollm2-135m-instruct.yaml"
SCHEMA = {
    "type": "object",
    "properties": {
        "score": {"type": "integer", "minimum": 1, "maximum": 5},
        "sure": {"type": "boolean"},
        "mood": {"type": "string", "enum": ["good", "bad"]},
    },
    "required": ["score", "sure", "mood"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module", params=["scripted", pytest.param("vllm", marks=pytest.mark.vllm)])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    if request.param == "scripted":
        yield ScriptedEngine(ScriptedOptions(max_model_len=MAX_MODEL_LEN))
        return
    from raylib.engines.vllm import VllmEngine
    from raylib.models.resolve import resolve

    model = yaml.safe_load(MODEL.read_text(encoding="utf-8"))
    try:
        path = resolve(model["source"], model["sha256"]).path
    except ModelError as error:
        if "cannot download" not in str(error):
            raise
        pytest.skip(str(error))
    before = dict(os.environ)
    vllm = VllmEngine(VllmOptions(max_model_len=MAX_MODEL_LEN), ModelSpec(path))
    yield vllm
    vllm.close()
    os.environ.clear()
    os.environ.update(before)


def ask(prompt: str, n: int = 1, seed: int | None = 7, max_tokens: int = 6, **changes: Any) -> Request:
    sampling = Sampling(temperature=changes.pop("temperature", 0.8), max_tokens=max_tokens)
    return Request(prompt[:20], (Message("user", prompt),), n, seed, sampling, **changes)


def answer(engine: Engine, *requests: Request) -> list[tuple[Completion, ...]]:
    async def together() -> list[tuple[Completion, ...]]:
        return await asyncio.gather(*(engine.complete(request) for request in requests))

    return asyncio.run(together())


def texts(completions: tuple[Completion, ...]) -> list[str]:
    return [completion.text for completion in completions]


def test_a_request_gets_exactly_n_completions(engine: Engine) -> None:
    (rows,) = answer(engine, ask("Tell a story.", n=5))
    assert len(rows) == 5
    assert all(row.status in ("ok", "truncated") and row.text for row in rows)


def test_sample_k_of_a_request_is_what_seed_plus_k_gives_alone(engine: Engine) -> None:
    (together,) = answer(engine, ask("Tell a story of a cook.", n=8, seed=40))
    alone = [answer(engine, ask("Tell a story of a cook.", seed=40 + k))[0][0].text for k in range(8)]
    assert texts(together) == alone
    assert len(set(alone)) > 1, "different seeds draw different texts"


def test_a_seeded_text_does_not_depend_on_what_runs_beside_it(engine: Engine) -> None:
    mine = ask("Tell a story of a nurse.", n=4, seed=90)
    others = [ask(f"Tell a story of person {k}.", n=2, seed=k) for k in range(6)]
    (alone,) = answer(engine, mine)
    beside, *_ = answer(engine, mine, *others)
    assert texts(beside) == texts(alone)


def test_more_completions_than_one_chunk_keep_the_order_of_their_seeds(engine: Engine) -> None:
    (rows,) = answer(engine, ask("Tell a story of a pilot.", n=70, seed=500, max_tokens=3))
    last = [
        answer(engine, ask("Tell a story of a pilot.", seed=500 + k, max_tokens=3))[0][0].text for k in (63, 64, 69)
    ]
    assert len(rows) == 70
    assert [rows[63].text, rows[64].text, rows[69].text] == last


def test_unseeded_requests_are_answered(engine: Engine) -> None:
    (rows,) = answer(engine, ask("Tell a story.", n=3, seed=None))
    assert [row.status == "error" for row in rows] == [False] * 3


def test_greedy_samples_are_all_the_same(engine: Engine) -> None:
    (rows,) = answer(engine, ask("Tell a story.", n=3, seed=1, temperature=0))
    assert len(rows) == 3
    assert len(set(texts(rows))) == 1


def test_max_tokens_is_honoured_and_shows_as_truncated(engine: Engine) -> None:
    (rows,) = answer(engine, ask("Tell a very long story.", n=2, max_tokens=5))
    assert [(row.completion_tokens, row.status, row.finish_reason) for row in rows] == [(5, "truncated", "length")] * 2


def test_thirty_two_requests_at_once_each_get_their_own_answer(engine: Engine) -> None:
    requests = [ask(f"Say the number {k}.", seed=k, max_tokens=4) for k in range(32)]
    rows = answer(engine, *requests)
    alone = answer(engine, requests[3])[0], answer(engine, requests[30])[0]
    assert len(rows) == 32
    assert (rows[3], rows[30]) == alone


def test_a_schema_is_obeyed_by_every_sample(engine: Engine) -> None:
    (rows,) = answer(engine, ask("Rate a story from 1 to 5.", n=4, max_tokens=60, json_schema=SCHEMA))
    for row in rows:
        value = json.loads(row.text)
        assert set(value) == {"score", "sure", "mood"}
        assert value["score"] in range(1, 6)
        assert isinstance(value["sure"], bool)
        assert value["mood"] in ("good", "bad")
        assert row.status == "ok"


def test_a_prompt_longer_than_the_context_is_n_error_rows_and_the_engine_goes_on(engine: Engine) -> None:
    long, short = answer(engine, ask("word " * (MAX_MODEL_LEN + 10), n=3), ask("Tell a story."))
    assert [(row.status, row.error_type, row.retryable) for row in long] == [("error", "prompt_too_long", False)] * 3
    assert str(MAX_MODEL_LEN) in (long[0].error or "")
    assert long[0].text == ""
    assert short[0].status != "error"


def test_an_empty_prompt_is_answered_or_refused_in_rows(engine: Engine) -> None:
    (rows,) = answer(engine, ask("", n=2))
    assert len(rows) == 2
    assert all(row.text or row.status == "error" for row in rows)


def test_any_unicode_goes_in_and_valid_unicode_comes_out(engine: Engine) -> None:
    (rows,) = answer(engine, ask("Erzähl von Zoë 🙂, 张伟 und \u202eالعربية {0} %s </s>\x00", n=2))
    assert all(row.status != "error" for row in rows)
    assert all(row.text.encode("utf-8").decode("utf-8") == row.text for row in rows)


def test_tokens_are_counted(engine: Engine) -> None:
    (rows,) = answer(engine, ask("Tell a story.", n=2))
    assert all(row.prompt_tokens > 0 and row.completion_tokens > 0 and row.reasoning_tokens == 0 for row in rows)


def test_log_probabilities_come_only_where_asked_for_one_a_token(engine: Engine) -> None:
    plain, asked = answer(engine, ask("Tell a story."), ask("Tell a story.", logprobs=0))
    assert plain[0].logprobs is None
    assert asked[0].logprobs is not None
    assert len(asked[0].logprobs) == asked[0].completion_tokens
    assert all(value <= 0 for position in asked[0].logprobs for value in position.values())


def test_given_answers_are_scored_alike_whatever_runs_beside_them_and_nothing_is_written(engine: Engine) -> None:
    asked = ask("What is the capital of France?", n=2, choices=("Paris", "Paris, the city of light, I think", "Rome"))
    (alone,) = answer(engine, asked)
    beside, *_ = answer(engine, asked, ask("Tell a story."), ask("Who?", choices=("You", "Me")))
    assert [(row.status, row.finish_reason, row.completion_tokens) for row in alone] == [("ok", "scored", 0)] * 2
    assert alone[0] == alone[1]
    first, longer, third = from_record(alone[0].text, 3)
    assert max(first.logprob, longer.logprob, third.logprob) < 0
    assert longer.tokens > first.tokens >= 2, "what ends the turn is counted"
    for one, again in zip((first, longer, third), from_record(beside[0].text, 3), strict=True):
        assert one.logprob == pytest.approx(again.logprob, abs=0.01)


def test_an_answer_that_does_not_fit_behind_its_prompt_is_n_error_rows(engine: Engine) -> None:
    (rows,) = answer(engine, ask("word " * (MAX_MODEL_LEN + 10), n=2, choices=("yes", "no")))
    assert [(row.status, row.error_type) for row in rows] == [("error", "prompt_too_long")] * 2


def test_an_unknown_adapter_is_a_configuration_error(engine: Engine) -> None:
    with pytest.raises(ConfigError, match="no adapter 'remedy'"):
        answer(engine, ask("Tell a story.", adapter="remedy"))


def test_the_engine_says_what_it_is(engine: Engine) -> None:
    assert engine.info.kind in ("scripted", "vllm")
    assert engine.capacity == 64


def test_a_closed_engine_answers_at_once_that_it_is_dead(engine: Engine) -> None:
    engine.close()  # the last test of this module: the engine is shared
    with pytest.raises(EngineDeadError, match="closed"):
        answer(engine, ask("Tell a story."))
