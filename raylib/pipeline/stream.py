"""Stream units through an autoscaling pool of workers with Ray Data; yield what becomes of each."""

import json
import queue
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from raylib.errors import LimitError
from raylib.pipeline.reported import rebuilt
from raylib.pipeline.session import missing_resources
from raylib.pipeline.unit import Unit, WorkerJob, WorkerResources
from raylib.store.parts import Receipt

_TICK_S = 0.5
_END = object()
_THREAD = "units"


@dataclass(frozen=True)
class Finished:
    """A unit that needs no more work: committed (receipt, info) or quarantined (quarantine)."""

    receipt: Receipt | None = None
    info: Mapping[str, Any] = field(default_factory=dict)
    quarantine: Mapping[str, Any] = field(default_factory=dict)


def stream_units(
    units: Sequence[Unit],
    job: WorkerJob,
    resources: WorkerResources,
    no_progress_s: float,
    tick: Callable[[], None],
) -> Generator[Finished, None, None]:
    """Yield each unit's end, in the order in which they end; call `tick` about twice a second meanwhile.

    Close it to begin no more units.

    Raises:
        LimitError: no unit ended for `no_progress_s` seconds; the message says what the stage waits for.
        FairsweepError: a worker reported something that ends the stage.
    """
    answers: queue.Queue[Any] = queue.Queue()
    closed = threading.Event()
    threading.Thread(target=_pump, args=(units, job, resources, answers, closed), daemon=True, name=_THREAD).start()
    last = time.monotonic()
    try:
        while True:
            tick()
            try:
                answer = answers.get(timeout=_TICK_S)
            except queue.Empty:
                if time.monotonic() - last > no_progress_s:
                    raise LimitError(_waiting_for(job, resources, no_progress_s)) from None
                continue
            if answer is _END:
                return
            if isinstance(answer, BaseException):
                raise answer
            last = time.monotonic()
            yield _finished(answer["kind"], json.loads(answer["json"]))
    finally:
        closed.set()


def still_at_work(patience_s: float = 20.0) -> bool:
    """Wait for a stream that was closed to let go of its workers; return whether one has not (its units hang)."""
    threads = [thread for thread in threading.enumerate() if thread.name == _THREAD]
    for thread in threads:
        thread.join(patience_s)
    return any(thread.is_alive() for thread in threads)


def _pump(
    units: Sequence[Unit],
    job: WorkerJob,
    resources: WorkerResources,
    answers: "queue.Queue[Any]",
    closed: threading.Event,
) -> None:
    try:
        for batch in _dataset(units, job, resources).iter_batches(
            batch_size=None, prefetch_batches=0, batch_format="pyarrow"
        ):
            if closed.is_set():
                return  # nobody listens: the rest of the units is not begun
            for row in batch.to_pylist():
                answers.put(row)
        answers.put(_END)
    except BaseException as error:  # noqa: BLE001 - handed to the main thread, which raises it
        answers.put(error)


def _dataset(units: Sequence[Unit], job: WorkerJob, resources: WorkerResources) -> Any:
    import ray.data

    from raylib.pipeline.ledger import Ledger
    from raylib.pipeline.worker import UnitWorker

    ledger = Ledger.remote()  # type: ignore[attr-defined]
    rows = [{"unit": unit.to_json()} for unit in units]
    fewest, most = resources.actors
    most = min(most, max(fewest, len(units)))
    return ray.data.from_items(rows, override_num_blocks=len(rows)).map_batches(
        UnitWorker,
        batch_size=1,
        batch_format="pyarrow",
        fn_constructor_args=(job, ledger),
        compute=ray.data.ActorPoolStrategy(
            min_size=fewest,
            max_size=most,
            max_tasks_in_flight_per_actor=resources.in_flight + 1,
            max_concurrent_calls_per_actor=resources.in_flight,
        ),
        num_cpus=resources.cpus,
        num_gpus=resources.gpus or None,
        runtime_env={"env_vars": dict(resources.environment)} if resources.environment else None,
    )


def _finished(kind: str, answer: dict[str, Any]) -> Finished:
    if kind == "committed":
        return Finished(receipt=Receipt.from_dict(answer["receipt"]), info=answer["info"])
    if kind == "quarantined":
        return Finished(quarantine=answer)
    raise rebuilt(answer)


def _waiting_for(job: WorkerJob, resources: WorkerResources, seconds: float) -> str:
    lacking = missing_resources(resources.cpus, resources.gpus, resources.actors[0])
    cause = lacking or "all workers have their resources, so a unit takes longer than that or a model is still loading"
    return (
        f"{job.stage}: no unit finished for {seconds:g} s: {cause}. Nothing is lost: add what is missing "
        "or raise limits.no_progress_s, and run the same command again"
    )
