"""What is refused, told, and printed by jobs/compare.py: one line and an exit code, nothing half-written."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from raylib.errors import DataError
from raylib.pipeline.compare.arguments import parse_compare
from raylib.pipeline.compare.job import compare, compare_runs
from raylib.pipeline.compare.settings import cautions, differing
from raylib.pipeline.entry import guarded
from raylib.results import open_run
from raylib.store.local import LocalStore
from raylib.store.manifests import Manifest, manifest_reference, write_manifest
from tests.compare_support import ltf_run
from tests.results_support import finished_run

SMALL: dict[str, Any] = {"axes": ["nonce"], "topics": ["LI"]}


def job(*arguments: str) -> int:
    return guarded(lambda: compare(parse_compare("", "compare.py", list(arguments))))


def small(root: Path, name: str, **changes: Any) -> None:
    changes["options"] = {**SMALL, **changes.get("options", {})}
    ltf_run(root, name, **changes)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("store")
    small(folder, "base")
    small(folder, "other-topic", options={"topics": ["RJP"]})
    small(folder, "left-out", options={"refusals": "leave_out"})
    small(folder, "few", limit=20)
    small(folder, "old", identity={"version": "0"})
    small(folder, "narratives", identity={"study": "narratives", "options": {}})
    small(folder, "changed", identity={"data": {"axes": "0" * 64}})
    finished_run(folder, "bare")
    store = LocalStore(folder)
    small(folder, "stale")
    write_manifest(
        store, Manifest("annotate", "g", "stale", (), (), (), 0, 0, (manifest_reference(store, "stale", "generate"),))
    )
    small(folder, "older")
    write_manifest(store, Manifest("generate", "g", "older", (), (), (), 0, 0))
    write_manifest(store, Manifest("generate", "g", "begun", (), (), (), 0, 0))
    return folder


@pytest.mark.parametrize(
    ("other", "code", "said"),
    [
        ("bse", 2, "no run 'bse' in"),
        ("../base", 2, "is not a valid name"),
        ("other-topic", 2, "study.options.topics is [\"LI\"] in 'base' and [\"RJP\"] in 'other-topic'"),
        ("left-out", 2, "study.options.refusals is zero in 'base' and leave_out in 'left-out'"),
        ("few", 2, "'base' asks 56 prompts and 'few' 20: 36 are asked by 'base' alone (for example uid "),
        ("narratives", 2, "run 'base' is of study ltf, 'narratives' of narratives: compare runs of one study"),
        ("old", 3, "run 'old' is of version 0 of study ltf, this fairsweep has 2: run jobs/annotate.py"),
        ("changed", 3, "the data that its options name (axes, names, baseline) changed since"),
        ("bare", 3, "does not say its study"),
        ("begun", 3, "no manifest of stage 'annotate'"),
        ("older", 3, "the annotate manifest was made from an older generate manifest; run jobs/annotate.py"),
        ("stale", 3, "the reduce manifest was made from an older annotate manifest; run jobs/metrics.py"),
    ],
)
def test_runs_that_do_not_compare_are_refused_in_one_line(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], other: str, code: int, said: str
) -> None:
    out = tmp_path / "out"
    assert job("base", other, "--store", str(root), "--out", str(out)) == code
    printed = capsys.readouterr()
    (line,) = printed.err.strip().splitlines()
    assert line.startswith("error: ")
    assert said in line
    assert (printed.out, out.exists()) == ("", False)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["base"], "RUN_B"),
        (["base", "base"], "--store"),
        (["base", "base", "--store", "ftp://x/y"], "is not a store; valid: a folder"),
        (["base", "base", "--store", "STORE", "--replicates", "10"], "whole number of at least 100"),
        (["base", "base", "--store", "STORE", "--access-key-env", "KEY"], "access_key_env and secret_key_env"),
        (["base", "base", "--store", "STORE", "--out", "FILE"], "is a file; give a folder"),
    ],
)
def test_a_wrong_command_line_says_what_to_give(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    (tmp_path / "file").write_text("mine")
    names = {"STORE": str(root), "FILE": str(tmp_path / "file")}
    assert job(*(names.get(one, one) for one in arguments)) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert said in line


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (
            {"labeller": "another-judge"},
            "labelled differently, so a difference may be the labeller's: labeller.model: judge -> ",
        ),
        ({"generation": {"sampling": {"temperature": 0.6}}}, "drawn differently"),
        ({"generation": {"model": {"weights": {"kind": "hub"}}}}, None),
        ({"options": {"variant": "detailed"}}, None),
        ({"generation": {"seed": 5}}, None),
    ],
)
def test_what_runs_are_compared_for_is_silent_and_what_confounds_is_told(
    root: Path, tmp_path: Path, changes: dict[str, Any], told: str | None
) -> None:
    small(tmp_path, "b", **changes)
    found = compare_runs(open_run(str(root), "base"), open_run(str(tmp_path), "b"))
    assert len(found.settings) == 1
    assert found.settings == differing(found.a, found.b)
    lines = cautions(found.settings)
    assert [told in line for line in lines] == [True] if told else lines == []


def test_runs_of_two_stores_are_compared_and_the_summary_printed(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small(tmp_path / "b", "abstract", options={"variant": "abstract"}, score=lambda prompt, _: prompt["uid"] % 3 - 1)
    out = tmp_path / "out"
    code = job("base", "abstract", "--store", str(root), "--store-b", str(tmp_path / "b"), "--out", str(out))
    printed = capsys.readouterr().out.splitlines()
    assert code == 0
    assert printed[0] == "ltf: A = base, B = abstract"
    assert max(len(line) for line in printed if not line.startswith(str(out))) <= 80
    assert f"{out}/report.html" in printed
    # Another comparison does not replace this one.
    assert job("base", "base", "--store", str(root), "--out", str(out)) == 2
    assert (out / "flips.csv").exists()


def test_without_a_folder_nothing_is_written(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert job("base", "base", "--store", str(root)) == 0
    assert list(tmp_path.iterdir()) == []


def test_a_part_that_was_changed_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small(tmp_path, "base")
    part = next((tmp_path / "parts/annotate").rglob("*.parquet"))
    part.chmod(0o644)
    part.write_bytes(part.read_bytes()[:-1])
    assert job("base", "base", "--store", str(tmp_path), "--out", str(tmp_path / "out")) == 3
    assert part.name in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_both_runs_are_resampled_with_the_replicates_that_are_asked_for(root: Path) -> None:
    found = compare_runs(open_run(str(root), "base"), open_run(str(root), "base"), replicates=300)
    assert found.a.draws == found.b.draws == (3, 300)


def test_prompts_that_the_study_no_longer_has_are_missed(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from raylib.studies.ltf import STUDY

    whole: Callable[..., pa.Table] = STUDY.prompts
    monkeypatch.setattr(type(STUDY), "prompts", lambda _self, options: whole(options).slice(1))
    with pytest.raises(DataError, match="asked 56 prompts, of which the study has 55 by now"):
        compare_runs(open_run(str(root), "base"), open_run(str(root), "base"))
