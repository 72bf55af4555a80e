"""The training on Ray Train: workers that may die, checkpoints on the store, lines about how it goes."""

import contextlib
import logging
import os
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from raylib.config.run import ModelConfig
from raylib.errors import FairsweepError, LimitError
from raylib.pipeline.models import model_spec
from raylib.pipeline.reported import rebuilt, reported
from raylib.pipeline.session import debugging, missing_resources
from raylib.pipeline.training.plan import TrainPlan
from raylib.store.open import StoreOptions
from raylib.training.loop import Order, Place, train_worker

LOG = logging.getLogger(__name__)
_KEPT = 2
"""Checkpoints on the store; one is in use while the next is written."""


class Progress:
    """A small actor: workers tell it how far they are, the driver asks."""

    def __init__(self) -> None:
        self._facts: list[dict[str, Any]] = []
        self._error: dict[str, Any] | None = None

    def tell(self, facts: dict[str, Any]) -> None:
        """Take in one step."""
        self._facts.append(facts)

    def fail(self, error: dict[str, Any]) -> None:
        """Take in an error of ours, as `reported` writes it."""
        self._error = error

    def error(self) -> dict[str, Any] | None:
        """Return the error of a worker, if there was one."""
        return self._error

    def take(self) -> list[dict[str, Any]]:
        """Return what came since the last call."""
        facts, self._facts = self._facts, []
        return facts


def run_workers(plan: TrainPlan, prefix: str, into: Path) -> None:
    """Train on a joined Ray, from the newest checkpoint under `prefix` of the store on; copy the last one to `into`.

    Raises:
        LimitError: workers died more often than resources.failures, or there is no room for the fewest of them.
        FairsweepError: what a worker said is wrong.
    """
    os.environ.setdefault("RAY_TRAIN_V2_ENABLED", "1")
    os.environ.setdefault(
        "AWS_REQUEST_CHECKSUM_CALCULATION", "when_required"
    )  # see raylib.store: not all servers know more
    import ray
    from ray.train import CheckpointConfig, FailureConfig, RunConfig, ScalingConfig
    from ray.train.torch import TorchConfig, TorchTrainer

    resources = plan.config.resources
    fewest, most = resources.workers
    if lacks := missing_resources(resources.cpus_per_worker, resources.gpus_per_worker, fewest):
        raise LimitError(f"{lacks}: lower resources.workers or resources.cpus_per_worker, or add machines")
    progress = ray.remote(Progress).options(num_cpus=0).remote()
    path, filesystem = storage(plan.store_options, prefix)
    each = {"CPU": resources.cpus_per_worker} | (
        {"GPU": resources.gpus_per_worker} if resources.gpus_per_worker else {}
    )
    trainer = TorchTrainer(
        _work,
        train_loop_config={
            "model": plan.config.model, "store": plan.store_options, "order": plan.order, "progress": progress,
        },
        torch_config=TorchConfig(backend="nccl" if resources.gpus_per_worker else "gloo"),
        scaling_config=ScalingConfig(
            num_workers=fewest if fewest == most else (fewest, most), use_gpu=resources.gpus_per_worker > 0,
            resources_per_worker=each,
        ),
        run_config=RunConfig(
            name=plan.fingerprint, storage_path=path, storage_filesystem=filesystem,
            failure_config=FailureConfig(max_failures=resources.failures),
            checkpoint_config=CheckpointConfig(num_to_keep=_KEPT),
        ),
    )  # fmt: skip
    for name in ("ray.train", "ray.data"):
        logging.getLogger(name).setLevel(logging.INFO if debugging() else logging.ERROR)
    with _said(progress, plan.order.steps):
        try:
            result = trainer.fit()
        except Exception as error:
            told = ray.get(progress.error.remote())
            if told is not None:
                raise rebuilt(told) from error
            raise LimitError(
                f"the training was given up: {_root(error)}. The same command goes on from the last checkpoint; "
                "resources.failures says how many deaths of workers to bear, FAIRSWEEP_DEBUG=1 shows their logs"
            ) from error
    with result.checkpoint.as_directory() as folder:
        _copy(Path(folder), into)


