"""The only place that calls ray.init: one session a job, on the cluster at hand or on a local one."""

import logging
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from raylib.config.run import ResourcesConfig
from raylib.errors import ConfigError, StoppedError, UnfinishedError

LOG = logging.getLogger(__name__)
_MIN_LOGICAL_CPUS = 4  # stages wait on one engine; more logical than real CPUs keep them moving


def debugging() -> bool:
    """Say whether FAIRSWEEP_DEBUG asks for the chatter of Ray and vLLM."""
    return os.environ.get("FAIRSWEEP_DEBUG", "") not in ("", "0")


class RaySession:
    """Ray, joined when a stage first needs it and left at the end: a run with nothing to do never starts it."""

    def __init__(self, resources: ResourcesConfig, *, may_work: bool = True) -> None:
        self._resources = resources
        self._may_work = may_work
        self._connected = False
        self.local = False
        """Whether this process started the Ray that it uses: then no node can be added to it."""

    def __enter__(self) -> "RaySession":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, StoppedError):
            return  # the job ends its processes itself: taking Ray apart may hang
        self.leave(cut_short=error is not None)

    def leave(self, *, cut_short: bool = True) -> None:
        """End what this session runs on Ray, a stage cut short included; `connect` begins anew, with all resources free.

        A Ray that somebody else started is left running.
        """
        if self._connected:
            import ray

            if cut_short and not debugging():
                for name in ("ray", "ray.data"):  # what Ray says of work cut short is known by now
                    logging.getLogger(name).setLevel(logging.CRITICAL)
            ray.shutdown()
            self._connected = False

    def expect_work(self, what: str) -> None:
        """Say that there is work to do, before anything is loaded for it.

        Raises:
            UnfinishedError: the session was opened only to see whether all is done.
        """
        if not self._may_work:
            raise UnfinishedError(f"not finished: {what}; run the same command without --finished")
        LOG.info("%s", what)

    def connect(self) -> None:
        """Join Ray unless this process already has; a Ray that somebody else started is used and left running.

        Raises:
            ConfigError: the cluster named by `resources.ray_address` or RAY_ADDRESS cannot be joined.
        """
        os.environ.setdefault("RAY_DEDUP_LOGS", "0")
        os.environ.setdefault("RAY_ENABLE_AUTO_CONNECT", "0")  # a thread cut short must not start a Ray of its own
        if not debugging():
            os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")  # its warnings are about Ray Data's own choices
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        import ray

        if not ray.is_initialized():
            with _own_signals():
                self._init()
            self._connected = True
        _quiet_ray_data()

    def _init(self) -> None:
        import ray

        resources = self._resources
        level = logging.INFO if debugging() else logging.ERROR
        common = {"log_to_driver": debugging(), "logging_level": level}
        address = resources.ray_address or os.environ.get("RAY_ADDRESS")
        try:
            if address:
                ray.init(address=address, **common)
                return
            LOG.info("starting a local Ray")
            self.local = True
            cpus = resources.ray_cpus or max(os.cpu_count() or 1, _MIN_LOGICAL_CPUS)
            memory = resources.object_store_mb * 2**20
            options = {"num_cpus": cpus, "include_dashboard": False, "object_store_memory": memory, **common}
            start_local(lambda: ray.init(address="local", **options))
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise ConfigError(
                f"cannot join Ray at {address or 'a local cluster'}: {' '.join(str(error).split())[:300]}. "
                "Check resources.ray_address, RAY_ADDRESS and RAY_AUTH_TOKEN_PATH, or unset them for a local Ray"
            ) from error


def start_local(start: Callable[[], Any]) -> None:
    """Start a local Ray; once more where it did not answer within Ray's own 30 s, as on a very busy machine.

    Raises:
        ConfigError: it did not answer again.
    """
    import ray

    for last in (False, True):
        try:
            start()
            return
        except Exception as error:
            if "timed out during startup" not in str(error):  # Ray raises a bare Exception there
                raise
            ray.shutdown()
            if last:
                raise ConfigError(
                    "a local Ray did not start within 30 s, twice: this machine is too busy or short of memory; end other "
                    "work on it, then run the same command again"
                ) from error
            LOG.warning("Ray did not start within 30 s; trying once more")


@contextmanager
def _own_signals() -> Iterator[None]:
    """Keep this process's handlers of SIGINT and SIGTERM, which ray.init would replace by its own."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    if threading.current_thread() is threading.main_thread():
        for number, handler in before.items():
            signal.signal(number, handler)


def _quiet_ray_data() -> None:
    import ray.data

    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = debugging()
    context.print_on_execution_start = debugging()
    context.max_errored_blocks = 0
    if not debugging():
        logging.getLogger("ray.data").setLevel(logging.ERROR)


def missing_resources(cpus: float, gpus: float, fewest: int) -> str | None:
    """Return what the cluster lacks for the fewest workers, in words, or None if it has it now."""
    import ray

    have = ray.cluster_resources()
    lacks = []
    for name, each in (("CPU", cpus), ("GPU", gpus)):
        need = each * fewest
        if need > have.get(name, 0.0):
            lacks.append(f"{have.get(name, 0.0):g} of {need:g} {name}s")
    return f"the cluster has {' and '.join(lacks)} that the stage needs" if lacks else None
