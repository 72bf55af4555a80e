"""Two LTF-Test runs compared, from what lies on the store to tables, page and summary."""

import csv
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from raylib.pipeline.compare.job import compare_runs, write_comparison_folder
from raylib.pipeline.compare.result import Compared
from raylib.pipeline.compare.scores import read_scores
from raylib.pipeline.compare.summary import summary_lines
from raylib.results import open_run
from raylib.studies.differences import DIFFERENCES
from raylib.studies.ltf import STUDY
from tests.compare_support import ltf_run

AXIS, FAVOURED = "sexual_orientation", "heterosexuals"


def lot(prompt: Mapping[str, Any], index: int, sides: int) -> int:
    """A number below `sides`, by chance and always the same."""
    return hashlib.sha256(f"{prompt['uid']}.{index}".encode()).digest()[0] % sides


def biased(prompt: Mapping[str, Any], index: int) -> object:
    """Favours one group over all others; the control by chance."""
    if prompt["axis"] == "nonce":
        return lot(prompt, index, 3) - 1
    strongly = 2 if lot(prompt, index, 8) else 1
    return strongly if prompt["group1"] == FAVOURED else -1 if prompt["group2"] == FAVOURED else lot(prompt, index, 2)


def mended(prompt: Mapping[str, Any], index: int) -> object:
    """As `biased`, without the favour; one essay in sixteen is a refusal."""
    if prompt["uid"] % 16 == 0:
        return "refused"
    return biased(prompt, index) if prompt["axis"] == "nonce" else lot(prompt, index, 2)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    ltf_run(folder, "base", biased)
    ltf_run(folder, "abstract", mended, options={"variant": "abstract"})
    return folder


@pytest.fixture(scope="module")
def found(root: Path) -> Compared:
    return compare_runs(open_run(str(root), "base"), open_run(str(root), "abstract"))


@pytest.fixture(scope="module")
def itself(root: Path) -> Compared:
    return compare_runs(open_run(str(root), "base"), open_run(str(root), "base"))


def pick(found: Compared, statistic: str, cell: str, group: str = "all groups") -> dict[str, Any]:
    return next(row for row in found.rows if (row["statistic"], row["cell"], row["group"]) == (statistic, cell, group))


def test_every_difference_is_of_the_two_runs_own_estimates(root: Path, found: Compared) -> None:
    names = ["statistic", "cell", "group"]
    tables = [open_run(str(root), name).estimates.to_pandas().set_index(names) for name in ("base", "abstract")]
    assert {row["statistic"] for row in found.rows} == {
        "DoB", "DoB corrected", "GroupFav", "PairFav", "F", "absolute discrimination", "refusal rate", "unscored rate",
    }  # fmt: skip
    assert len(found.rows) == len(tables[0])
    for row in found.rows:
        first, second = (table.loc[tuple(row[name] for name in names)] for table in tables)
        if row["status"] == "ok":
            expected = [first["estimate"], second["estimate"], second["estimate"] - first["estimate"]]
            assert [row["estimate_a"], row["estimate_b"], row["difference"]] == pytest.approx(expected)
            assert (row["n_a"], row["n_b"]) == (first["n"], second["n"])
        else:
            assert {first["status"], second["status"]} != {"ok"}


def test_a_favour_that_is_gone_is_found_with_its_size(found: Compared) -> None:
    # Base: F(favoured, q) is 2, now and then 1, and F(q, favoured) = -1; in B both are the same lots of 0 and 1.
    row = pick(found, "GroupFav", AXIS, FAVOURED)
    assert 2.5 < row["estimate_a"] < 3
    assert row["low"] < row["difference"] < row["high"] < 0
    assert row in found.found
    assert row["relative"] == pytest.approx(row["estimate_b"] / row["estimate_a"] - 1)
    assert row["relative_low"] < row["relative"] < row["relative_high"] < -0.5
    assert 0 < row["detectable"] < -row["difference"]
    assert row["clusters"] == 8


def test_extreme_essays_fall_by_a_share_with_an_interval(found: Compared) -> None:
    row = pick(found, "absolute discrimination", AXIS)
    prompts = found.a.prompts.to_pandas()
    own = prompts[prompts["axis"] == AXIS]
    extreme = [biased(prompt, 0) in (2, -1) for prompt in own.to_dict("records")]
    assert row["estimate_a"] == pytest.approx(np.mean(extreme))
    assert (row["estimate_b"], row["relative"]) == (0, -1)
    assert row["relative_low"] is None  # every replicate has -100%: nothing varies


def test_the_plug_in_degree_of_a_control_is_relative_to_nothing(found: Compared) -> None:
    assert pick(found, "DoB", "nonce")["estimate_a"] > 0
    if pick(found, "DoB corrected", "nonce")["relative"] is None:
        assert pick(found, "DoB", "nonce")["relative"] is None
    assert "noise adds to it: see DoB corrected" in pick(found, "DoB", "nonce")["note"]
    assert pick(found, "DoB", AXIS)["relative"] is not None


def test_a_run_against_itself_differs_by_nothing_and_flips_nothing(itself: Compared) -> None:
    assert itself.cautions == ["A and B hold the very same samples: every difference is 0."]
    assert itself.settings == []
    numbered = [row for row in itself.rows if row["status"] == "ok"]
    assert len(numbered) > 200
    for row in numbered:
        assert (row["difference"], row["low"], row["high"], row["p_value"], row["q_value"]) == (0, 0, 0, 1, 1)
    assert itself.found == []
    assert itself.flips is not None
    assert (len(itself.flips.rows), itself.flips.uncompared) == (0, 0)


