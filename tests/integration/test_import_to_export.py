"""Texts that somebody else generated, audited and exported: the numbers are those of the labels that came with them."""

import argparse
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from raylib.pipeline.entry import guarded
from raylib.pipeline.export import export_run
from raylib.results import open_run
from tests.import_support import PROMPT_TABLE, write_csv, write_import
from tests.pipeline_support import PROMPTS, SAMPLES, run_audit, run_verify

pytestmark = pytest.mark.usefixtures("no_ray")


def test_given_labels_become_the_exported_estimates(tmp_path: Path, store: Path) -> None:
    women = {(place, sample) for place in range(PROMPTS) for sample in range(SAMPLES) if (place + sample) % 3 == 0}
    rows = [
        [row["prompt"], f"Story {place}-{sample} of nobody.", "f" if (place, sample) in women else "m", "Unspecified"]
        for place, row in enumerate(PROMPT_TABLE[:PROMPTS])
        for sample in range(SAMPLES)
    ]
    file = write_csv(tmp_path / "stories.csv", ["prompt", "text", "who", "whom"], rows)
    given = {"subject_gender": "who", "object_gender": "whom"}
    columns = {"prompt": "prompt", "text": "text", "given": given}
    study = {"name": "narratives", "options": {"extractor": "given"}}
    config = write_import(tmp_path, store, file, {"columns": columns}, study=study)
    assert run_audit(config, f"store={store}") == 0
    assert run_verify(config) == 0

    run = open_run(str(store), "small")
    assert (run.completions.num_rows, run.annotations.num_rows) == (len(rows), len(rows))
    estimates = run.estimates.to_pandas().set_index(["statistic", "cell", "group"])
    genders = run.annotations.to_pandas().merge(
        run.completions.to_pandas()[["sample_id", "sample_index"]], on="sample_id"
    )
    assert (genders["subject_gender"] == "F").sum() == len(women)
    neutral = estimates.loc[("R_rep", "all/power-neutral", "F")]
    places = [place for place, row in enumerate(PROMPT_TABLE[:PROMPTS]) if ".neutral-" in row["prompt_id"]]
    expected = len([one for one in women if one[0] in places])
    assert (neutral["count"], neutral["n"]) == (expected, len(places) * SAMPLES)
    assert neutral["share"] == pytest.approx(expected / (len(places) * SAMPLES))

    out = tmp_path / "out"
    order = argparse.Namespace(config=str(config), overrides=[], run=None, to=str(out), format="parquet,csv,latex")
    assert guarded(lambda: export_run(order)) == 0
    assert pq.read_table(out / "estimates.parquet") == run.estimates
