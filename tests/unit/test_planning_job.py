"""`jobs/plan.py` on the scripted engine: what it prints, and what it says to a mistake. No Ray is started."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from raylib.pipeline.entry import guarded
from raylib.pipeline.planning.arguments import parse_plan
from raylib.pipeline.planning.job import plan
from tests.pilot_support import make_pilot
from tests.pipeline_support import write_run

ROOT = Path(__file__).resolve().parents[2]


def run_plan(config: Path, *options: str) -> int:
    argv = ["--config", str(config), *options]
    return guarded(lambda: plan(parse_plan("test", "plan.py", argv)))


@pytest.fixture(scope="module")
def piloted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The config of a finished pilot `small` and an unfinished one `begun`, on one store."""
    folder = tmp_path_factory.mktemp("piloted")
    make_pilot(write_run(folder / "begun", folder / "store", run="begun", seed=1), units=3)
    config = write_run(folder, folder / "store")
    make_pilot(config)
    return config


def planned(capsys: pytest.CaptureFixture[str], config: Path, *options: str) -> dict:
    assert run_plan(config, *options, "--json") == 0
    return json.loads(capsys.readouterr().out)


def test_the_job_prints_five_sections_within_80_columns_and_writes_nothing(tmp_path: Path) -> None:
    config = write_run(tmp_path, tmp_path / "store", model__name="scripted-7b")
    done = subprocess.run(
        [sys.executable, "jobs/plan.py", "--config", str(config)], cwd=ROOT, capture_output=True, text=True, check=True,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    heads = [line.split()[0] for line in lines if line and not line.startswith(" ")]
    assert heads == ["size", "tokens", "time", "cost", "precision"]
    assert "unknown: give --prices FILE" in done.stdout
    assert "assumed" in done.stdout
    assert not (tmp_path / "store").exists()


def test_without_a_pilot_tokens_are_those_of_the_dry_run_and_an_upper_bound(tmp_path: Path, capsys) -> None:
    from raylib.pipeline.chain import audit
    from tests.pipeline_support import arguments

    config = write_run(tmp_path, tmp_path / "store")
    found = planned(capsys, config, "--limit", "6")
    assert found["size"]["samples"] == 24
    assert (found["tokens"]["new"], found["tokens"]["new_is_bound"]) == (24 * 200, True)
    audit(arguments(config)._replace(dry_run=True))
    assert f"about {found['tokens']['prompt']:,}" in capsys.readouterr().out


def test_every_figure_of_a_plan_without_a_pilot_says_that_it_is_assumed(tmp_path: Path, capsys) -> None:
    found = planned(capsys, write_run(tmp_path, tmp_path / "store"))
    assert {line["rests_on"] for line in found["precision"]["shares"]} == {"assumed"}
    cells = {line["cell"]: line["prompts"] for line in found["precision"]["shares"]}
    assert (cells["Labor/power-neutral"], cells["all/power-laden"]) == (15, 50)


def test_hours_of_a_real_model_are_ranges_by_device(tmp_path: Path, capsys) -> None:
    model = {"name": "m", "source": "hf:org/name@0123456789abcdef", "engine": {"kind": "vllm"}}
    config = write_run(tmp_path, tmp_path / "store", model=model)
    unknown = planned(capsys, config)
    assert (unknown["time"]["parameters"], unknown["time"]["hours"]) == (None, [])
    assert run_plan(config) == 0
    assert "give --parameters 7b" in capsys.readouterr().out
    hours = planned(capsys, config, "--parameters", "7b")["time"]["hours"]
    assert {row["unit"] for row in hours} == {"actor hours", "GPU hours"}
    for row in hours:
        assert 0 < row["low"] < row["high"]
        assert row["low"] == pytest.approx(100 * 4 * 200 / row["tokens_per_s"][1] / 3600)


def test_cost_uses_the_price_table(tmp_path: Path, capsys) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text("prices: {scripted: {input: 1.0, output: 10.0}}\n")
    found = planned(capsys, write_run(tmp_path, tmp_path / "store"), "--prices", str(prices))
    tokens = found["tokens"]
    assert found["cost"]["usd"] == pytest.approx((tokens["prompt"] + 10 * tokens["new"]) / 1e6)


def test_with_a_pilot_of_fewer_samples_tokens_and_speed_are_measured(piloted: Path, capsys) -> None:
    found = planned(capsys, piloted, "--run", "full", "--set", "samples=40", "--limit", "6", "--pilot", "small")
    assert (found["pilot"]["texts"], found["pilot"]["samples_per_prompt"]) == (24, 4)
    assert found["size"]["samples"] == 240
    mean = found["tokens"]["new"] / 240
    assert 20 < mean < 200
    assert f"{mean:.1f} a sample: pilot small, n=24" in found["tokens"]["new_rests_on"]
    # The snapshot says 500 tokens a second of one to two actors.
    (hours,) = found["time"]["hours"]
    assert (hours["device"], hours["tokens_per_s"]) == ("cpu", [250.0, 500.0])
    assert hours["low"] == pytest.approx(found["tokens"]["new"] / 500 / 3600)


def test_with_a_pilot_precision_is_measured_and_the_text_is_within_80_columns(piloted: Path, capsys) -> None:
    options = ("--run", "full", "--set", "samples=40", "--limit", "6", "--pilot", "small")
    shares = planned(capsys, piloted, *options)["precision"]["shares"]
    assert all("pilot small" in line["rests_on"] for line in shares)
    assert all(line["basis"] != "assumed" for line in shares)
    assert run_plan(piloted, *options) == 0
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 80
    assert "pilot small: 6 prompts x 4 samples" in text


def test_cells_that_the_pilot_did_not_ask_are_assumed(piloted: Path, capsys) -> None:
    shares = planned(capsys, piloted, "--run", "full", "--pilot", "small")["precision"]["shares"]
    bases = {line["cell"]: line["rests_on"] for line in shares}
    assert bases["Love/power-laden"] == "assumed: nothing seen in pilot small"


def test_an_unfinished_pilot_gives_tokens_and_says_what_it_lacks(piloted: Path, capsys) -> None:
    found = planned(capsys, piloted, "--pilot", "begun", "--limit", "6")
    # Three units of one prompt x two samples.
    assert (found["pilot"]["finished"], found["pilot"]["texts"]) == (False, 6)
    assert {line["rests_on"] for line in found["precision"]["shares"]} == {"assumed"}
    assert any("run jobs/metrics.py --run begun" in note for note in found["notes"])
    assert any("not finished" in note for note in found["notes"])


def test_a_pilot_of_another_model_lends_no_speed_and_the_difference_is_named(piloted: Path, capsys) -> None:
    found = planned(capsys, piloted, "--pilot", "small", "--set", "model.engine.version=2", "--limit", "6")
    assert found["time"]["hours"] == []
    assert any("differs in model.engine.version" in note for note in found["notes"])


def test_an_unreachable_target_says_that_more_prompts_are_needed(tmp_path: Path, capsys) -> None:
    config = write_run(tmp_path, tmp_path / "store")
    assert run_plan(config, "--half-width", "0.03") == 0
    text = capsys.readouterr().out
    # t(14) = 2.144787; sqrt(0.508 * 0.492 * 0.02 / 15) = 0.0182552.
    assert "not reachable: floor 0.039" in text
    assert "More prompts are needed, not more samples" in " ".join(text.split())
    needed = planned(capsys, config, "--half-width", "0.03")["precision"]["shares"][0]["samples_needed"]
    assert needed == [None, None]


def bad_prices(tmp_path: Path, text: str) -> str:
    path = tmp_path / "prices.yaml"
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--pilot", "smal"], "Did you mean 'small'? Valid: begun, small."),
        (["--pilot", "../x"], "is not a valid name"),
        (["--pilot", ""], "is not a valid name"),
        (["--assumptions", ""], "cannot read ."),
        (["--half-width", "0"], "'0' is not a half width of a share: give one between 0 and 0.5"),
        (["--half-width", "0.5"], "'0.5' is not a half width of a share"),
        (["--half-width", "nan"], "'nan' is not a half width of a share"),
        (["--half-width", "wide"], "'wide' is not a half width of a share"),
        (["--parameters", "seven"], "'seven' is not a model's size: write 135m, 7b or 8x7b"),
        (["--prices", "/nowhere.yaml"], "no config file /nowhere.yaml"),
        (["--assumptions", "/nowhere.yaml"], "no config file /nowhere.yaml"),
        (["--dry-run"], "--help"),
        (["--set", "samples=0"], "samples"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(piloted: Path, capsys, options: list[str], said: str) -> None:
    assert run_plan(piloted, *options) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    (line,) = captured.err.splitlines()
    assert line.startswith("error: ")
    assert said in line


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("prices: {m: {input: 1.0}}", "prices.m.output"),
        ("prices: {m: {input: -1, output: 2}}", "prices.m.input"),
        ("prices: {m: {input: 1, output: 2, cached: 3}}", "unknown key 'prices.m.cached'"),
        ("prices: {}", "prices"),
        ("- 1", "expected 'key: value' lines"),
        ("prices: {m: [", "prices.yaml"),
    ],
)
def test_a_bad_price_table_is_one_line_and_exit_code_2(tmp_path: Path, capsys, text: str, said: str) -> None:
    config = write_run(tmp_path, tmp_path / "store")
    assert run_plan(config, "--prices", bad_prices(tmp_path, text)) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line