def test_the_same_essays_under_another_name_are_the_same_samples(root: Path) -> None:
    found = compare_runs(open_run(str(root), "base"), ltf_run(root, "twin", biased))
    assert found.a.same_samples(found.b) is False  # other sample ids: the support writes another fingerprint
    row = pick(found, "DoB corrected", AXIS)
    assert (row["difference"], row["low"]) == (0, None)


def test_prompts_flip_where_their_score_crosses_or_jumps(found: Compared) -> None:
    assert found.flips is not None
    prompts = found.a.prompts.to_pandas()
    scores = [[score(row, 0) for row in prompts.to_dict("records")] for score in (biased, mended)]
    a, b = (np.array([0 if one == "refused" else one for one in side]) for side in scores)
    expected = set(prompts["uid"][(np.sign(a) != np.sign(b)) | (np.abs(a - b) >= 2)])
    assert set(found.flips.rows["prompt"]) == expected
    assert len(found.flips.compared) == len(prompts)
    first = found.flip_table.slice(0, 1).to_pylist()[0]
    assert abs(first["change"]) == max(abs(a - b))
    for side, run in (("a", found.a), ("b", found.b)):
        ids = run.results.annotations.to_pandas().set_index("sample_id")
        assert ids.loc[first[f"sample_{side}"], "prompt_id"] in set(run.prompts["prompt_id"].to_pylist())
    assert found.flip_table.column_names[:3] == ["uid", "axis", "topic_code"]


def test_scores_are_read_without_texts(found: Compared) -> None:
    frame = read_scores(found.a, STUDY)
    assert list(frame) == ["prompt", "sample_index", "sample_id", "score", "refused"]


def test_refusals_score_as_the_options_have_it(tmp_path: Path) -> None:
    leave = {"refusals": "leave_out"}
    a = ltf_run(tmp_path, "a", biased, options=leave)
    b = ltf_run(tmp_path, "b", mended, options=leave)
    found = compare_runs(a, b)
    assert found.flips is not None
    assert found.flips.uncompared == sum(uid % 16 == 0 for uid in found.a.prompts["uid"].to_pylist())


def test_samples_that_failed_leave_their_clusters_out_of_both(tmp_path: Path) -> None:
    def failing(prompt: Mapping[str, Any], index: int) -> object:
        return "error" if prompt["cluster"] == "LI.1" else mended(prompt, index)

    found = compare_runs(ltf_run(tmp_path, "a", biased), ltf_run(tmp_path, "b", failing))
    assert any(line == "clusters with data in A alone, left out: LI.1" for line in found.cautions)
    row = pick(found, "absolute discrimination", AXIS)
    prompts = found.a.prompts.to_pandas()
    assert row["n_a"] == row["n_b"] == ((prompts["axis"] == AXIS) & (prompts["cluster"] != "LI.1")).sum()
    assert row["clusters"] == 7


def test_runs_with_several_samples_are_matched_by_index(tmp_path: Path) -> None:
    found = compare_runs(ltf_run(tmp_path, "a", biased, samples=2), ltf_run(tmp_path, "b", mended, samples=3))
    assert set(found.flip_table["samples"].to_pylist()) == {2}
    row = pick(found, "refusal rate", AXIS)
    assert row["n_b"] == 1.5 * row["n_a"]


def test_the_folder_holds_tables_page_and_index(found: Compared, tmp_path: Path) -> None:
    written = write_comparison_folder(found, str(tmp_path / "out"))
    assert {path.name for path in written} == {
        "differences.parquet", "differences.csv", "flips.parquet", "flips.csv", "report.html", "comparison.json",
    }  # fmt: skip
    assert pq.read_table(tmp_path / "out/differences.parquet").cast(DIFFERENCES).equals(found.differences)
    with (tmp_path / "out/flips.csv").open(newline="") as stream:
        assert len(list(csv.DictReader(stream))) == found.flip_table.num_rows
    index = json.loads((tmp_path / "out/comparison.json").read_text())
    assert index["run_b"].startswith("abstract in ")
    page = (tmp_path / "out/report.html").read_text()
    for said in ("Differences by axis", "Prompts that flipped", "Detectable", "options.variant", "data:image/png"):
        assert said in page
    assert "<script" not in page
    write_comparison_folder(found, str(tmp_path / "out"))


def test_the_summary_fits_a_terminal(found: Compared, itself: Compared) -> None:
    for compared in (found, itself):
        lines = list(summary_lines(compared))
        assert max(map(len, lines)) <= 80
    lines = list(summary_lines(found))
    assert "differs: options.variant: not set -> abstract" in lines
    row = pick(found, "DoB corrected", AXIS)
    line = next(line for line in lines if line.startswith("  sexual_ori"))
    assert line.split()[1] == f"{row['estimate_a']:.2f}"
    assert any("prompts flipped" in line for line in lines)


def test_names_that_are_long_or_hostile_still_fit(tmp_path: Path) -> None:
    long = "a" * 60
    a = ltf_run(tmp_path, long, generation={"sampling": {"stop": ["\x1b[31m" + "x" * 200]}})
    found = compare_runs(a, ltf_run(tmp_path, f"{long}.b"))
    lines = list(summary_lines(found))
    assert max(map(len, lines)) <= 80
    assert "\x1b" not in "\n".join(lines)
