"""`sampling.until` on the scripted engine: fewer texts, the same numbers, and a start anywhere goes on."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from raylib.errors import StoppedError
from raylib.pipeline.until import Drawing
from raylib.store.local import LocalStore
from raylib.store.manifests import read_manifest
from tests.pipeline_support import PROMPTS, completions, estimates, objects, run_audit, run_verify, write_run

pytestmark = pytest.mark.usefixtures("no_ray")
UNTIL = {"half_width": 0.24, "first": 16, "max": 64}
UNITS = {"prompts": 2, "samples": 16}


def _stop(drawing: Drawing) -> str:
    raise StoppedError("stopped by the test")


@pytest.fixture(scope="module")
def adaptive(no_ray: None, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The config and the store of an adaptive audit that was stopped in its first round and started again."""
    folder = tmp_path_factory.mktemp("adaptive")
    store = folder / "store"
    config = write_run(folder, store, samples=None, sampling__until=UNTIL, units=UNITS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Drawing, "decide", _stop)
        with pytest.raises(StoppedError):
            run_audit(config)
    assert len(list(store.glob("parts/generate/*/*.parquet"))) == 3
    assert not list(store.glob("runs/small/generate/manifest.*"))
    assert run_audit(config) == 0
    return config, store


def record(store: Path, run: str = "small") -> dict[str, Any]:
    return dict(read_manifest(LocalStore(store), run, "generate").provenance["until"])


def numbers(store: Path, run: str = "small") -> list[dict[str, Any]]:
    """The estimates, without what depends on all cells of a run together."""
    return list(estimates(store, run).drop(["q_value"]).to_pylist())


def test_an_adaptive_run_draws_what_it_records_and_less_than_the_most(adaptive: tuple[Path, Path]) -> None:
    config, store = adaptive
    samples = record(store)["samples"]
    assert len(samples) == PROMPTS
    assert Counter(completions(store)["prompt_id"].to_pylist()) == samples
    assert sum(samples.values()) < PROMPTS * UNTIL["max"]
    assert sorted(samples.values()) == [16, 16, 16, 32, 32, 32]  # the conditions stop at looks of their own
    assert run_verify(config) == 0


def test_a_second_start_writes_nothing(adaptive: tuple[Path, Path]) -> None:
    config, store = adaptive
    before = objects(store)
    assert run_audit(config) == 0
    assert objects(store) == before


def test_its_estimates_are_those_of_a_fixed_run_of_as_many_samples(adaptive: tuple[Path, Path], tmp_path: Path) -> None:
    _, store = adaptive
    drawn = {one["cell"]: one["samples"] for one in record(store)["shares"]}
    assert set(drawn) == {"Labor/power-neutral", "Labor/power-laden"}
    shares = {(one["cell"], one["share"]): one["estimate"] for one in record(store)["shares"]}
    own = numbers(store)
    for cell, samples in drawn.items():
        run = f"fixed-{samples}"
        assert run_audit(write_run(tmp_path / run, store, run=run, samples=samples, units=UNITS)) == 0
        condition = cell.partition("/")[2]
        fixed = [row for row in numbers(store, run) if row["cell"].endswith(condition)]
        assert fixed == [row for row in own if row["cell"].endswith(condition)]
        for row in fixed:
            watched = row["cell"] == cell and row["axis"] in ("race", "gender")
            if watched and row["statistic"] == "R_rep" and row["status"] == "ok":
                assert shares[cell, f"{row['axis']} {row['group']}"] == pytest.approx(row["share"], abs=1e-8)


def test_the_report_shows_the_intervals_at_the_stop(adaptive: tuple[Path, Path]) -> None:
    (path,) = adaptive[1].glob("runs/small/report/*.html")
    page = path.read_text()
    assert "How many samples were drawn" in page
    assert "of 384 at most" in page


def test_verify_decides_again_and_names_a_record_that_is_wrong(
    adaptive: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    config, store = adaptive
    newest = sorted(store.glob("runs/small/generate/manifest.*.json"))[-1]
    whole = newest.read_text()
    changed = json.loads(whole)
    changed["provenance"]["until"]["shares"][0]["high"] = 0.5
    try:
        newest.chmod(0o644)
        newest.write_text(json.dumps(changed))
        assert run_verify(config) == 3
        assert "until: the recorded shares are not what these annotations give" in capsys.readouterr().out
    finally:
        newest.write_text(whole)
    assert run_verify(config) == 0
