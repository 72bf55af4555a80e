"""`jobs/stereotypes.py` on the scripted engine, from a run to clusters, and what it says to a mistake. No Ray is started."""

import csv
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from raylib.pipeline.entry import guarded
from raylib.pipeline.stereotypes.arguments import parse_stereotypes
from raylib.pipeline.stereotypes.job import stereotypes
from raylib.studies.narratives.stereotypes.codebook import load_codebook
from raylib.studies.narratives.stereotypes.counts import COUNTS
from raylib.studies.narratives.stereotypes.sampling import SAMPLE
from tests.pilot_support import make_pilot
from tests.pipeline_support import PROMPTS, completions, write_run

ROOT = Path(__file__).resolve().parents[2]


def run(*argv: str) -> int:
    return guarded(lambda: stereotypes(parse_stereotypes("test", "stereotypes.py", [str(part) for part in argv])))


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The config of an annotated run, its store beside it."""
    folder = tmp_path_factory.mktemp("annotated")
    config = write_run(folder, folder / "store", samples=20, units={"prompts": 1, "samples": 10})
    make_pilot(config)
    return config


@pytest.fixture(scope="module")
def sampled(audited: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with sample.parquet and the sheets of two raters."""
    folder = tmp_path_factory.mktemp("sampled")
    assert run("sample", *of(audited), "--names", "2", "--per-stratum", "2", "--out", folder) == 0
    assert run("sheet", "--sample", folder / "sample.parquet", "--rater", "ann", "--rater", "bob", "--out", folder) == 0
    return folder


def of(config: Path) -> list[str]:
    return ["--config", str(config), "--limit", str(PROMPTS)]


def terms_file(folder: Path) -> Path:
    group = {"group": "drinks", "about": "drinks", "case": "any", "plurals": True, "terms": ["coffee", "absinthe"]}
    path = folder / "terms.yaml"
    path.write_text(yaml.safe_dump({"version": 1, "groups": [group]}))
    return path


def test_search_counts_every_story_of_the_run_and_shows_zeros(audited: Path, tmp_path: Path, capsys) -> None:
    assert run("search", *of(audited), "--terms", terms_file(tmp_path), "--window", "2", "--out", tmp_path) == 0
    assert "of 1 of 2 terms" in capsys.readouterr().out
    texts = completions(audited.parent / "store")["text"].to_pylist()
    counts = pq.read_table(tmp_path / "counts.parquet")
    assert counts.schema == COUNTS
    pooled = [row for row in counts.to_pylist() if row["domain"] == "all" and row["role"] == "any"]
    assert sum(row["count"] for row in pooled if row["term"] == "coffee") == sum("coffee" in text for text in texts) > 0
    assert sum(row["stories"] for row in pooled if row["term"] == "coffee") == len(texts)
    assert {row["count"] for row in pooled if row["term"] == "absinthe"} == {0}
    hits = pq.read_table(tmp_path / "hits.parquet").to_pylist()
    assert len(hits) == sum(text.count("coffee") for text in texts)
    assert {(hit["before"], hit["found"]) for hit in hits} == {("cup of ", "coffee")}


def test_terms_that_no_story_holds_are_counted_as_zero_of_all_stories(audited: Path, tmp_path: Path) -> None:
    assert run("search", *of(audited), "--out", tmp_path) == 0
    counts = pq.read_table(tmp_path / "counts.parquet").to_pylist()
    assert {row["count"] for row in counts} == {0}  # the scripted engine names no identity
    assert {row["stories"] for row in counts if row["domain"] == "all"} == {3 * 20}


def test_sample_gives_stories_with_their_texts_and_the_same_ones_again(
    audited: Path, sampled: Path, tmp_path: Path
) -> None:
    table = pq.read_table(sampled / "sample.parquet")
    assert table.schema == SAMPLE
    texts = completions(audited.parent / "store")
    by_id = dict(zip(texts["sample_id"].to_pylist(), texts["text"].to_pylist(), strict=True))
    for row in table.to_pylist():
        assert row["text"] == by_id[row["sample_id"]]
        assert row["name"] in row["text"]
        assert row["likelihood"] > 0.6
    assert run("sample", *of(audited), "--names", "2", "--per-stratum", "2", "--out", tmp_path) == 0
    assert (tmp_path / "sample.parquet").read_bytes() == (sampled / "sample.parquet").read_bytes()


def fill(folder: Path, rater: str, out: Path) -> Path:
    """Ann says yes to the first code of every other story; bob disagrees on the first two stories; both leave no cell."""
    with (folder / f"sheet-{rater}.csv").open(newline="") as file:
        header, *rows = list(csv.reader(file))
    for place, row in enumerate(rows):
        row[6:] = ["no"] * len(row[6:])
        if place % 2 == (rater == "bob" and place < 2):
            row[6] = "yes"
    with (out / f"{rater}.csv").open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return out / f"{rater}.csv"


def test_filled_sheets_give_agreement_and_clusters(sampled: Path, tmp_path: Path, capsys) -> None:
    sheets = ["--sheet", fill(sampled, "ann", tmp_path), "--sheet", fill(sampled, "bob", tmp_path)]
    sample = ["--sample", sampled / "sample.parquet"]
    assert run("agreement", *sample, *sheets, "--replicates", "200", "--out", tmp_path) == 0
    first, *others = pq.read_table(tmp_path / "agreement.parquet").to_pylist()
    stories = first["stories"]
    assert first["observed"] == pytest.approx(1 - 2 / stories)
    assert {row["value"] for row in others} == {None}
    ratings = pq.read_table(tmp_path / "ratings.parquet")
    assert ratings.num_rows == 2 * stories * len(load_codebook().codes)
    assert run("clusters", *sample, *sheets, "--out", tmp_path) == 0
    said = capsys.readouterr().out
    assert f"{stories - 2} stories in clusters, 2 undecided" in said
    clusters = pq.read_table(tmp_path / "clusters.parquet").to_pylist()
    assert sum(row["stories"] for row in clusters if row["race"] == "all") == stories - 2
    assert {row["codes"] for row in pq.read_table(tmp_path / "exemplars.parquet").to_pylist()} == {
        load_codebook().names[0]
    }
    assert run("clusters", *sample, *sheets, "--adjudicator", "bob", "--out", tmp_path) == 0
    assert "0 undecided" in capsys.readouterr().out


