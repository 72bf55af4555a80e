"""Who goes on after each look, what is recorded, and that a plan follows from the record: no Ray, no store."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from raylib.config.loading import validate
from raylib.config.run import RunConfig, UntilConfig
from raylib.config.sweep import Sweep
from raylib.errors import ConfigError, DataError
from raylib.pipeline.arguments import Arguments
from raylib.pipeline.context import Context
from raylib.pipeline.generate import Chunk, plan_generate
from raylib.pipeline.planning.dry_run import dry_run
from raylib.pipeline.rounds import drawn_plan
from raylib.pipeline.until import Drawing, chunks_of, differences
from raylib.schemas import OBSERVATIONS
from raylib.stats.sequential import Moments, share_of_fixed_prompts
from raylib.store.manifests import Manifest
from raylib.studies.base import StudyOptions, WatchedCell
from tests.pipeline_support import run_tree

OPTIONS = StudyOptions("toy")


class Toy:
    """Two cells, `wild` (prompts a, b) and `calm` (c, d); a sample observes what its status says: "1", "0" or "ok"."""

    name = "toy"

    def watched(self, options: StudyOptions, prompts: pa.Table) -> list[WatchedCell]:
        return [WatchedCell("wild", ("yes",), ("a", "b")), WatchedCell("calm", ("yes",), ("c", "d"))]

    def observations(self, options: StudyOptions, annotations: pa.Table, prompts: pa.Table) -> pa.Table:
        rows = [
            {
                "cell": "wild" if row["prompt_id"] in "ab" else "calm",
                "share": "yes",
                "prompt_id": row["prompt_id"],
                "counted": float(row["status"]),
                "total": 1.0,
            }
            for row in annotations.to_pylist()
            if row["status"] in "01"
        ]
        return pa.Table.from_pylist(rows, schema=OBSERVATIONS)


def prompts(clusters: str = "abcd") -> pa.Table:
    return pa.table({"prompt_id": list("abcd"), "prompt": list("abcd"), "cluster": list(clusters)})


def drawing(clusters: str = "abcd", **until: Any) -> Drawing:
    wanted = UntilConfig(**({"half_width": 0.2, "first": 20, "max": 100} | until))
    return Drawing(Toy(), OPTIONS, prompts(clusters), wanted)  # type: ignore[arg-type]


def draw(one: Drawing, wild: str = "10", calm: str = "0") -> None:
    """Answer a chunk: the statuses of each prompt's samples repeat."""
    chunk = one.chunk
    assert chunk is not None
    rows = [
        {"prompt_id": prompt, "status": answers[place % len(answers)]}
        for prompt in sorted(chunk.prompts)
        for answers in [wild if prompt in "ab" else calm]
        for place in range(chunk.start, chunk.stop)
    ]
    one.add(pa.Table.from_pylist(rows, pa.schema([("prompt_id", pa.string()), ("status", pa.string())])))


def test_a_cell_that_is_narrow_stops_and_the_other_goes_on():
    one = drawing()
    assert one.looks == (20, 40, 80, 100)
    assert one.chunk == Chunk(frozenset("abcd"), 0, 20)
    draw(one)
    assert one.decide() == "look 1 of 4: 2 of 4 prompts go on; widest half width 0.315 in wild yes"
    assert one.chunk == Chunk(frozenset("ab"), 20, 40)
    draw(one)
    one.decide()
    assert one.samples["c"] == 20
    assert one.samples["a"] == 40


def test_the_interval_of_a_look_is_that_of_its_share_of_alpha():
    one = drawing()
    draw(one)
    one.decide()
    calm = one.judged[0]
    m = [20.0, 20.0]
    found = share_of_fixed_prompts(Moments(*map(pa.array, (m, [0.0] * 2, m, [0.0] * 2, [0.0] * 2, m))), 1 - 0.05 / 4)
    assert (calm.cell, calm.look, calm.samples, calm.observations, calm.estimate, calm.narrow) == (
        "calm", 1, 20, 40.0, 0.0, True,
    )  # fmt: skip
    assert calm.half_width == pytest.approx(float(found.half_width), abs=1e-9)
    assert (calm.low, calm.high) == (0.0, pytest.approx(float(found.high), abs=1e-9))


def test_the_last_look_ends_it_and_says_that_the_share_is_wide():
    one = drawing(half_width=0.01)
    while one.chunk is not None:
        draw(one)
        one.decide()
    assert one.samples == dict.fromkeys("abcd", 100)
    assert [(shares.cell, shares.look, shares.narrow) for shares in one.judged] == [
        ("wild", 4, False),
        ("calm", 4, False),
    ]


def test_prompts_of_one_cluster_go_on_together():
    one = drawing(clusters="wxxz")  # b (wild) and c (calm) are one cluster
    draw(one)
    one.decide()
    assert one.chunk == Chunk(frozenset("abc"), 20, 40)
    draw(one)
    one.decide()
    assert next((shares.cell, shares.samples) for shares in one.judged) == ("calm", 20)  # its interval stays as it was