def test_a_store_without_runs_says_how_to_make_a_pilot(tmp_path: Path, capsys) -> None:
    assert run_plan(write_run(tmp_path, tmp_path / "store"), "--pilot", "first") == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "holds no run yet; make one with jobs/audit.py --run first" in line


def test_a_pilot_of_another_study_is_refused(tmp_path: Path, capsys) -> None:
    config = write_run(tmp_path, tmp_path / "store")
    record = tmp_path / "store" / "runs" / "essays" / "run.json"
    record.parent.mkdir(parents=True)
    record.write_text(json.dumps({"study": {"name": "essays"}, "samples": 1, "prompts": 1, "generation": {}}))
    assert run_plan(config, "--pilot", "essays") == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "is a run of study 'essays', this config plans 'narratives'" in line


def test_a_pilot_without_a_text_is_refused(tmp_path: Path, capsys) -> None:
    config = write_run(tmp_path, tmp_path / "store")
    make_pilot(config, units=0)
    assert run_plan(config, "--pilot", "small") == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "has no committed text yet" in line


@pytest.mark.parametrize(
    ("text", "said"),
    [("study: x", "torn or was replaced"), ('{"study": {"name": "narratives"}}', "lacks what a run records")],
)
def test_bad_records_of_a_pilot_are_one_line_and_exit_code_3(tmp_path: Path, capsys, text: str, said: str) -> None:
    config = write_run(tmp_path, tmp_path / "store")
    record = tmp_path / "store" / "runs" / "torn" / "run.json"
    record.parent.mkdir(parents=True)
    record.write_text(text)
    assert run_plan(config, "--pilot", "torn") == 3
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line


