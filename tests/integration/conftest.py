"""One local Ray for all tests that need one; the others run their stages in this process."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.without_ray import without_ray


@pytest.fixture(scope="session")
def ray_here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A local Ray of this test session, with its own temporary folder and without token authentication."""
    import ray

    from raylib.pipeline.session import start_local

    before = os.environ.get("RAY_AUTH_MODE")
    os.environ["RAY_AUTH_MODE"] = "disabled"
    start_local(
        lambda: ray.init(
            address="local",
            num_cpus=4,
            include_dashboard=False,
            object_store_memory=200_000_000,
            log_to_driver=False,
            logging_level="ERROR",
        )
    )
    yield
    ray.shutdown()
    os.environ.pop("RAY_AUTH_MODE")
    if before is not None:
        os.environ["RAY_AUTH_MODE"] = before


@pytest.fixture(scope="module")
def no_ray() -> Iterator[None]:
    """Stages run in this process, for a whole module."""
    with without_ray():
        yield


@pytest.fixture(scope="module", autouse=True)
def without_figures() -> Iterator[None]:
    """Runs of one model draw no figures: they take seconds a report, and tests/unit and tests/e2e look at them.

    Once per module, not per session: a session would keep them undrawn for the unit tests, which run later.
    """
    from raylib.studies.narratives.figures import report

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(report, "figures_of", lambda _options, _data: [])
        yield


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """An empty folder for a run's store."""
    return tmp_path / "store"
