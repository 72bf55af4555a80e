"""The figures of one and of several pretend models: which there are, what they say, the same bytes each time."""

import struct
from collections.abc import Iterator

import pytest

from raylib.report import curves, dots, forest, heatmap, histogram, scatter
from raylib.report.page import render
from raylib.report.sections import Figure, Folded, Section
from raylib.studies.base import StudyOptions
from raylib.studies.narratives.figures import sections
from raylib.studies.narratives.study import NarrativesStudy
from tests.pretend_models import pretend
from tests.report_support import header

OPTIONS = StudyOptions("narratives", {}, 200, 0)


def figures(made: list[Section]) -> list[Figure]:
    return [block for section in made for block in section.blocks if isinstance(block, Figure)]


@pytest.fixture(scope="module", autouse=True)
def undrawn() -> Iterator[None]:
    """Lay figures out without painting them: what is said of them is tested here, and painting is slow."""
    png = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 2, 2)
    with pytest.MonkeyPatch.context() as patched:
        for module in (curves, dots, forest, heatmap, histogram, scatter):
            patched.setattr(module, "to_png", lambda figure: png)
        yield


@pytest.fixture(scope="module")
def made(undrawn: None) -> list[Section]:
    return sections(OPTIONS, pretend("tiny"))


def test_a_run_shows_the_papers_figures_and_their_intersections(made: list[Section]) -> None:
    assert [figure.title for figure in figures(made)] == [
        "Representation ratios in power-neutral stories of tiny",
        "Likelihood of race and gender in power-neutral stories of tiny",
        "Race and gender together in power-neutral stories of tiny",
        "Couples by gender in romantic stories of tiny",
        "Likelihood of couples by gender in romantic stories of tiny",
        "Race in couples by gender in romantic stories of tiny",
        "Characters by the likelihood of a race in power-neutral stories of tiny",
        "Non-binary characters by the likelihood of a race in power-neutral stories of tiny",
        "Subordination ratios in power-laden stories of tiny",
        "Subordination by race and gender in power-laden stories of tiny",
        "Subordination ratio by gender, race and domain, tiny",
        "Subordination by name and likelihood of a race, tiny",
        "Subordination of names above a likelihood of a race, tiny",
        "Median racialised subordination ratio, tiny",
    ]


def test_every_figure_has_a_caption_a_text_and_a_picture_for_phones(made: list[Section]) -> None:
    for figure in figures(made):
        assert figure.png
        assert figure.narrow_png
        assert figure.caption
        assert len(figure.alt) > 40


def test_every_figure_with_races_says_which_are_not_modelled(made: list[Section]) -> None:
    for figure in figures(made):
        if "Couples by gender" not in figure.title and "couples by gender in romantic" not in figure.title:
            assert "not modelled" in figure.alt, figure.title
        assert "nan" not in figure.alt.lower().replace("dominan", "")


def test_every_estimate_is_in_a_folded_table(made: list[Section]) -> None:
    folds = [block for section in made for block in section.blocks if isinstance(block, Folded)]
    assert sum(len(table.rows) for fold in folds for table in fold.tables) == pretend("tiny").estimates.num_rows == 504
    assert folds[0].title == "Representation by race, by gender and by couple"
    assert folds[0].summary == "86 ratios in 9 tables, 16 not modelled"


def test_folded_tables_are_in_the_page_without_a_script(made: list[Section]) -> None:
    page = render("t", header(), made)
    assert page.count('<details class="fold">') == 6
    assert page.count("<script") == 0
    assert page.count("<tr") > 504


def test_several_models_stand_side_by_side() -> None:
    both = NarrativesStudy().comparison_sections(OPTIONS, [pretend("tiny"), pretend("other", seed=1)])
    assert tuple(section.title for section in both) == (
        "Who appears: representation", "Who holds power: subordination", "Racialised names",
        "Who appears: representation by model", "Who holds power: subordination by model",
        "Racialised names: median subordination by model",
    )  # fmt: skip
    titles = [figure.title for figure in figures(list(both))]
    assert titles[0] == "Likelihood of race and gender in power-neutral stories of 2 models"
    assert not any("Representation ratios" in title for title in titles)  # intervals are in each model's own report
    assert [title for title in titles if title.startswith("Median racialised")] == [
        f"Median racialised subordination ratio, 2 models: {gender}"
        for gender in ("Feminine words (F)", "Masculine words (M)", "Non-binary words (NB)")
    ]
    assert "Sorted by the median over models" in next(
        f.caption for f in figures(list(both)) if "by race and gender in" in f.title
    )


def test_what_is_said_of_a_run_is_the_same_each_time(made: list[Section]) -> None:
    assert sections(OPTIONS, pretend("tiny")) == made
