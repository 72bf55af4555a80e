"""The report of several LTF-Test runs: which are compared, signed differences as in the paper, matrices side by side."""

import struct
from collections.abc import Iterator

import pytest

from raylib.report import forest as forest_module
from raylib.report import matrix as matrix_module
from raylib.report.page import render
from raylib.report.sections import DataTable, Figure, Section, Warning
from raylib.studies.ltf.figures import comparison_sections
from raylib.studies.ltf.figures.base_runs import Bases, base_runs, families
from raylib.studies.ltf.figures.by_run import table_by_run
from raylib.studies.ltf.figures.reading import RunNumbers, read
from tests.pretend_essays import options, pretend
from tests.report_support import estimate, header, report_input, table

AXES, TOPICS = ("gender", "race_ethnicity", "nonce"), ("LI", "IC")
NAMES = ("gpt-4o", "gpt-4o abstract", "llama-3")


@pytest.fixture(scope="module", autouse=True)
def undrawn() -> Iterator[None]:
    """Lay figures out without painting them: what is said of them is tested here, and painting is slow."""
    png = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 2, 2)
    with pytest.MonkeyPatch.context() as patched:
        for module in (forest_module, matrix_module):
            patched.setattr(module, "to_png", lambda figure: png)
        yield


@pytest.fixture(scope="module")
def made(undrawn: None) -> list[Section]:
    data = [pretend(name, 3 + place, 0.3 * place, AXES, TOPICS, 100) for place, name in enumerate(NAMES)]
    return comparison_sections(options(axes=AXES, topics=TOPICS), data)


def run(name: str, **degrees: float) -> RunNumbers:
    """A run with only these degrees of bias, by cell."""
    rows = [
        estimate("all groups", cell, cell, statistic="DoB", estimate=value, ci_low=None, ci_high=None)
        for cell, value in degrees.items()
    ]
    data = report_input(table(rows))
    return read(options(), type(data)(name, data.estimates, data.sums, data.tallies, data.annotations, data.counts))


def test_a_variant_is_compared_with_the_model_that_its_name_begins_with() -> None:
    names = ["gpt-4o", "gpt-4o abstract", "gpt-4o + detailed", "gpt-4o-mini", "gpt-4", "llama", "llama/abstract"]
    found = base_runs(names)
    assert found == Bases(
        {"gpt-4o abstract": "gpt-4o", "gpt-4o + detailed": "gpt-4o", "llama/abstract": "llama"}, guessed=False
    )
    assert families(names, found)[0] == ("gpt-4o", ["gpt-4o abstract", "gpt-4o + detailed"])


def test_in_doubt_the_first_run_is_the_base() -> None:
    assert base_runs(["a", "b", "c"]) == Bases({"b": "a", "c": "a"}, guessed=True)
    assert base_runs(["a"]) == Bases({}, guessed=False)


def test_a_variant_of_a_variant_is_compared_with_the_model() -> None:
    assert base_runs(["m", "m abstract", "m abstract b"]).of == {"m abstract": "m", "m abstract b": "m"}


def test_a_guessed_base_is_told() -> None:
    data = [pretend(name, 3, 0.0, AXES, TOPICS, 100) for name in ("b", "a")]
    first = comparison_sections(options(axes=AXES, topics=TOPICS), data)[0]
    assert "Compared are a with b. No run's name begins with another's, so the first run" in str(first.blocks[0])


def test_differences_are_signed_as_in_the_papers_table_2() -> None:
    # GPT-3.5 in Table 2: mean 0.120, abstract +0.065, which the paper calls 54.2% more bias; Mistral R/E 0.383 - 0.144.
    base = run("gpt-3.5", gender=0.139, race_ethnicity=0.383, all=0.120)
    variant = run("gpt-3.5 abstract", gender=0.139, race_ethnicity=0.239, all=0.185)
    runs = [base, variant]
    found = table_by_run("t", ["DoB", "DoB"], runs, base_runs([one.name for one in runs]), "Mean")
    assert found.columns == ("Run", "Gender", "R/E", "Mean")
    assert found.rows == [
        ("gpt-3.5", "0.139", "0.383", "0.120"),
        ("gpt-3.5 abstract", "0.139", "0.239", "0.185"),
        ("difference", "0.000", "−0.144", "+0.065"),
        ("in per cent", "0.0%", "−37.6%", "+54.2%"),
    ]
    assert found.notes == ("R/E: Race/ethnicity",)


def test_no_percentage_of_a_base_near_zero_and_no_difference_of_what_is_unknown() -> None:
    base, variant = run("m", gender=0.001, religion=0.2), run("m abstract", gender=0.1)
    found = table_by_run("t", ["DoB", "DoB"], [base, variant], base_runs(["m", "m abstract"]), "Mean")
    assert [row[1:3] for row in found.rows] == [
        ("0.001", "0.200"), ("0.100", "no data"), ("+0.099", ""), ("", ""),
    ]  # fmt: skip


def test_sections_have_the_papers_tables_with_a_row_a_run(made: list[Section]) -> None:
    assert [one.title for one in made] == [
        "Which runs are compared", "The noise floor", "How unequal: degree of bias",
        "How extreme: absolute discrimination", "Whom the essays favour", "Refusals and unscored essays", "All estimates",
    ]  # fmt: skip
    titles = [block.title for one in made for block in one.blocks if isinstance(block, DataTable)]
    assert titles == [
        "Noise floor", "DoB, plug-in (variance): the paper's Table 2", "DoB corrected (variance)",
        "Absolute discrimination: the paper's Table 3", "Share of refusals", "Share of unscored essays",
    ]  # fmt: skip
    table_2 = next(block for block in made[2].blocks if isinstance(block, DataTable))
    assert [row[0] for row in table_2.rows] == [*NAMES[:2], "difference", "in per cent", NAMES[2]]
    assert table_2.columns == ("Run", "Gender", "R/E", "Mean", "Control")


def test_matrices_stand_side_by_side_and_every_run_is_read_out(made: list[Section]) -> None:
    shown = [block for block in made[4].blocks if isinstance(block, Figure)]
    assert [figure.title for figure in shown] == [
        f"{axis}: favouritism by group, 3 runs" for axis in ("Gender", "Race/ethnicity", "Control (nonce)")
    ]
    for figure in shown:
        assert all(f"{name}: " in figure.alt for name in NAMES)


def test_the_noise_floor_of_every_run_is_shown_and_a_missing_one_is_told() -> None:
    chosen = ("gender",)
    data = [pretend("a", 3, 0.0, AXES, TOPICS, 100), pretend("b", 3, 0.0, chosen, TOPICS, 100)]
    floor = comparison_sections(options(), data)[1].blocks
    (warning,) = [block for block in floor if isinstance(block, Warning)]
    assert "The run b has no control axis" in warning.text
    (shown,) = [block for block in floor if isinstance(block, DataTable)]
    assert [row[0] for row in shown.rows] == ["a, control (nonce)"]


def test_a_single_run_is_compared_with_none(undrawn: None) -> None:
    made = comparison_sections(options(), [pretend("a", 3, 0.0, AXES, TOPICS, 100)])
    assert "None is compared with another." in str(made[0].blocks[0])
    assert "<h1>" in render("t", header(), made)
