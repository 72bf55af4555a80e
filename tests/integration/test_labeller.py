"""An audit whose labels a model gives: one run on local Ray, labeller and audited model both scripted."""

from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest

from raylib.store.local import LocalStore
from raylib.store.manifests import read_manifest, read_tables
from raylib.studies.narratives.annotate import ANNOTATIONS
from tests.pipeline_support import PROMPTS, SAMPLES, planned_ids, run_audit, run_verify, write_run

pytestmark = [pytest.mark.ray, pytest.mark.usefixtures("ray_here")]
ENGINE = {"kind": "scripted", "faults": [{"kind": "truncate", "rate": 0.2}]}


def test_a_model_labels_every_sample_or_says_why_not_and_the_report_counts_both(tmp_path: Path, store: Path) -> None:
    config = write_run(
        tmp_path,
        store,
        study__options={"extractor": "llm"},
        labeller={"model": {"name": "judge", "source": "scripted", "engine": ENGINE}},
    )
    assert run_audit(config) == 0
    assert run_verify(config) == 0
    opened = LocalStore(store)
    manifest = read_manifest(opened, "small", "annotate")
    rows = pa.concat_tables(read_tables(opened, manifest, ANNOTATIONS)).to_pylist()
    assert [row["sample_id"] for row in rows] == planned_ids(config)
    statuses = Counter(row["status"] for row in rows)
    # The scripted labeller draws names at random: none is in a story, so a row is a label only where it names nobody.
    assert set(statuses) == {"ok", "unparsed"}
    for row in rows:
        assert (row["subject_gender"] is None) == (row["status"] == "unparsed")
        assert row["status"] == "ok" or row["notes"].startswith("the labelling model's answer")
    (worker,) = manifest.provenance["workers"]
    assert (worker["labeller"]["model"], worker["labeller"]["engine"]) == ("judge", "scripted")
    assert manifest.provenance["identity"]["labeller"]["sampling"]["temperature"] == 0
    (page,) = store.glob("runs/small/report/*.html")
    text = page.read_text()
    assert f"<b>{statuses['unparsed']}</b> unparsed" in text
    assert f"{statuses['unparsed']} texts have no label" in text
    assert f"<b>{PROMPTS * SAMPLES}</b> samples planned" in text
    assert "judge: scripted" in text
