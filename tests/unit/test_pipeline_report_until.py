"""The report's section on `sampling.until`: the numbers that the manifest records, and what they mean."""

from typing import Any

from raylib.pipeline.report_until import drawing_sections, samples_drawn
from raylib.report.sections import DataTable, Paragraph, Warning
from raylib.store.manifests import Manifest


def manifest(until: dict[str, Any] | None) -> Manifest:
    return Manifest("generate", "f", "r", (), (), (), 0, 0, provenance={"until": until} if until else {})


def share(cell: str, name: str, **known: Any) -> dict[str, Any]:
    return {
        "cell": cell, "share": name, "look": 1, "samples": 50, "observations": 750.0, "estimate": 0.25, "low": 0.2345,
        "high": 0.2655, "half_width": 0.0155, "narrow": True,
    } | known  # fmt: skip


RECORD = {
    "half_width": 0.02, "confidence": 0.95, "confidence_of_a_look": 0.975, "looks": [50, 100],
    "samples": {"a": 50, "b": 100},
    "shares": [
        share("Labor/power-neutral", "gender F"),
        share("Love/power-laden", "gender F", look=2, samples=100, half_width=0.031, narrow=False),
        share("Love/power-laden", "race Black", estimate=None, half_width=None, low=0.0, high=1.0, narrow=False),
    ],
}  # fmt: skip


def test_a_fixed_run_has_no_such_section():
    assert drawing_sections(manifest(None)) == []
    assert samples_drawn(manifest(None)) is None


def test_the_section_shows_each_share_with_its_interval_under_its_cell():
    (section,) = drawing_sections(manifest(RECORD))
    (table,) = [block for block in section.blocks if isinstance(block, DataTable)]
    assert table.groups == (("Labor, power-neutral", 1), ("Love, power-laden", 2))
    assert table.rows == [
        ("gender F", "50", "750", "0.250", "0.234 to 0.266", "0.015"),
        ("gender F", "100", "750", "0.250", "0.234 to 0.266", "0.031 (wide)"),
        ("race Black", "50", "750", "no data", "unknown", "unknown"),
    ]


def test_it_says_what_was_saved_what_is_wide_and_what_the_interval_is_about():
    (section,) = drawing_sections(manifest(RECORD))
    said = " ".join(block.text for block in section.blocks if isinstance(block, Paragraph | Warning))
    assert "150 samples were planned, of 200 at most: 25% were saved" in said
    assert "2 of 3 shares are wider than wanted" in said
    assert "Each look has an interval of level 97.50%" in said
    assert "about these prompts" in said
    assert samples_drawn(manifest(RECORD)) == "50 to 100 (sampling.until)"