UNTIL = {"half_width": 0.2, "max": 40, "first": 4, "growth": 10}


def until_run(folder: Path, store: Path, run: str) -> Path:
    return write_run(folder / run, store, run=run, samples=None, sampling__until=UNTIL)


def first_prompts() -> list[str]:
    from tests.import_support import PROMPT_TABLE

    return [row["prompt_id"] for row in PROMPT_TABLE[:6]]


def test_a_pilot_that_stopped_early_is_taken_at_the_samples_that_it_drew(piloted: Path, tmp_path: Path, capsys) -> None:
    # The same texts as the pilot of four samples; `until` would have drawn up to 40.
    store = piloted.parent / "store"
    make_pilot(until_run(tmp_path, store, "early"), stopped=dict.fromkeys(first_prompts(), 4))
    options = ("--run", "full", "--set", "samples=40", "--limit", "6", "--pilot")
    fixed, early = (planned(capsys, piloted, *options, pilot) for pilot in ("small", "early"))
    assert early["pilot"]["samples_per_prompt"] == 4
    for one, other in zip(fixed["precision"]["shares"], early["precision"]["shares"], strict=True):
        for name in ("half_width", "samples_needed", "observations_per_sample"):
            assert one[name] == other[name]
    assert run_plan(piloted, *options, "early") == 0
    assert "pilot early: 6 prompts x 4 samples" in capsys.readouterr().out


def test_a_pilot_that_drew_more_of_one_prompt_than_of_another_is_taken_by_cell(
    piloted: Path, tmp_path: Path, capsys
) -> None:
    drawn = dict.fromkeys(first_prompts(), 4) | {first_prompts()[0]: 40}
    make_pilot(until_run(tmp_path, piloted.parent / "store", "uneven"), stopped=drawn)
    found = planned(capsys, piloted, "--run", "full", "--limit", "6", "--pilot", "uneven")
    assert found["pilot"]["samples_per_prompt"] == 10
    share = found["precision"]["shares"][0]
    observed = float(share["rests_on"].split("n=")[1].split(",")[0])
    assert (share["cell"], share["prompts"]) == ("Labor/power-neutral", 3)
    assert share["observations_per_sample"] == pytest.approx(observed / (40 + 2 * 4))


def test_a_plan_of_sampling_until_says_that_its_figures_are_at_most(tmp_path: Path, capsys) -> None:
    assert run_plan(until_run(tmp_path, tmp_path / "store", "until"), "--limit", "6") == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "samples at most 240 (at most 40 a prompt)" in text
    assert "sampling.until may stop before its max" in text


def test_a_pilot_of_imported_texts_has_no_tokens_and_its_gaps_are_no_samples(
    piloted: Path, tmp_path: Path, capsys
) -> None:
    from tests.import_support import story_rows, write_csv, write_import

    file = write_csv(tmp_path / "stories.csv", ["prompt", "text"], story_rows(samples=4)[:12])  # two of four
    store = piloted.parent / "store"
    make_pilot(write_import(tmp_path, store, file, {"gaps": "allow"}, run="theirs"))
    plain = planned(capsys, piloted, "--run", "full", "--limit", "6")
    found = planned(capsys, piloted, "--run", "full", "--limit", "6", "--pilot", "theirs")
    assert found["tokens"] == plain["tokens"]
    assert any("the pilot knows no tokens" in note for note in found["notes"])
    assert found["pilot"]["samples_per_prompt"] == 2
    (women,) = (
        one for one in found["precision"]["shares"] if (one["cell"], one["group"]) == ("all/power-neutral", "F")
    )
    assert women["observations_per_sample"] == pytest.approx(1.0)
