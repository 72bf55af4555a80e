"""From a config and a training set to an adapter on the store. The same command again goes on, or does nothing."""

import json
import logging
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from raylib.config.training import TrainConfig
from raylib.errors import ConfigError
from raylib.ids import digest
from raylib.models.cache import build_once, cache_dir
from raylib.models.hashing import file_sha256
from raylib.pipeline.context import first_difference
from raylib.pipeline.session import RaySession
from raylib.pipeline.training.check import check_in_vllm
from raylib.pipeline.training.page import event_file, training_page
from raylib.pipeline.training.plan import TrainPlan, plan_training
from raylib.pipeline.training.workers import run_workers
from raylib.store.documents import read_document
from raylib.store.probe import probe
from raylib.training.adapters import CONFIG, WEIGHTS, verify_adapter
from raylib.training.state import ADAPTER, read_point
from raylib.training.training_set import TrainingSet

LOG = logging.getLogger(__name__)


class Trained(NamedTuple):
    """A finished training."""

    run: str
    fingerprint: str
    adapter: Path
    """The adapter's folder on this machine: what `engine.adapters` of a model or judge names."""
    report: str
    """Where a person finds the report."""
    history: list[dict[str, float]]
    """One mapping a step, as `raylib.training.state.Point` says."""


def train(config: TrainConfig, training_set: TrainingSet, *, may_work: bool = True) -> Trained:
    """Train an adapter, check it, and keep it on the store; return the one that is there where it was trained before.

    On the store: `training/<fingerprint>/` holds what Ray Train keeps, `adapters/<fingerprint>/` the adapter,
    `runs/<run>/train/manifest.0001.json` what the run is, and `runs/<run>/train/` its report.

    Raises:
        ConfigError, ModelError, DataError: as `plan_training`; or the run's name is taken by another training.
        UnfinishedError: there is work to do, and `may_work` is False.
        LimitError: too many workers died.
    """
    plan = plan_training(config, training_set)
    key = f"runs/{config.run}/train/manifest.0001.json"
    before = _manifest(plan, key)
    if before is None:
        with RaySession(config.resources, may_work=may_work) as session:
            session.expect_work(
                f"training {config.run}: {plan.order.steps} steps on {len(plan.order.examples)} examples"
            )
            probe(plan.store)
            before = _train(plan, session, key)
    return Trained(
        config.run, plan.fingerprint, local_adapter(plan, before), _shown(plan, before["report"]), before["history"]
    )


def _train(plan: TrainPlan, session: RaySession, key: str) -> dict[str, Any]:
    session.connect()
    with tempfile.TemporaryDirectory(prefix="adapter-") as name:
        folder = Path(name)
        run_workers(plan, "training", folder)
        adapter = folder / ADAPTER
        facts = verify_adapter(adapter, plan.folder)
        checked = check_in_vllm(plan, adapter) if plan.config.resources.verify_with_vllm else None
        history = read_point(folder).history
        report = f"runs/{plan.config.run}/train/report-{plan.fingerprint}.html"
        manifest: dict[str, Any] = {
            "run": plan.config.run, "fingerprint": plan.fingerprint, "identity": plan.identity,
            "facts": dict(plan.training_set.facts), "files": _put_files(plan, adapter), "adapter": facts._asdict(),
            "vllm": checked._asdict() if checked else None, "history": history,
            "report": report,
        }  # fmt: skip
        plan.store.put_if_absent(report, training_page(plan, facts, checked, history).encode())
        events = event_file(history)
        if events is not None:
            plan.store.put_if_absent(f"runs/{plan.config.run}/train/tensorboard/{events.name}", events.data)
    data = json.dumps(manifest, indent=1, sort_keys=True).encode()
    if not plan.store.put_if_absent(key, data):
        return _manifest(plan, key) or manifest
    return manifest


def _manifest(plan: TrainPlan, key: str) -> dict[str, Any] | None:
    if not plan.store.exists(key):
        return None
    found = read_document(plan.store, key)
    if found["fingerprint"] != plan.fingerprint:
        name, old, new = first_difference(found["identity"], plan.identity)
        raise ConfigError(
            f"run {plan.config.run!r} was trained with other settings: {name} was {json.dumps(old)[:60]}, is now "
            f"{json.dumps(new)[:60]}. Choose another name (--run NAME) or the old settings"
        )
    return found


def _put_files(plan: TrainPlan, adapter: Path) -> dict[str, str]:
    """Put the adapter's files on the store; return key -> sha256."""
    hashes = {}
    for name in (WEIGHTS, CONFIG):
        key = f"adapters/{plan.fingerprint}/{name}"
        plan.store.put_if_absent(key, (adapter / name).read_bytes())
        hashes[key] = file_sha256(adapter / name)
    return hashes


def local_adapter(plan: TrainPlan, manifest: Mapping[str, Any]) -> Path:
    """Return the adapter's folder on this machine: the store's own, or a copy in the cache."""
    keys = sorted(manifest["files"])
    place = plan.store.local_path(keys[0])
    if place is not None:
        return Path(place).parent

    def build(folder: Path) -> None:
        for key in keys:
            (folder / key.rpartition("/")[2]).write_bytes(plan.store.get(key))

    return build_once(cache_dir(), f"adapter-{digest(dict(manifest['files']))[:16]}", build)


def _shown(plan: TrainPlan, key: str) -> str:
    return plan.store.local_path(key) or f"{plan.store.url}/{key}"


def usage_lines(trained: Trained, config: TrainConfig) -> list[str]:
    """Return what a job prints at the end: where the adapter is and how it is used."""
    losses = [one["loss"] for one in trained.history if "loss" in one]
    return [
        f"adapter {trained.run}: {trained.adapter}",
        f"loss {losses[0]:.4f} -> {losses[-1]:.4f} over {len(losses)} steps; report: {trained.report}",
        f"use it in a model's or judge's file: engine: {{adapters: {{{trained.run}: {trained.adapter}}}, max_lora_rank: "
        f"{config.lora.rank}}} and adapter: {trained.run}",
    ]
