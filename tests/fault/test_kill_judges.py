"""A driver killed while the second of two judges is at work: the first is not asked again, the second only what is left."""

import signal
from pathlib import Path

import pytest

from raylib.store.local import LocalStore
from raylib.store.manifests import existing_manifest, read_manifest
from tests.fault.test_kill_driver import START_S, finish, gone, processes_of, start, wait_for
from tests.judges_support import ESSAYS, UNIT, asked, judge, labels, run_judged, verify_judged, write_judged
from tests.without_ray import without_ray

pytestmark = pytest.mark.ray
ALL = ("--limit", str(ESSAYS))


def parts_of_beta(store: Path) -> dict[Path, bytes]:
    alpha = existing_manifest(LocalStore(store), "small", "annotate-alpha")
    if alpha is None:
        return {}
    paths = store.glob("parts/annotate/*/*.parquet")
    return {path: path.read_bytes() for path in paths if path.parent.name != alpha.fingerprint}


def test_a_second_judge_goes_on_where_it_was_killed(tmp_path: Path) -> None:
    store = tmp_path / "store"
    slow = judge(store / "asked-beta", version=2, delay_s=1.0, units_in_flight=1)
    config = write_judged(tmp_path, store, labellers={"alpha": judge(store / "asked-alpha"), "beta": slow})
    driver = start(config, *ALL)
    wait_for(lambda: len(parts_of_beta(store)) >= 2 or driver.poll() is not None, 2 * START_S)  # three stages to start
    assert driver.poll() is None, finish(driver)
    children = processes_of(driver)
    driver.send_signal(signal.SIGKILL)
    finish(driver)
    wait_for(lambda: gone(children))
    committed, before = parts_of_beta(store), asked(store, "beta")
    assert 2 <= len(committed) < ESSAYS // UNIT
    assert existing_manifest(LocalStore(store), "small", "annotate-beta") is None

    with without_ray():
        assert run_judged(config) == 0
    assert asked(store, "alpha") == ESSAYS
    assert asked(store, "beta") == before + ESSAYS - UNIT * len(committed)
    assert all(path.read_bytes() == data for path, data in committed.items())
    assert set(committed) <= {
        store / part.key for part in read_manifest(LocalStore(store), "small", "annotate-beta").parts
    }
    for name in ("alpha", "beta", None):
        assert len(set(labels(store, name)["sample_id"].to_pylist())) == ESSAYS
    assert verify_judged(config) == 0
