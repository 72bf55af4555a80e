"""Several labellers in one run, stage by stage: who is asked what, what is combined, what is refused. No Ray: see `here`."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from raylib.errors import ConfigError, DataError, StoppedError
from raylib.ids import fingerprint
from raylib.pipeline import stage
from raylib.pipeline.annotate import annotation_identity, plan_annotate
from raylib.pipeline.chain import Chain, run_identity
from raylib.pipeline.context import Context
from raylib.pipeline.generate import plan_generate
from raylib.pipeline.judges import judges_identity
from raylib.pipeline.labelled import LabelledParts
from raylib.pipeline.labelling import labeller_identity
from raylib.pipeline.session import RaySession
from raylib.pipeline.stream import Finished
from raylib.pipeline.unit import StagePlan, Unit
from raylib.store.local import LocalStore
from raylib.store.manifests import Manifest, read_manifest, staleness, write_manifest
from tests.judges_support import ESSAYS, UNIT, asked, judge, labels, run_config, verify_judged, write_judged


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do the units in this process: what Ray adds is tested in tests/integration."""
    monkeypatch.setattr(stage, "_on_ray", stage._in_driver)


def chain(store: Path, retry: bool = False, **changes: Any) -> Chain:
    config = run_config(store, **changes)
    return Chain(Context(config, retry=retry), RaySession(config.resources))


def labelled(store: Path, **changes: Any) -> Manifest:
    """Generate and label, and return the annotate manifest."""
    one = chain(store, **changes)
    one.generate()
    return one.annotate()


def identity(**changes: Any) -> dict[str, Any]:
    return judges_identity(Context(run_config(Path("x"), **changes)))


LLM = {"name": "narratives", "options": {"extractor": "llm"}}
ALPHA, BETA = judge(Path("a")), judge(Path("b"), version=2)


@pytest.mark.usefixtures("here")
def test_each_judge_labels_every_essay_and_the_annotate_stage_combines_them(tmp_path: Path) -> None:
    manifest = labelled(tmp_path)
    alpha, beta, both = labels(tmp_path, "alpha"), labels(tmp_path, "beta"), labels(tmp_path)
    assert (asked(tmp_path, "alpha"), asked(tmp_path, "beta")) == (ESSAYS, ESSAYS)
    assert alpha["sample_id"] == beta["sample_id"] == both["sample_id"]
    assert alpha["score"] != beta["score"]
    for one, other, row in zip(alpha.to_pylist(), beta.to_pylist(), both.to_pylist(), strict=True):
        said = {verdict["judge"]: verdict for verdict in row["verdicts"]}
        assert (said["alpha"]["score"], said["beta"]["score"]) == (one["score"], other["score"])
        assert row["score"] == (one["score"] if one["score"] == other["score"] else None)  # majority of two: both
        assert row["declines"] == one["declines"]
    assert manifest.planned_units == len(manifest.parts) == ESSAYS // UNIT
    stages = [parent["key"].split("/")[-2] for parent in manifest.parents]
    assert stages == ["generate", "annotate-alpha", "annotate-beta"]


@pytest.mark.usefixtures("here")
def test_the_same_command_again_asks_and_writes_nothing(tmp_path: Path) -> None:
    labelled(tmp_path)
    before = {info.key for info in LocalStore(tmp_path).list("") if not info.key.startswith("probe/")}
    labelled(tmp_path)
    assert {info.key for info in LocalStore(tmp_path).list("") if not info.key.startswith("probe/")} == before
    assert (asked(tmp_path, "alpha"), asked(tmp_path, "beta")) == (ESSAYS, ESSAYS)


def test_a_second_judge_that_was_stopped_goes_on_where_it_was_and_the_first_is_not_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(plan: StagePlan, around: stage.StageRun, todo: list[Unit]) -> stage.Stream:
        def stream(tick: stage.Action) -> Generator[Finished, None, None]:
            for number, event in enumerate(stage._in_driver(plan, around, todo)(tick)):
                if (plan.name, number) == ("annotate-beta", 3):
                    raise StoppedError("SIGKILL", 137)  # its fourth part is on the store, and nobody was told
                yield event

        return stream

    monkeypatch.setattr(stage, "_on_ray", stopped)
    with pytest.raises(StoppedError):
        labelled(tmp_path)
    assert (asked(tmp_path, "alpha"), asked(tmp_path, "beta")) == (ESSAYS, 4 * UNIT)
    with pytest.raises(DataError, match="has no manifest of stage 'annotate'"):
        chain(tmp_path).reduce()

    monkeypatch.setattr(stage, "_on_ray", stage._in_driver)
    whole = labelled(tmp_path)
    assert (asked(tmp_path, "alpha"), asked(tmp_path, "beta")) == (ESSAYS, ESSAYS)
    undisturbed = labelled(tmp_path / "undisturbed")
    assert [part.sha256 for part in undisturbed.parts] == [part.sha256 for part in whole.parts]


