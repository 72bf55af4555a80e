"""The terminal's summary: at most 80 columns whatever the numbers, and no number cut short."""

import pyarrow as pa

from raylib.studies.ltf.calibration.agreement import agreement_tables
from raylib.studies.ltf.calibration.essays import match
from raylib.studies.ltf.calibration.estimates import CALIBRATED
from raylib.studies.ltf.calibration.labels import join_labels
from raylib.studies.ltf.calibration.summary import summary_lines
from raylib.studies.ltf.degrees import CORRECTED
from tests.calibration_support import judged_of, labels_of

FEW = "3 labelled essays in one of its two orders, 10 are needed (--min-labels)"


def estimate(axis: str, **columns: object) -> dict[str, object]:
    empty = {"statistic": CORRECTED, "group": "all groups", "status": "ok", "essays": 9, "labelled": 3, "templates": 2}
    return {"axis": axis, **empty, **columns}


def lines() -> list[str]:
    judged = judged_of(*((f"s{n}", "axis", f"T.{n % 4}", "a>b", (-1, 2)[n % 2]) for n in range(12)))
    turned = "sample_id,score\n" + "\n".join(f"s{n},{(2, -1)[n % 3 == 0]}" for n in range(12))
    labels = join_labels([labels_of(turned, f"{'a_long_name_' * 3}.csv"), labels_of(turned, "bob.csv")])
    matched = match(judged, labels)
    ends = {
        "judge": -0.12345,
        "judge_low": -1.5,
        "judge_high": -0.1,
        "estimate": -0.000049,
        "ci_low": -2.25,
        "ci_high": -0.5,
    }
    rows = [
        estimate("nonce", **ends), estimate("all", judge=0.5, status="unknown", note=FEW),
        estimate("an_axis_with_a_very_long_name", **ends | {"ci_low": None, "ci_high": None}),
    ]  # fmt: skip
    tables = agreement_tables(matched, seed=0, replicates=50)
    return summary_lines(matched, tables, pa.Table.from_pylist(rows, schema=CALIBRATED), ["x" * 60 + " " + "y" * 60])


def test_no_line_is_wider_than_a_terminal() -> None:
    assert max(map(len, lines())) <= 80


def test_numbers_stand_whole_with_their_intervals() -> None:
    said = "\n".join(lines())
    assert "−0.123 [−1.500, −0.100]  −0.000 [−2.250, −0.500]" in said
    assert "−0.000 (no interval)" in said
    assert "mean of the axes          0.500 (no interval)      unknown" in said


def test_the_reason_of_an_unknown_number_is_said() -> None:
    assert f"  all: {FEW}" in lines()
