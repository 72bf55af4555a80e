"""`jobs/calibrate_judge.py` on scripted essays and a scripted judge: sheet, labels, disagreements, report. No Ray."""

import csv
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from raylib.pipeline.calibration.arguments import parse_calibration
from raylib.pipeline.calibration.job import calibrate_judge
from raylib.pipeline.entry import guarded
from raylib.store.local import LocalStore
from raylib.store.manifests import read_manifest, read_tables
from raylib.studies.ltf.annotate import ANNOTATIONS
from raylib.studies.ltf.calibration.agreement import AGREEMENT, ALL_AXES, EQUAL
from raylib.studies.ltf.calibration.estimates import CALIBRATED
from tests import pipeline_support
from tests.pilot_support import make_pilot
from tests.pipeline_support import completions, write_run

ROOT = Path(__file__).resolve().parents[2]
ESSAYS = 112  # of 28 pairs of made-up groups, one of four templates each, both orders, two samples
SECTIONS = ("title_introduction", "reasons", "conclusion")


def run(config: Path, *argv: object) -> int:
    words = ["--config", str(config), *(str(word) for word in argv)]
    return guarded(lambda: calibrate_judge(parse_calibration("test", "calibrate_judge.py", words)))


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The config of a run whose essays a scripted judge scored, its store beside it."""
    folder = tmp_path_factory.mktemp("judged")
    judge = yaml.safe_load((ROOT / "configs/judges/scripted.yaml").read_text())
    model = yaml.safe_load((ROOT / "configs/models/scripted.yaml").read_text())
    study = {"name": "ltf", "options": {"axes": ["nonce"], "topics": ["LI"]}}
    config = write_run(
        folder, folder / "store", study=study, labeller=judge, model=model, samples=2, units={"prompts": 16, "samples": 2},
    )  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline_support, "PROMPTS", None)
        make_pilot(config)
    return config


@pytest.fixture(scope="module")
def verdicts(judged: Path) -> dict[str, dict]:
    store = LocalStore(judged.parent / "store")
    rows = pa.concat_tables(read_tables(store, read_manifest(store, "small", "annotate"), ANNOTATIONS)).to_pylist()
    return {row["sample_id"]: row for row in rows}


@pytest.fixture(scope="module")
def sheet(judged: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sheet") / "sheet.csv"
    assert run(judged, "--template", path, "--draw", ESSAYS) == 0
    return path


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def fill(sheet: Path, out: Path, verdicts: dict, differing: int = 0) -> Path:
    """Somebody who labels as the judge, but for the first essays, which are neutral to them."""
    rows = read(sheet)
    for place, row in enumerate(rows):
        verdict = verdicts[row["sample_id"]]
        for name in SECTIONS:
            row[name] = "0" if place < differing else str(verdict[f"score_{name}"])
        row["refusal"] = "0" if place < differing else str(int(verdict["refusal"]))
    with out.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return out


def test_the_sheet_has_every_essay_once_in_random_order_and_nothing_of_the_judge(judged: Path, sheet: Path) -> None:
    rows = read(sheet)
    assert list(rows[0]) == ["sample_id", "question", "essay", *SECTIONS, "refusal"]
    texts = completions(judged.parent / "store")
    by_id = dict(zip(texts["sample_id"].to_pylist(), texts["text"].to_pylist(), strict=True))
    assert {row["sample_id"]: row["essay"] for row in rows} == by_id
    assert [row["sample_id"] for row in rows] != list(by_id)
    assert {row[name] for row in rows for name in (*SECTIONS, "refusal")} == {""}
    assert {row["question"].split(" ")[0] for row in rows} == {"Why"}


def test_the_same_draw_again_is_the_same_sheet_and_never_over_one_that_is_there(
    judged: Path, sheet: Path, capsys
) -> None:
    other = sheet.with_name("again.csv")
    assert run(judged, "--template", other, "--draw", ESSAYS) == 0
    assert other.read_bytes() == sheet.read_bytes()
    assert run(judged, "--template", other, "--draw", 5) == 2
    assert "is there already and may be filled in" in capsys.readouterr().err


def test_without_a_number_the_paper_s_human_set_is_drawn(judged: Path, tmp_path: Path) -> None:
    assert run(judged, "--template", tmp_path / "human.csv") == 0
    assert 0 < len(read(tmp_path / "human.csv")) < ESSAYS / 2


def test_labels_give_agreement_estimates_and_a_report(
    judged: Path, sheet: Path, verdicts, tmp_path: Path, capsys
) -> None:
    labels = fill(sheet, tmp_path / "ann.csv", verdicts, differing=20)
    assert run(judged, "--labels", labels, "--out", tmp_path / "out", "--min-labels", 2, "--replicates", 100) == 0
    said = capsys.readouterr().out
    assert max(len(line) for line in said.splitlines() if not line.startswith(str(tmp_path))) <= 80
    assert f"{ESSAYS} labelled essays, 1 annotator" in said
    agreement = pq.read_table(tmp_path / "out/agreement.parquet")
    assert agreement.schema == AGREEMENT
    wanted = {"axis": ALL_AXES, "label": "score", "statistic": EQUAL}
    (row,) = [row for row in agreement.to_pylist() if all(row[name] == value for name, value in wanted.items())]
    changed = [row["sample_id"] for row in read(sheet)[:20] if verdicts[row["sample_id"]]["score"] != 0]
    assert (row["essays"], row["value"]) == (ESSAYS, pytest.approx(1 - len(changed) / ESSAYS))
    estimates = pq.read_table(tmp_path / "out/estimates.parquet")
    assert estimates.schema == CALIBRATED
    # Every essay is labelled: the corrected F is the mean of people's own labels.
    for row in estimates.to_pylist():
        if row["statistic"] == "F":
            assert row["labelled"] == row["essays"]
            assert row["estimate"] == pytest.approx(row["people"])
    page = (tmp_path / "out/report.html").read_text()
    assert "Estimates corrected for the judge" in page
    assert "scripted-judge" in page
    for name in ("agreement", "confusion", "estimates"):
        assert (tmp_path / f"out/{name}.csv").exists()


def test_disagreements_go_out_and_come_back_decided(
    judged: Path, sheet: Path, verdicts, tmp_path: Path, capsys
) -> None:
    ann, bob = fill(sheet, tmp_path / "ann.csv", verdicts), fill(sheet, tmp_path / "bob.csv", verdicts, differing=12)
    given = ["--labels", ann, "--labels", bob, "--out", tmp_path / "out", "--replicates", 100]
    assert run(judged, *given) == 0
    path = tmp_path / "out/disagreements.csv"
    rows = read(path)
    differ = {row["sample_id"] for row in read(sheet)[:12]} - {
        name
        for name, row in verdicts.items()
        if not any(row[f"score_{part}"] for part in SECTIONS) and not row["refusal"]
    }
    assert {row["sample_id"] for row in rows} == differ
    for row in rows:
        assert row["ann: reasons"] == str(verdicts[row["sample_id"]]["score_reasons"])
        assert (row["bob: reasons"], row["reasons"]) == ("0", "")
    assert f"{len(differ)} essays on which annotators differ, not adjudicated" in capsys.readouterr().out
    decided = fill(path, tmp_path / "decided.csv", verdicts)
    path.write_text(decided.read_text())  # filled in where it lay
    assert run(judged, *given, "--adjudicated", path) == 0
    said = capsys.readouterr().out
    assert "not adjudicated" not in said
    assert path.read_text() == decided.read_text()
    agreement = pq.read_table(tmp_path / "out/agreement.parquet").to_pylist()
    equal = {(row["first"], row["second"]): row["value"] for row in agreement
             if (row["axis"], row["label"], row["statistic"]) == (ALL_AXES, "score", EQUAL)}  # fmt: skip
    assert equal["judge", "people"] == equal["judge", "ann"] == 1 > equal["judge", "bob"] == equal["ann", "bob"]


def test_an_open_sheet_that_was_worked_in_is_left_as_it_is(judged, sheet, verdicts, tmp_path, capsys) -> None:
    ann, bob = fill(sheet, tmp_path / "ann.csv", verdicts), fill(sheet, tmp_path / "bob.csv", verdicts, differing=12)
    given = ["--labels", ann, "--labels", bob, "--out", tmp_path, "--replicates", 50]
    (tmp_path / "disagreements.csv").write_text("half done")
    assert run(judged, *given) == 0
    assert (tmp_path / "disagreements.csv").read_text() == "half done"
    assert "disagreements.csv (was there already, left as it is)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("argv", "code", "said"),
    [
        ([], 2, "give --template FILE.csv, or --labels FILE and --out FOLDER"),
        (["--labels", "x.csv"], 2, "--labels needs --out FOLDER"),
        (["--template", "x.csv", "--labels", "y.csv"], 2, "give it alone"),
        (["--template", "x.xlsx"], 2, "must end in .csv"),
        (["--template", "x.csv", "--draw", "0"], 2, "'0' is not a positive whole number"),
        (["--template", "x.csv", "--draw", "113"], 2, "the run has 112 essays"),
        (["--labels", "none.csv", "--out", "o"], 2, "cannot read --labels none.csv: No such file"),
        (["--labels", "labels.xlsx", "--out", "o"], 2, "must end in .csv or .parquet"),
        (["--labels", "latin.csv", "--out", "o"], 2, "is not UTF-8: save the sheet as 'CSV UTF-8'"),
        (["--labels", "bad.csv", "--out", "o"], 3, "bad.csv, line 3: score is '7'"),
        (["--labels", "torn.parquet", "--out", "o"], 3, "torn.parquet: no whole Parquet file"),
        (["--labels", "other.csv", "--out", "o"], 3, "none of 1 labelled essays is one of this run's"),
        (["--labels", "other.csv", "--out", "o", "--run", "nobody"], 3, "nobody"),
    ],
)  # fmt: skip
def test_a_mistake_ends_in_one_line(judged: Path, argv, code, said, tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    Path("latin.csv").write_bytes("sample_id,score\nçé,1\n".encode("latin-1"))
    Path("bad.csv").write_text("sample_id,score\na,1\nb,7\n")
    Path("torn.parquet").write_bytes(b"PAR1 torn")
    Path("other.csv").write_text("sample_id,score\nelsewhere,1\n")
    assert run(judged, *argv) == code
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert not Path("o").exists()


def test_a_run_of_another_study_has_no_judge(tmp_path: Path, capsys) -> None:
    config = write_run(tmp_path, tmp_path / "store")
    assert run(config, "--template", tmp_path / "x.csv") == 2
    assert "study 'narratives' has no judge to calibrate" in capsys.readouterr().err


def test_the_job_says_what_it_takes() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "jobs/calibrate_judge.py", "--help"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for option in ("--config", "--template", "--labels", "--adjudicated", "--out", "--min-labels"):
        assert option in done.stdout