def test_a_sheet_that_may_be_filled_is_never_overwritten(sampled: Path, capsys) -> None:
    before = (sampled / "sheet-ann.csv").read_bytes()
    sample = sampled / "sample.parquet"
    assert run("sheet", "--sample", sample, "--rater", "cat", "--rater", "ann", "--out", sampled) == 2
    assert "sheet-ann.csv is there already and may be filled: choose another --out" in capsys.readouterr().err
    assert (sampled / "sheet-ann.csv").read_bytes() == before
    assert not (sampled / "sheet-cat.csv").exists()


def test_a_parquet_sheet_is_read_like_a_csv_one(sampled: Path, tmp_path: Path) -> None:
    sheets = [sampled / "sheet-ann.parquet", fill(sampled, "bob", tmp_path)]
    out = ["--sheet", sheets[0], "--sheet", sheets[1], "--out", tmp_path]
    assert run("agreement", "--sample", sampled / "sample.parquet", *out) == 0
    assert {row["note"] for row in pq.read_table(tmp_path / "agreement.parquet").to_pylist()} == {
        "no story has two ratings"
    }


@pytest.mark.parametrize(
    ("make", "code", "message"),
    [
        (lambda c, s, t: ["search", *of(c)], 2, "the following arguments are required: --out"),
        (lambda c, s, t: ["serach"], 2, "invalid choice: 'serach'"),
        (lambda c, s, t: ["search", "--config", c, "--out", t], 2, "was started with other settings: prompts was 6"),
        (lambda c, s, t: ["search", *of(c), "--run", "none", "--out", t], 3, "run jobs/generate.py"),
        (lambda c, s, t: ["search", *of(c), "--window", "0", "--out", t], 2, "'0' is not a positive whole number"),
        (lambda c, s, t: ["search", *of(c), "--terms", t / "x.yaml", "--out", t], 2, "cannot read"),
        (lambda c, s, t: ["sample", *of(c), "--seed", "-1", "--out", t], 2, "'-1' is not a whole number of 0 or more"),
        (lambda c, s, t: ["sample", *of(c), "--race", "MENA", "--out", t], 2, "is not modelled by US Census 2020"),
        (lambda c, s, t: ["sample", *of(c), "--threshold", "0.9999", "--out", t], 3, "no story with a name above"),
        (lambda c, s, t: ["sheet", "--sample", t / "no.parquet", "--rater", "a", "--out", t], 2, "cannot read --sample"),
        (lambda c, s, t: ["sheet", "--sample", c, "--rater", "a", "--out", t], 2, "not a Parquet file"),
        (lambda c, s, t: ["sheet", "--sample", s / "sheet-ann.parquet", "--rater", "a", "--out", t], 3, "has the columns"),
        (lambda c, s, t: ["sheet", "--sample", s / "sample.parquet", "--rater", "a", "--out", c / "x"], 2, "cannot write"),
        (lambda c, s, t: ["agreement", "--sample", s / "sample.parquet", "--sheet", t / "no.csv", "--out", t], 2,
         "cannot read --sheet"),
        (lambda c, s, t: ["agreement", "--sample", s / "sample.parquet", "--sheet", s / "sample.csv", "--out", t], 3,
         "is no code of the codebook"),
        (lambda c, s, t: ["agreement", "--sample", s / "sample.parquet", "--sheet", s / "sheet-ann.csv", "--out", t], 3,
         "give one --sheet a rater"),
    ],
)  # fmt: skip
def test_every_mistake_ends_in_one_line(audited, sampled, tmp_path, capsys, make, code, message) -> None:
    assert run(*make(audited, sampled, tmp_path)) == code
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


def test_a_sheet_in_another_encoding_is_refused(sampled: Path, tmp_path: Path, capsys) -> None:
    sheet = tmp_path / "latin.csv"
    sheet.write_bytes("sample_id,té".encode("latin-1"))
    assert run("agreement", "--sample", sampled / "sample.parquet", "--sheet", sheet, "--out", tmp_path) == 2
    assert "is not UTF-8: save the sheet as 'CSV UTF-8'" in capsys.readouterr().err


def test_another_study_is_refused(audited: Path, tmp_path: Path, capsys) -> None:
    assert run("search", *of(audited), "--set", "study.name=essays", "--out", tmp_path) == 2
    assert "study 'essays' has no stereotypes to look for" in capsys.readouterr().err


def test_the_job_is_a_program_that_lists_its_commands() -> None:
    done = subprocess.run(
        [sys.executable, "jobs/stereotypes.py", "--help"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert all(f"\n    {command}" in done.stdout for command in ("search", "sample", "sheet", "agreement", "clusters"))


def test_csv_files_hold_what_parquet_files_hold(sampled: Path) -> None:
    table: pa.Table = pq.read_table(sampled / "sample.parquet")
    with (sampled / "sample.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["sample_id"] for row in rows] == table["sample_id"].to_pylist()
    assert [float(row["likelihood"]) for row in rows] == table["likelihood"].to_pylist()
