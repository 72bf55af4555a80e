"""A run of LTF-Test on one topic with made-up groups, judged by several scripted judges that count what they are asked."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import yaml

from raylib.config.loading import validate
from raylib.config.run import RunConfig
from raylib.pipeline.arguments import Arguments
from raylib.pipeline.chain import audit
from raylib.pipeline.entry import guarded
from raylib.pipeline.verify import verify
from raylib.store.local import LocalStore
from raylib.store.manifests import read_manifest, read_tables
from raylib.studies.ltf.annotate import ANNOTATIONS
from raylib.studies.ltf.combined import COMBINED_ANNOTATIONS
from tests.pipeline_support import run_tree

ROOT = Path(__file__).resolve().parents[1]
ESSAYS = 56
UNIT = 8
STUDY = {"name": "ltf", "options": {"axes": ["nonce"], "topics": ["LI"]}}


def judge(markers: Path, version: int = 1, delay_s: float = 0.0, **keys: Any) -> dict[str, Any]:
    """Return configs/judges/scripted.yaml as another judge a version, which leaves a file in `markers` for each question."""
    tree = yaml.safe_load((ROOT / "configs" / "judges" / "scripted.yaml").read_text())
    counting = {"kind": "slow", "delay_s": delay_s, "times": 1000, "marker_dir": str(markers)}
    tree["model"]["engine"] |= {"version": version, "faults": [counting]}
    return {**tree, **keys}


def judged_tree(store: Path, **changes: Any) -> dict[str, Any]:
    """Return the tree of a run with the judges alpha and beta; `changes` as `run_tree` takes them."""
    tree = {
        "study": STUDY,
        "samples": 1,
        "units": {"prompts": UNIT, "samples": 1},
        "labellers": {"alpha": judge(store / "asked-alpha"), "beta": judge(store / "asked-beta", version=2)},
    }
    return run_tree(store, **(tree | changes))


def run_config(store: Path, **changes: Any) -> RunConfig:
    return validate(judged_tree(store, **changes), RunConfig, "test")


def write_judged(folder: Path, store: Path, **changes: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "run.yaml"
    path.write_text(yaml.safe_dump(judged_tree(store, **changes)))
    return path


def run_judged(config: Path) -> int:
    """Run the whole chain in this process and return its exit code."""
    return guarded(lambda: audit(Arguments(str(config), (), None, None, False, False)))


def verify_judged(config: Path) -> int:
    return guarded(lambda: verify(Arguments(str(config), (), None, None, False, False)))


def asked(store: Path, name: str) -> int:
    """Return how many questions a judge was asked, in all runs on this store."""
    return len(list((store / f"asked-{name}").glob("*")))


def labels(store: Path, name: str | None = None, run: str = "small") -> pa.Table:
    """Return a judge's annotations; without a name the combined ones."""
    opened = LocalStore(store)
    manifest = read_manifest(opened, run, f"annotate-{name}" if name else "annotate")
    return pa.concat_tables(read_tables(opened, manifest, ANNOTATIONS if name else COMBINED_ANNOTATIONS))