@pytest.mark.usefixtures("here")
def test_a_judge_that_changes_is_asked_again_and_the_other_is_not(tmp_path: Path) -> None:
    first = labelled(tmp_path)
    changed = {"alpha": judge(tmp_path / "asked-alpha"), "beta": judge(tmp_path / "asked-beta", version=3)}
    with pytest.raises(ConfigError, match=r"labellers\.beta\.labeller\.model\.engine\.version was 2, is now 3"):
        labelled(tmp_path, labellers=changed)
    second = labelled(tmp_path, labellers=changed, run="other")
    assert (asked(tmp_path, "alpha"), asked(tmp_path, "beta")) == (ESSAYS, 2 * ESSAYS)
    assert first.fingerprint != second.fingerprint


@pytest.mark.usefixtures("here")
def test_another_combination_asks_nobody(tmp_path: Path) -> None:
    first = labelled(tmp_path)
    options = {"axes": ["nonce"], "topics": ["LI"], "combine": "mean"}
    second = labelled(tmp_path, run="mean", study={"name": "ltf", "options": options})
    assert (asked(tmp_path, "alpha"), asked(tmp_path, "beta")) == (ESSAYS, ESSAYS)
    assert first.fingerprint != second.fingerprint
    table = labels(tmp_path, run="mean")
    assert "judges_disagree" not in table["judge_status"].to_pylist()
    assert "judges_disagree" in labels(tmp_path)["judge_status"].to_pylist()


@pytest.mark.usefixtures("here")
def test_a_second_judge_beside_the_one_that_there_was_asks_the_first_nothing_again(tmp_path: Path) -> None:
    alone = {"labellers": None, "labeller": judge(tmp_path / "asked-alpha"), "run": "alone"}
    one = labelled(tmp_path, **alone)
    labelled(tmp_path)
    assert (asked(tmp_path, "alpha"), asked(tmp_path, "beta")) == (ESSAYS, ESSAYS)
    assert read_manifest(LocalStore(tmp_path), "small", "annotate-alpha").parts == one.parts


@pytest.mark.usefixtures("here")
def test_judges_in_another_order_are_the_same_run(tmp_path: Path) -> None:
    first = labelled(tmp_path)
    turned = {"beta": judge(tmp_path / "asked-beta", version=2), "alpha": judge(tmp_path / "asked-alpha")}
    assert labelled(tmp_path, labellers=turned).statement() == first.statement()


