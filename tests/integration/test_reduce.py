"""The map-reduce on Ray: right sums, the same bytes in any tree and with a worker killed in the middle."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pyarrow as pa
import pytest

from raylib.config.run import RunConfig
from raylib.pipeline import map_reduce
from raylib.pipeline.context import Context
from raylib.pipeline.map_reduce import ReduceWork, map_parts, map_replicates
from raylib.pipeline.reduce import TABLES
from raylib.results import open_run
from raylib.store.local import LocalStore
from raylib.store.manifests import read_manifest
from raylib.store.parts import Receipt, read_rows
from raylib.studies.resampling import blocks_of, by_key
from raylib.studies.sums import add_up
from tests.pipeline_support import PROMPTS, SAMPLES, estimates, run_audit, run_tree, write_run
from tests.without_ray import without_ray

pytestmark = [pytest.mark.ray, pytest.mark.usefixtures("ray_here")]


@pytest.fixture(scope="module")
def annotated(ray_here: None, tmp_path_factory: pytest.TempPathFactory) -> tuple[Context, tuple[Receipt, ...]]:
    """A finished run's context and its annotation parts."""
    folder = tmp_path_factory.mktemp("annotated")
    with without_ray():
        assert run_audit(write_run(folder, folder / "store", statistics={"replicates": 2600})) == 0
    tree = run_tree(folder / "store", statistics={"replicates": 2600})
    return Context(RunConfig(**tree), PROMPTS), read_manifest(LocalStore(folder / "store"), "small", "annotate").parts


@pytest.fixture
def work(annotated: tuple[Context, tuple[Receipt, ...]]) -> ReduceWork:
    context, _ = annotated
    return ReduceWork(context.config.study, context.options, context.store_options, context.study.annotation_schema)


@pytest.fixture
def in_one_process(annotated: tuple[Context, tuple[Receipt, ...]]) -> pa.Table:
    """The sums of the run without Ray."""
    context, parts = annotated
    study = context.study
    tables = [
        study.sums(context.options, read_rows(context.store, part, study.annotation_schema), context.prompts)
        for part in parts
    ]
    return add_up(tables, study.measures)


def test_the_tree_gives_the_sums_of_one_process_whatever_its_shape(
    annotated: tuple[Context, tuple[Receipt, ...]],
    work: ReduceWork,
    in_one_process: pa.Table,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, parts = annotated
    assert in_one_process.num_rows > 50
    for cpus, fan_in in ((1, 8), (3, 2)):
        monkeypatch.setattr(map_reduce, "_cpus", lambda cpus=cpus: cpus)
        monkeypatch.setattr(map_reduce, "FAN_IN", fan_in)
        assert map_parts(work, parts).sums.equals(in_one_process)


def test_replicates_in_blocks_over_workers_are_those_of_one_process(
    annotated: tuple[Context, tuple[Receipt, ...]], work: ReduceWork, in_one_process: pa.Table
) -> None:
    study, options = annotated[0].study, work.options
    alone = study.replicates(options, in_one_process, blocks_of(options.replicates))
    assert len(alone["values"][0]) == 2600
    spread = by_key(map_replicates(work, in_one_process))
    assert list(spread) == list(by_key(alone))
    assert all(values.tobytes() == spread[key].tobytes() for key, values in by_key(alone).items())


def test_an_estimate_leads_back_to_every_sample_of_its_cell(annotated: tuple[Context, tuple[Receipt, ...]]) -> None:
    context, _ = annotated
    run = open_run(context.store.url, "small")
    asked = context.prompts.to_pylist()
    for cell, wanted in (("all/power-neutral", ("power-neutral",)), ("all/power-laden", ("power-laden",))):
        prompts = {row["prompt_id"] for row in asked if row["condition"] in wanted}
        samples = run.samples_of(cell)
        assert samples.num_rows == len(prompts) * SAMPLES
        assert set(samples["prompt_id"].to_pylist()) == prompts
        assert samples["text"].null_count == 0


def test_a_torn_part_is_named_in_one_error(
    annotated: tuple[Context, tuple[Receipt, ...]], work: ReduceWork, tmp_path: Path
) -> None:
    from dataclasses import replace

    from raylib.errors import DataError

    torn = replace(annotated[1][3], sha256="0" * 64)
    with pytest.raises(DataError, match=torn.key):
        map_parts(work, [*annotated[1][:3], torn])


def test_a_run_in_which_every_story_is_refused_has_no_number_and_a_report(tmp_path: Path) -> None:
    faults = [{"kind": "refuse", "rate": 1.0}]
    with without_ray():
        assert run_audit(write_run(tmp_path, tmp_path / "store", model__engine__faults=faults)) == 0
    rows = estimates(tmp_path / "store").to_pylist()
    assert {row["status"] for row in rows} == {"no data", "not modelled"}
    assert all(row["estimate"] is None and row["q_value"] is None for row in rows)
    assert list((tmp_path / "store").glob("runs/small/report/*.html"))


@pytest.fixture
def killer() -> Iterator[list[int]]:
    """Kill the first two worker processes that run a reduce task; the list holds their ids."""
    killed: list[int] = []
    ended = threading.Event()

    def watch() -> None:
        while not ended.is_set() and len(killed) < 2:
            for process in psutil.process_iter(["cmdline"]):
                line = " ".join(process.info["cmdline"] or [])
                if line.startswith("ray::") and "TableTask" in line and process.pid not in killed:
                    process.kill()
                    killed.append(process.pid)
                    break
            time.sleep(0.02)

    thread = threading.Thread(target=watch)
    thread.start()
    yield killed
    ended.set()
    thread.join()


def test_workers_killed_in_the_middle_change_no_byte(tmp_path: Path, killer: list[int]) -> None:
    """Both runs reduce the same annotations: the second under another name, without anybody killed."""
    store = tmp_path / "store"
    options = {"statistics": {"replicates": 5000}}
    assert run_audit(write_run(tmp_path / "a", store, **options)) == 0
    assert killer, "no worker was killed, so nothing was tried"
    first = {path.name: path.read_bytes() for path in store.glob("results/*/*.parquet")}
    assert {name.removesuffix(".parquet").partition("-")[0] for name in first} == set(TABLES)
    calm = tmp_path / "calm"
    with without_ray():
        assert run_audit(write_run(tmp_path / "b", calm, **options)) == 0
    assert {path.name: path.read_bytes() for path in calm.glob("results/*/*.parquet")} == first
    assert estimates(store).equals(estimates(calm))
