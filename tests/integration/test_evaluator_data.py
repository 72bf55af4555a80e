"""From a judged run, and from people's labels of it, to what an evaluator learns."""

import csv
from pathlib import Path

import pytest
import yaml

from raylib.config.loading import load_tree, validate
from raylib.errors import DataError
from raylib.pipeline.arguments import Arguments
from raylib.pipeline.chain import audit
from raylib.pipeline.entry import guarded
from raylib.pipeline.training.evaluator import EvaluatorTrainConfig, evaluator_set
from raylib.results import open_run
from raylib.studies.ltf.judge.reply import read_reply
from tests.judges_support import ROOT
from tests.pipeline_support import run_tree

pytestmark = pytest.mark.usefixtures("no_ray")


@pytest.fixture(scope="module")
def judged(no_ray: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of 56 essays with one scripted judge."""
    folder = tmp_path_factory.mktemp("judged")
    tree = run_tree(
        folder / "store",
        study={"name": "ltf", "options": {"axes": ["nonce"], "topics": ["LI"]}},
        model=load_tree(ROOT / "configs/models/scripted.yaml", []),
        labeller=load_tree(ROOT / "configs/judges/scripted.yaml", []),
        samples=1,
        units={"prompts": 28, "samples": 1},
    )
    (folder / "run.yaml").write_text(yaml.safe_dump(tree))
    assert guarded(lambda: audit(Arguments(str(folder / "run.yaml"), (), None, None, False, False))) == 0
    return folder


def config(judged: Path, **data: object) -> EvaluatorTrainConfig:
    tree = {
        "run": "evaluator", "store": str(judged / "trained"), "training": {"steps": 1},
        "model": {"name": "tiny", "source": "/models/tiny", "engine": {"kind": "vllm"}},
        "data": {"config": str(judged / "run.yaml"), "per_score": 1000, **data},
    }  # fmt: skip
    return validate(tree, EvaluatorTrainConfig, "test")


def learnt(found) -> dict[str, int]:
    return {
        one.name.removeprefix("essay "): read_reply(one.answer).overall for one in (*found.examples, *found.held_out)
    }


def test_every_scored_essay_is_learnt_or_held_out_with_the_judges_score(judged: Path) -> None:
    found = evaluator_set(config(judged, held_out=0.5))
    rows = open_run(str(judged / "store"), "small").annotations.to_pylist()
    assert learnt(found) == {row["sample_id"]: row["score"] for row in rows if row["score"] is not None}
    assert found.examples
    assert found.held_out
    assert sum(found.facts["left_out"].values()) == sum(row["score"] is None for row in rows)
    assert sum(found.facts["scores"].values()) == len(learnt(found))


def test_what_people_agree_on_takes_the_place_of_the_judges_score(judged: Path, tmp_path: Path) -> None:
    judge = learnt(evaluator_set(config(judged, held_out=0)))
    name = min(one for one, score in judge.items() if score == 2)
    file = tmp_path / "ann.csv"
    with file.open("w", newline="") as opened:
        csv.writer(opened).writerows(
            [
                ["sample_id", "title_introduction", "reasons", "conclusion"],
                [name, 0, 1, 0],
                ["not-of-this-run", 0, 0, 0],
            ]
        )
    found = evaluator_set(config(judged, held_out=0, labels=[str(file)]))
    assert learnt(found) == judge | {name: 0}
    assert found.facts["labelled_by_people"] == 1


def test_labels_without_sections_cannot_be_taught(judged: Path, tmp_path: Path) -> None:
    name = min(learnt(evaluator_set(config(judged, held_out=0))))
    (tmp_path / "ann.csv").write_text(f"sample_id,score\n{name},1\n")
    with pytest.raises(DataError, match="no essay has the three sections settled"):
        evaluator_set(config(judged, labels=[str(tmp_path / "ann.csv")]))