@pytest.mark.usefixtures("here")
def test_what_one_judge_gave_up_is_missing_from_the_combination_until_it_is_labelled(tmp_path: Path) -> None:
    one = chain(tmp_path)
    generation = one.generate()
    whole = one.annotate()
    store = LocalStore(tmp_path)
    beta = read_manifest(store, "small", "annotate-beta")
    lost = {
        "unit_id": beta.parts[0].unit_id,
        "reason": "crash",
        "attempts": 3,
        "ids": UNIT,
        "fingerprint": beta.fingerprint,
    }
    (tmp_path / beta.parts[0].key).unlink()
    stage.StageRecords(store, "small", "annotate-beta").add_quarantined(lost)

    partial = chain(tmp_path).annotate()
    assert (partial.planned_units, partial.planned_rows) == (ESSAYS // UNIT - 1, ESSAYS - UNIT)
    assert partial.parts == whole.parts[1:]
    assert verify_judged(write_judged(tmp_path / "config", tmp_path)) == 0
    judges = {name: read_manifest(store, "small", f"annotate-{name}") for name in ("alpha", "beta")}
    assert len(judges["beta"].quarantined) == 1
    parts = LabelledParts(store, one._context.annotation_schema, generation, partial, judges)
    read = [parts.read(receipt) for receipt in parts.receipts]
    assert pa.concat_tables(part.completions for part in read)["sample_id"] == labels(tmp_path)["sample_id"]

    assert chain(tmp_path, retry=True).annotate().parts == whole.parts
    assert asked(tmp_path, "beta") == ESSAYS + UNIT


@pytest.mark.usefixtures("here")
def test_a_combination_of_an_older_judges_labels_is_stale(tmp_path: Path) -> None:
    manifest = labelled(tmp_path)
    store = LocalStore(tmp_path)
    assert staleness(store, manifest, "generate") is None
    write_manifest(store, Manifest("annotate-beta", "g", "small", (), (), (), 0, 0))
    said = staleness(store, manifest, "generate")
    assert said is not None
    assert said.startswith("the annotate manifest was made from an older annotate-beta manifest; run jobs/annotate.py")
    with pytest.raises(DataError, match="older annotate-beta manifest"):
        chain(tmp_path).reduce()


def test_with_one_labeller_the_stage_is_the_one_that_it_was() -> None:
    context = Context(run_config(Path("x"), labellers=None, labeller=ALPHA))
    plan = plan_generate(context.config, context.prompts)
    manifest = Manifest("generate", plan.fingerprint, "small", (), (), (), 0, 0)
    found = plan_annotate(context, plan, manifest, {})
    assert (found.name, found.parts_stage) == ("annotate", "annotate")
    before_there_could_be_several = {
        "study": "ltf",
        "version": context.study.version,
        "annotation": dict(context.study.annotation_identity(context.options)),
        **labeller_identity(context.config, context.labeller),
    }
    assert found.fingerprint == fingerprint("annotate", before_there_could_be_several)
    assert set(labeller_identity(context.config, context.labeller)["labeller"]) == {"model", "adapter", "sampling"}
    assert set(run_identity(context)["labeller"]) == {"model", "adapter", "sampling"}  # type: ignore[call-overload]


def test_the_runs_identity_holds_every_judge_by_content_and_none_of_where_it_runs() -> None:
    base = identity()
    assert set(base) == {"alpha", "beta"}
    assert base["beta"]["labeller"]["model"]["engine"]["version"] == 2
    assert base == identity(labellers={"beta": BETA | {"actors": [2, 4]}, "alpha": ALPHA | {"gpus_per_actor": 1}})
    hotter = ALPHA | {"sampling": {"temperature": 0.5, "max_tokens": 400}}
    changed = identity(labellers={"alpha": hotter, "beta": BETA})
    assert (changed["alpha"] != base["alpha"], changed["beta"]) == (True, base["beta"])
    found = run_identity(Context(run_config(Path("x"))))
    assert found["labellers"] == base


def wording(folder: Path, name: str, system: str) -> str:
    text = "{question} {group1} {group2} {begin} {end}\n{essay}\n"
    path = folder / name
    path.write_text(f"version: 1\nsystem: {system}\nuser: |\n" + "".join(f"  {line}\n" for line in text.splitlines()))
    return str(path)


def test_judges_that_differ_in_their_wording_alone_are_two_judges(tmp_path: Path) -> None:
    brief = wording(tmp_path, "brief.yaml", "Be brief.")
    found = identity(labellers={"alpha": ALPHA, "beta": ALPHA | {"prompt": brief}})
    asks = {name: one["annotation"]["judge_prompt"]["sha256"] for name, one in found.items()}
    assert asks["alpha"] != asks["beta"]
    same = wording(tmp_path, "same.yaml", "Be brief.")  # the same words in another file
    with pytest.raises(ConfigError, match="labellers alpha and beta are the same"):
        identity(labellers={"alpha": ALPHA | {"prompt": brief}, "beta": ALPHA | {"prompt": same}})


def test_a_labellers_own_wording_wins_and_is_bound_to_the_run(tmp_path: Path) -> None:
    brief = wording(tmp_path, "brief.yaml", "Be brief.")
    context = Context(run_config(tmp_path, labellers=None, labeller=ALPHA | {"prompt": brief}))
    by_option = {"axes": ["nonce"], "topics": ["LI"], "judge_prompt": brief}
    other = Context(run_config(tmp_path, labellers=None, labeller=ALPHA, study={"name": "ltf", "options": by_option}))
    assert annotation_identity(context, context.labeller) == annotation_identity(other, other.labeller)
    before = run_identity(context)
    wording(tmp_path, "brief.yaml", "Be very brief.")
    from raylib.studies.ltf.judge.prompt import load_prompt

    load_prompt.cache_clear()
    assert run_identity(context) != before


def test_equal_judges_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigError, match=r"labellers alpha and beta are the same: .* would agree whatever they are worth"
    ):
        chain(tmp_path, labellers={"alpha": ALPHA, "beta": ALPHA | {"units_in_flight": 3}}).generate()
    assert not list(tmp_path.glob("parts/*"))


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"labeller": ALPHA}, "labeller is one, labellers are several: keep one key"),
        ({"labellers": {"alpha": ALPHA}}, r"give two or more.*one alone is `labeller: \{use: NAME\}`"),
        ({"labellers": {"model": ALPHA, "beta": BETA}}, "'model' cannot be the name of a labeller"),
        ({"labellers": {"Alpha": ALPHA, "beta": BETA}}, "labellers: name 'Alpha' is not a valid name"),
        ({"labellers": {"a" * 41: ALPHA, "beta": BETA}}, "is too long; 40 characters at most"),
        ({"labellers": {"alpha": ALPHA | {"adaptr": "x"}, "beta": BETA}}, r"labellers\.alpha\.adaptr.*Did you mean 'adapter'"),
        ({"samples": None, "sampling": {"until": {"half_width": 0.1, "max": 50}}}, "decides by the labels of one labeller"),
    ],
)  # fmt: skip
def test_labellers_that_cannot_be_are_refused_in_one_line(changes: dict[str, Any], why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        run_config(Path("x"), **changes)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"study": LLM}, "study narratives takes the labels of one model"),
        ({"study": LLM, "labellers": None, "labeller": ALPHA | {"prompt": "v2"}},
         "study narratives asks in its own words: take `prompt` out"),
        ({"study": {"name": "ltf", "options": {"judge": "given"}}}, r"label nothing.*ltf: --set study\.options\.judge=model"),
        ({"labellers": {"alpha": ALPHA, "beta": BETA | {"prompt": "v9"}}}, "no judge prompt 'v9'"),
    ],
)  # fmt: skip
def test_a_study_that_cannot_do_with_them_says_so_before_it_generates(changes: dict[str, Any], why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        _ = Context(run_config(Path("x"), **changes)).prompts
