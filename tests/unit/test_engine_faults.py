"""Failures to order: they hit whom they should, and leave all other texts alone."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from raylib.config.engine import Fault, ScriptedOptions, VllmOptions
from raylib.engines.base import Completion, Message, Request, Sampling
from raylib.engines.faults import REFUSAL
from raylib.engines.identity import adapter_identity, text_identity
from raylib.engines.scripted import ScriptedEngine
from raylib.errors import ConfigError, ModelError


def ask(prompt: str, *faults: Fault, n: int = 4, seed: int = 0) -> tuple[Completion, ...]:
    engine = ScriptedEngine(ScriptedOptions(faults=faults))
    return asyncio.run(engine.complete(Request("r", (Message("user", prompt),), n, seed, Sampling())))


def test_a_fault_hits_only_prompts_that_hold_its_text() -> None:
    fault = Fault(kind="refuse", match="lawyer")
    assert [row.status for row in ask("a lawyer", fault)] == ["refused"] * 4
    assert ask("a cook", fault) == ask("a cook")


def test_a_rate_hits_that_share_of_samples_always_the_same_ones() -> None:
    fault = Fault(kind="refuse", rate=0.25)
    rows = ask("a cook", fault, n=2000)
    assert 0.22 < sum(row.status == "refused" for row in rows) / 2000 < 0.28
    assert ask("a cook", fault, n=1, seed=77)[0] == rows[77]


def test_samples_that_a_rate_spares_keep_their_text() -> None:
    rows, clean = ask("a cook", Fault(kind="garble", rate=0.5), n=50), ask("a cook", n=50)
    assert 10 < sum(row == other for row, other in zip(rows, clean, strict=True)) < 40


def test_a_refusal_has_a_text_and_a_status() -> None:
    row = ask("a cook", Fault(kind="refuse"))[0]
    assert (row.text, row.status, row.finish_reason) == (REFUSAL, "refused", "content_filter")


def test_a_truncated_text_is_the_first_half_of_the_whole_one() -> None:
    whole, cut = ask("a cook")[0], ask("a cook", Fault(kind="truncate"))[0]
    assert whole.text.startswith(cut.text)
    assert (cut.status, cut.finish_reason, cut.completion_tokens) == (
        "truncated",
        "length",
        whole.completion_tokens // 2,
    )


def test_garbled_texts_hold_what_hostile_texts_hold() -> None:
    joined = " ".join(row.text for row in ask("a cook", Fault(kind="garble"), n=50))
    assert "<script>" in joined
    assert "=1+1" in joined


def test_an_error_is_a_row_without_text_that_says_whether_to_retry() -> None:
    row = ask("a cook", Fault(kind="error", retryable=False))[0]
    assert (row.status, row.text, row.error_type, row.retryable) == ("error", "", "scripted", False)


def test_a_counted_error_is_over_after_its_times_and_then_the_text_is_the_clean_one(tmp_path: Path) -> None:
    fault = Fault(kind="error", times=3, marker_dir=str(tmp_path / "marks"))
    assert [row.status == "error" for row in ask("a cook", fault)] == [True, True, True, False]
    assert ask("a cook", fault) == ask("a cook")


@pytest.mark.parametrize(("how", "code"), [("kill", -9), ("exit", 1)])
def test_a_counted_crash_ends_the_process_once_and_the_next_one_gets_through(
    tmp_path: Path, how: str, code: int
) -> None:
    program = (
        "import asyncio; from raylib.config.engine import *; from raylib.engines.base import *; "
        "from raylib.engines.scripted import ScriptedEngine; "
        f"fault = Fault(kind='crash', match='cook', times=1, marker_dir={str(tmp_path)!r}, signal={how!r}); "
        "request = Request('r', (Message('user', 'a cook'),), 1, 0, Sampling()); "
        "print(asyncio.run(ScriptedEngine(ScriptedOptions(faults=(fault,))).complete(request))[0].text)"
    )
    first, second = (
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False) for _ in range(2)
    )
    assert first.returncode == code
    assert second.returncode == 0, second.stderr
    assert second.stdout.strip() == ask("a cook", n=1)[0].text


def test_a_hanging_request_never_answers_and_others_do() -> None:
    engine = ScriptedEngine(ScriptedOptions(faults=(Fault(kind="hang", match="lawyer"),)))

    async def both() -> Any:
        hang = asyncio.create_task(engine.complete(Request("h", (Message("user", "a lawyer"),), 1, 0, Sampling())))
        answer = await engine.complete(Request("a", (Message("user", "a cook"),), 1, 0, Sampling()))
        done, _ = await asyncio.wait({hang}, timeout=0.1)
        hang.cancel()
        return done, answer

    done, answer = asyncio.run(both())
    assert not done
    assert answer[0].status == "ok"


def test_a_slow_answer_is_the_same_answer_later() -> None:
    import time

    started = time.monotonic()
    rows = ask("a cook", Fault(kind="slow", delay_s=0.2))
    assert time.monotonic() - started >= 0.2
    assert rows == ask("a cook")


def test_the_fingerprint_knows_faults_that_change_texts_and_no_others() -> None:
    disturbing = [Fault(kind="crash"), Fault(kind="hang"), Fault(kind="slow"), Fault(kind="error")]
    clean = text_identity(ScriptedOptions())
    assert text_identity(ScriptedOptions(faults=tuple(disturbing), capacity=3)) == clean
    for kind in ("refuse", "truncate", "garble"):
        assert text_identity(ScriptedOptions(faults=(Fault(kind=kind, rate=0.5),))) != clean
    assert text_identity(ScriptedOptions(version=2)) != clean
    assert text_identity(ScriptedOptions(words_per_text=50)) != clean


def test_the_fingerprint_knows_vllms_number_type_and_not_its_batch_size() -> None:
    assert text_identity(VllmOptions(max_num_seqs=8, kv_cache_gb=3)) == text_identity(VllmOptions())
    assert text_identity(VllmOptions(dtype="float16")) != text_identity(VllmOptions())


def test_an_adapters_identity_is_its_content(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "adapter_model.safetensors").write_bytes(b"weights")
        (tmp_path / name / "adapter_config.json").write_text('{"r": 8}')
    options = VllmOptions(adapters={name: str(tmp_path / name) for name in ("one", "two", "gone")})
    same = adapter_identity(options, "one", tmp_path)
    assert same == adapter_identity(options, "two", tmp_path)
    (tmp_path / "two" / "adapter_model.safetensors").write_bytes(b"other weights")
    assert same != adapter_identity(options, "two", tmp_path)
    assert adapter_identity(options, None) is None
    with pytest.raises(ConfigError, match="Did you mean 'one'"):
        adapter_identity(options, "onne", tmp_path)
    with pytest.raises(ModelError, match=r"holds no adapter_model\.safetensors"):
        adapter_identity(options, "gone", tmp_path)


def test_a_count_needs_a_folder_and_cannot_change_texts(tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="needs `marker_dir`"):
        Fault(kind="crash", times=1)
    with pytest.raises(ValidationError, match="cannot depend on `times`"):
        Fault(kind="refuse", times=1, marker_dir=str(tmp_path))
