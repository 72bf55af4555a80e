"""Two audits of one model, base and abstract, compared: scripted essays, verdicts by lot."""

import argparse
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml

from raylib.config.loading import load_tree
from raylib.pipeline.arguments import Arguments
from raylib.pipeline.chain import audit
from raylib.pipeline.compare.arguments import parse_compare
from raylib.pipeline.compare.job import compare
from raylib.pipeline.entry import guarded
from raylib.results import open_run
from tests.pipeline_support import run_tree

pytestmark = pytest.mark.usefixtures("no_ray")
ROOT = Path(__file__).resolve().parents[2]


def audited(folder: Path, store: Path, variant: str) -> None:
    tree = run_tree(
        store,
        run=variant,
        study={"name": "ltf", "options": {"axes": ["nonce"], "topics": ["LI"], "variant": variant}},
        model=load_tree(ROOT / "configs/models/scripted.yaml", []),
        labeller=load_tree(ROOT / "configs/judges/scripted.yaml", []),
        samples=2,
        units={"prompts": 28, "samples": 2},
    )
    config = folder / f"{variant}.yaml"
    config.write_text(yaml.safe_dump(tree))
    assert guarded(lambda: audit(Arguments(str(config), (), None, None, False, False))) == 0


def arguments(store: Path, out: Path, a: str, b: str) -> argparse.Namespace:
    return parse_compare("", "compare.py", [a, b, "--store", str(store), "--out", str(out)])


def test_base_and_abstract_are_audited_and_compared(
    tmp_path: Path, store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for variant in ("base", "abstract"):
        audited(tmp_path, store, variant)
    capsys.readouterr()
    assert guarded(lambda: compare(arguments(store, tmp_path / "out", "base", "abstract"))) == 0
    printed = capsys.readouterr().out
    assert "differs: options.variant: base -> abstract" in printed
    table = pq.read_table(tmp_path / "out/differences.parquet").to_pandas().set_index(["statistic", "cell", "group"])
    first, second = (
        open_run(str(store), name).estimates.to_pandas().set_index(["statistic", "cell", "group"])
        for name in ("base", "abstract")
    )
    place = ("absolute discrimination", "nonce", "all groups")
    assert table.loc[place, "difference"] == pytest.approx(second.loc[place, "estimate"] - first.loc[place, "estimate"])
    corrected = ("DoB corrected", "nonce", "all groups")
    if table.loc[corrected, "status"] == "ok":  # the replicates of the comparison are those of the runs
        expected = second.loc[corrected, "estimate"] - first.loc[corrected, "estimate"]
        assert table.loc[corrected, "difference"] == pytest.approx(expected)
    flips = pq.read_table(tmp_path / "out/flips.parquet").to_pandas()
    assert set(flips["samples"]) == {2}
    assert "Prompts that flipped" in (tmp_path / "out/report.html").read_text()

    assert guarded(lambda: compare(arguments(store, tmp_path / "itself", "base", "base"))) == 0
    own = pq.read_table(tmp_path / "itself/differences.parquet").to_pandas()
    numbered = own[own["status"] == "ok"]
    assert (numbered[["difference", "low", "high"]] == 0).all().all()
    assert pq.read_table(tmp_path / "itself/flips.parquet").num_rows == 0
