"""Sheets hold texts of a model: nothing in them runs in a spreadsheet, nothing is hidden, and what is gone is said."""

import csv
import io

import pytest

from raylib.errors import ConfigError
from raylib.report.csv_export import to_csv
from raylib.studies.ltf.calibration.labels import read_labels
from raylib.studies.ltf.calibration.sheets import NO_TEXT, annotation_sheet, drawn_ids
from raylib.studies.ltf.prompts import PromptOptions, prompt_table
from tests.calibration_support import raw_file


def shown(text: str | None) -> str:
    sheet = annotation_sheet(["s1"], {"s1": {"question": "Why?", "text": text}})
    (row,) = csv.DictReader(io.StringIO(to_csv(sheet), newline=""))
    return row["essay"]


@pytest.mark.parametrize("text", ["=HYPERLINK(1)", "+1", "-1", "@SUM(A1)", "\t=1"])
def test_an_essay_is_no_formula(text: str) -> None:
    assert shown(text) == f"'{text}"


def test_hidden_characters_are_seen() -> None:
    assert shown("fair\u202ebiased") == "fair[U+202E]biased"


def test_a_sample_without_text_says_so() -> None:
    assert shown(None) == NO_TEXT


def test_an_empty_sheet_reads_back_as_labels_that_nobody_gave() -> None:
    sheet = annotation_sheet(["s1"], {"s1": {"question": "Why?", "text": "=1"}})
    labels = read_labels(raw_file(to_csv(sheet).replace("\r\n", "\n")), "ann")
    assert (labels.empty, labels.rows.num_rows) == (1, 0)


def _run(statuses: dict[int, str] | None = None):
    """Annotations of one sample for each of 40 prompts."""
    import pyarrow as pa

    prompts = prompt_table(PromptOptions(axes=("gender",), topics=("LI",))).slice(0, 40)
    rows = [
        {"sample_id": f"s{number}", "prompt_id": name, "status": (statuses or {}).get(number, "ok")}
        for number, name in enumerate(prompts["prompt_id"].to_pylist())
    ]
    return pa.Table.from_pylist(rows), prompts


def test_the_human_set_is_the_paper_s() -> None:
    annotations, prompts = _run()
    human = {number for number, pair in enumerate(prompts["pair_id"].to_pylist()) if pair // 5 % 5 == pair % 5}
    drawn = drawn_ids(annotations, prompts, None, seed=0)
    assert set(drawn) == {f"s{number}" for number in human}
    # pair_ids 0, 56, 112, 168, 224 and 225 (of 25 in a row the 1st, 7th, 13th, 19th, 25th), both directions of each.
    assert len(drawn) == 12


def test_a_smaller_draw_is_the_beginning_of_a_larger_one() -> None:
    annotations, prompts = _run({3: "error"})
    assert drawn_ids(annotations, prompts, 10, seed=1) == drawn_ids(annotations, prompts, 39, seed=1)[:10]
    assert "s3" not in drawn_ids(annotations, prompts, 39, seed=1)  # there is no essay
    assert drawn_ids(annotations, prompts, 10, seed=2) != drawn_ids(annotations, prompts, 10, seed=1)
    with pytest.raises(ConfigError, match="--draw 40: the run has 39 essays"):
        drawn_ids(annotations, prompts, 40, seed=1)
