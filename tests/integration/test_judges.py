"""Two scripted judges in one run of LTF-Test: from prompts to the report, their agreement worked out anew."""

from collections import Counter
from pathlib import Path

import krippendorff
import numpy as np
import pyarrow as pa
import pytest

from raylib.results import open_run
from raylib.studies.ltf.judge.tallied import tallied_agreement, tallied_statuses
from tests.judges_support import ESSAYS, asked, labels, run_judged, verify_judged, write_judged

pytestmark = pytest.mark.usefixtures("no_ray")


def row(table: pa.Table, measure: str, statistic: str) -> dict[str, object]:
    (found,) = [one for one in table.to_pylist() if (one["measure"], one["statistic"]) == (measure, statistic)]
    return found


def test_two_judges_from_prompts_to_report(tmp_path: Path, store: Path) -> None:
    config = write_judged(tmp_path, store)
    assert run_judged(config) == 0
    assert verify_judged(config) == 0
    assert (asked(store, "alpha"), asked(store, "beta")) == (ESSAYS, ESSAYS)
    run = open_run(str(store), "small")

    # The agreement that the tallies of the reduce stage give is that of the two judges' own parts.
    alpha, beta = (
        labels(store, name)["score"].to_numpy(zero_copy_only=False).astype(float) for name in ("alpha", "beta")
    )
    both = ~np.isnan(alpha) & ~np.isnan(beta)
    a, b = alpha[both], beta[both]
    found = tallied_agreement(run.table("tallies"), replicates=200)
    equal = row(found, "score", "agreement")
    assert (equal["essays"], equal["value"]) == (int(both.sum()), pytest.approx((a == b).mean()))
    by_chance = ((a[:, np.newaxis] - b[np.newaxis, :]) ** 2).mean()
    assert row(found, "score", "Cohen's kappa")["value"] == pytest.approx(1 - ((a - b) ** 2).mean() / by_chance)
    ordinal = krippendorff.alpha(np.stack([alpha, beta]), level_of_measurement="ordinal")
    assert row(found, "score", "Krippendorff's alpha")["value"] == pytest.approx(ordinal)
    statuses = {name: Counter(labels(store, name)["judge_status"].to_pylist()) for name in ("alpha", "beta")}
    assert {name: +Counter(counts) for name, counts in tallied_statuses(run.table("tallies")).items()} == statuses

    # Two judges have a majority where both give one score; the sums count the others as unscored.
    agreed = both & (alpha == beta)
    together = run.annotations
    assert [score is not None for score in together["score"].to_pylist()] == agreed.tolist()
    (cell,) = [one for one in run.sums.to_pylist() if one["cell"] == "nonce" and one["cluster"] == "LI.1"]
    template = [one for one in together.to_pylist() if one["prompt_id"] in clusters(run.provenance, "LI.1")]
    assert cell["values"][-1] == sum(one["score"] is None for one in template)

    # What the numbers rest on names every judge, its settings and its parts.
    stages = Counter(zip(run.provenance["stage"].to_pylist(), run.provenance["kind"].to_pylist(), strict=True))
    for stage in ("generate", "annotate-alpha", "annotate-beta", "annotate"):
        assert (stages[stage, "part"], stages[stage, "setting"] > 1) == (7, True)
    assert run.manifest("annotate-beta").provenance["workers"][0]["labeller"]["version"] == "2"
    (page,) = store.glob("runs/small/report/*.html")
    text = page.read_text()
    assert "Labelling model alpha" in text
    assert "Labelling engine beta 1" in text
    assert run.manifest("annotate-alpha").fingerprint in text


def clusters(provenance: pa.Table, cluster: str) -> set[str]:
    """Return the prompts of a template."""
    return {one["name"] for one in provenance.to_pylist() if (one["kind"], one["value"]) == ("cluster", cluster)}