def storage(store: StoreOptions, prefix: str) -> tuple[str, Any]:
    """Return path and pyarrow file system of a place on the run's store, as Ray Train takes them."""
    import pyarrow.fs

    if not store.url.startswith("s3://"):
        return str(Path(store.url) / prefix), None
    bucket, _, inner = store.url.removeprefix("s3://").partition("/")
    options: dict[str, Any] = {}
    if store.endpoint:
        parts = urlsplit(store.endpoint)
        options |= {"endpoint_override": parts.netloc, "scheme": parts.scheme}
    if store.region or store.endpoint:
        options["region"] = store.region or "us-east-1"
    if store.access_key_env and store.secret_key_env:
        options |= {"access_key": os.environ[store.access_key_env], "secret_key": os.environ[store.secret_key_env]}
    return "/".join(part for part in (bucket, inner.strip("/"), prefix) if part), pyarrow.fs.S3FileSystem(**options)


def _work(job: Mapping[str, Any]) -> None:
    """Run in every worker."""
    import ray.train
    import torch

    model: ModelConfig = job["model"]
    order: Order = job["order"]
    context = ray.train.get_context()
    rank = context.get_world_rank()

    def report(facts: Mapping[str, float], saves: bool, folder: Path | None) -> None:
        if rank == 0:
            job["progress"].tell.remote(dict(facts))
        if saves:  # Ray takes reports in every two seconds and holds the workers up meanwhile: not for every step
            ray.train.report(
                dict(facts), checkpoint=ray.train.Checkpoint.from_directory(str(folder)) if folder is not None else None
            )

    checkpoint = ray.train.get_checkpoint()
    try:
        with checkpoint.as_directory() if checkpoint else contextlib.nullcontext() as folder:
            device = "cuda:0" if torch.cuda.is_available() and ray.get_gpu_ids() else "cpu"
            place = Place(rank, context.get_world_size(), device, Path(folder) if folder else None, report)
            path = model_spec(model, job["store"]).path
            assert path is not None  # noqa: S101 - the plan saw to it
            train_worker(path, order, place)
    except FairsweepError as error:
        ray.get(job["progress"].fail.remote(reported(error)))
        raise


@contextlib.contextmanager
def _said(progress: Any, steps: int) -> Iterator[None]:
    """Log how it goes, every few seconds, while the body of `with` waits for the training."""
    import ray

    ended = threading.Event()

    def follow() -> None:
        while not ended.wait(5):
            try:
                facts = ray.get(progress.take.remote(), timeout=5)
            except Exception:  # noqa: BLE001 - Ray is being taken down: there is nobody to tell
                return
            if facts:
                LOG.info("%s", progress_line(facts, steps))

    thread = threading.Thread(target=follow, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(10)


def progress_line(facts: list[dict[str, Any]], steps: int) -> str:
    """Return step, loss, tokens a second and what is left, from the steps since the last line."""
    last, seconds = facts[-1], sum(one["seconds"] for one in facts)
    left = (steps - last["step"]) * seconds / len(facts)
    held = f", held-out loss {last['held_out']:.4f}" if "held_out" in last else ""
    return (
        f"step {last['step']} of {steps}: loss {last['loss']:.4f}{held}, "
        f"{sum(one['tokens'] for one in facts) / max(seconds, 1e-9):.0f} tokens/s, {left / 60:.0f} min left"
    )


def _copy(source: Path, into: Path) -> None:
    import shutil

    shutil.copytree(source, into, dirs_exist_ok=True)


def _root(error: BaseException) -> str:
    failures = getattr(error, "worker_failures", None)
    if failures:
        error = next(iter(failures.values()))
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[-1] if text else ''}"[:300]