def test_a_share_that_was_never_observed_is_unknown_and_drawn_to_the_most():
    one = drawing(max=40)
    draw(one, wild="ok", calm="0")
    one.add(pa.table({"prompt_id": ["a"], "status": ["error"]}))
    assert one.decide() == "look 1 of 2: 2 of 4 prompts go on; widest half width unknown in wild yes"
    draw(one, wild="ok")
    one.decide()
    wild = one.judged[1]
    assert (wild.estimate, wild.half_width, wild.low, wild.high, wild.narrow) == (None, None, 0, 1, False)


def test_failed_samples_are_no_samples():
    whole, holed = drawing(), drawing()
    draw(whole)
    draw(holed)
    holed.add(pa.table({"prompt_id": ["a"] * 50, "status": ["error"] * 50}))
    assert whole.decide() == holed.decide()


def test_what_was_added_in_another_order_of_parts_decides_alike():
    parts = [pa.table({"prompt_id": list("abcd") * 5, "status": [str(k % 2)] * 20}) for k in range(4)]
    one, other = drawing(), drawing()
    for part, reverse in zip(parts, reversed(parts), strict=True):
        one.add(part)
        other.add(reverse)
    assert (one.decide(), one.record()) == (other.decide(), other.record())


def test_a_study_that_watches_nothing_is_refused_with_what_to_type():
    class Blind:
        name = "blind"

    class Empty(Toy):
        def watched(self, options: StudyOptions, prompts: pa.Table) -> list[WatchedCell]:
            return []

    for study in (Blind(), Empty()):
        with pytest.raises(
            ConfigError, match=r"declares no shares .*--set sampling.until=null\) and give --set samples=N"
        ):
            Drawing(study, OPTIONS, prompts(), UntilConfig(half_width=0.1, max=100))  # type: ignore[arg-type]


def test_a_study_whose_observations_have_other_columns_is_refused():
    class Wrong(Toy):
        def observations(self, options: StudyOptions, annotations: pa.Table, prompts: pa.Table) -> pa.Table:
            return pa.table({"cell": ["wild"]})

    one = Drawing(Wrong(), OPTIONS, prompts(), UntilConfig(half_width=0.1, max=100))  # type: ignore[arg-type]
    with pytest.raises(DataError, match=r"another schema than raylib\.schemas\.OBSERVATIONS"):
        one.add(pa.table({"prompt_id": ["a"], "status": ["1"]}))


def test_chunks_follow_from_the_samples_of_each_prompt():
    until = UntilConfig(half_width=0.1, first=20, max=100)
    assert chunks_of(until, {"a": 40, "b": 20, "c": 40}) == [
        Chunk(frozenset("abc"), 0, 20),
        Chunk(frozenset("ac"), 20, 40),
    ]


def config(**changes: Any) -> RunConfig:
    return validate(run_tree(Path("x"), **changes), RunConfig, "test")


def test_a_plan_in_chunks_holds_the_ids_that_a_fixed_plan_has():
    fixed = plan_generate(config(), prompts())
    chunks = [Chunk(frozenset("abcd"), 0, 1), Chunk(frozenset("bd"), 1, 4)]
    adaptive = plan_generate(
        config(samples=None, sampling__until={"half_width": 0.1, "first": 2, "max": 4}), prompts(), chunks
    )
    assert adaptive.fingerprint == fixed.fingerprint
    ids = {one for unit in adaptive.units for one in unit.ids}
    assert len(ids) == adaptive.samples == 4 + 2 * 3
    assert ids < {one for unit in fixed.units for one in unit.ids}
    assert [(unit.payload["start"], unit.payload["count"]) for unit in adaptive.units[4:]] == [(1, 2), (3, 1)] * 2


@pytest.mark.parametrize("samples", [None, {}, {"a": 20}, 7, "wrong look"])
def test_a_manifest_that_does_not_say_what_was_drawn_is_refused(samples: object):
    context = Context(config(samples=None, sampling__until={"half_width": 0.1, "first": 20, "max": 40}), 6)
    ids = context.prompts["prompt_id"].to_pylist()
    said = dict.fromkeys(ids, 30) if samples == "wrong look" else samples
    manifest = Manifest("generate", "f", "small", (), (), (), 0, 0, provenance={"until": {"samples": said}})
    with pytest.raises(DataError, match=r"run 'small' does not say how many samples .* run jobs/audit\.py"):
        drawn_plan(context, manifest)
    manifest = Manifest(
        "generate", "f", "small", (), (), (), 0, 0, provenance={"until": {"samples": dict.fromkeys(ids, 20)}}
    )
    assert drawn_plan(context, manifest).samples == 6 * 20


def test_a_record_that_says_otherwise_is_a_finding_and_an_equal_one_is_none():
    record = {"samples": {"a": 20}, "shares": []}
    assert differences(record, record) == []
    assert differences({"samples": {"a": 40}, "shares": []}, record) == [
        "until: the recorded samples are not what these annotations give; run jobs/audit.py with this config again"
    ]


def test_a_dry_run_names_the_looks():
    wanted = {"half_width": 0.1, "first": 20, "max": 1000}
    one = Sweep("small", (config(samples=None, sampling__until=wanted),), several=False)
    lines = dry_run(one, Arguments("run.yaml", (), None, 6, dry_run=True, retry=False)).splitlines()
    assert "samples        at most 6,000 (20, 40, 80, 160, 320, 640, 1,000 a prompt)" in lines
