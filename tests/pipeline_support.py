"""Small runs of the scripted engine, and what their store holds."""

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import yaml

from raylib.config.loading import validate
from raylib.config.run import RunConfig
from raylib.pipeline.arguments import Arguments
from raylib.pipeline.chain import audit
from raylib.pipeline.context import Context
from raylib.pipeline.entry import guarded
from raylib.pipeline.verify import verify
from raylib.schemas import COMPLETIONS, ESTIMATES
from raylib.store.local import LocalStore
from raylib.store.manifests import read_manifest, read_tables

PROMPTS = 6
SAMPLES = 4


def run_tree(store: Path, **changes: Any) -> dict[str, Any]:
    """Return the tree of a small run: six prompts, four samples, one prompt x two samples a unit."""
    tree: dict[str, Any] = {
        "run": "small",
        "study": {"name": "narratives"},
        "model": {"name": "scripted", "source": "scripted", "engine": {"kind": "scripted", "capacity": 4}},
        "samples": SAMPLES,
        "units": {"prompts": 1, "samples": 2},
        "resources": {"annotate_actors": [1, 1]},
        "sampling": {"max_tokens": 200},
        "statistics": {"replicates": 200},
        "limits": {"unit_timeout_s": 60, "no_progress_s": 300},
        "store": str(store),
    }
    for path, value in changes.items():
        node = tree
        *parents, last = path.split("__")
        for name in parents:
            node = node.setdefault(name, {})
        node[last] = value
    return tree


def write_run(folder: Path, store: Path, **changes: Any) -> Path:
    """Write a small run's config file and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "run.yaml"
    path.write_text(yaml.safe_dump(run_tree(store, **changes)))
    return path


def arguments(config: Path, *overrides: str, retry: bool = False) -> Arguments:
    """Return the arguments of a job on the first PROMPTS prompts."""
    return Arguments(str(config), overrides, None, PROMPTS, False, retry)


def run_audit(config: Path, *overrides: str, retry: bool = False) -> int:
    """Run the chain in this process and return its exit code."""
    return guarded(lambda: audit(arguments(config, *overrides, retry=retry)))


def run_verify(config: Path) -> int:
    """Run the verify job in this process and return its exit code."""
    return guarded(lambda: verify(arguments(config)))


def planned_ids(config: Path) -> list[str]:
    """Return the sample ids that a run plans, in order."""
    from raylib.pipeline.generate import plan_generate

    context = Context(validate(yaml.safe_load(config.read_text()), RunConfig, "test"), PROMPTS)
    return [one for unit in plan_generate(context.config, context.prompts).units for one in unit.ids]


def completions(store: Path, run: str = "small") -> pa.Table:
    """Return all completions of a run, through its manifest."""
    opened = LocalStore(store)
    return pa.concat_tables(read_tables(opened, read_manifest(opened, run, "generate"), COMPLETIONS))


def estimates(store: Path, run: str = "small") -> pa.Table:
    """Return the estimates of a run."""
    opened = LocalStore(store)
    manifest = read_manifest(opened, run, "reduce")
    receipt = next(part for part in manifest.parts if part.unit_id == "estimates")
    return pa.parquet.read_table(pa.BufferReader(opened.get(receipt.key))).cast(ESTIMATES)


def statuses(store: Path) -> Counter[str]:
    """Return the completions of a run by status."""
    return Counter(completions(store)["status"].to_pylist())


def objects(store: Path) -> set[str]:
    """Return the keys of the store that a no-op must not add to."""
    opened = LocalStore(store)
    return {info.key for info in opened.list("") if not info.key.startswith("probe/")}
