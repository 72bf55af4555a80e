"""The page: one file, nothing from outside, no markup from anybody's text."""

import base64
import re
from html.parser import HTMLParser

import pytest

from raylib.errors import DataError
from raylib.report.canvas import new_figure, to_png
from raylib.report.page import render
from raylib.report.sections import DataTable, Excerpt, Excerpts, Figure, Folded, Paragraph, Section
from raylib.report.visible import make_visible
from tests.report_support import COUNTS, header, page_parts

PNG = to_png(new_figure(40, 20))

ATTACKS = (
    "<script>alert(1)</script>",
    "</title></style><img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)',
    "' onload='alert(1)",
    "--><svg/onload=alert(1)>",
    "</blockquote></details><iframe src=//evil.example>",
    "{{ 7 * 7 }}{% include 'report.css' %}",
    "javascript:alert(1)",
)


class _Structure(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, tuple[str, ...]]] = []
        self.links: list[str] = []
        self.texts: list[str] = []
        self.attributes: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, tuple(name for name, _ in attrs)))
        self.links += [value or "" for name, value in attrs if name in {"href", "src", "srcset", "action", "data"}]
        self.attributes += [value or "" for _, value in attrs]

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def parsed(page: str) -> _Structure:
    structure = _Structure()
    structure.feed(page)
    structure.close()
    return structure


def page_with(text: str) -> str:
    return render(*page_parts(text, PNG))


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_text_changes_the_structure_of_the_page_wherever_it_stands(attack: str) -> None:
    assert parsed(page_with(attack)).elements == parsed(page_with("harmless")).elements


@pytest.mark.parametrize("attack", ATTACKS)
def test_the_reader_sees_the_text_as_it_was_written(attack: str) -> None:
    page = parsed(page_with(attack))
    shown = [text for text in page.texts if attack in text]
    assert len(shown) == len([text for text in parsed(page_with("harmless")).texts if "harmless" in text])
    assert len(shown) > 20
    assert attack in page.attributes


def test_hidden_control_characters_become_visible_in_texts_and_attributes() -> None:
    for character, code in (("\u202e", "U+202E"), ("\u2066", "U+2066"), ("\u200b", "U+200B"), ("\x00", "U+0000")):
        page = page_with(f"abc{character}def")
        assert character not in page
        structure = parsed(page)
        assert f"abc[{code}]def" in structure.attributes
        assert sum(f"abc[{code}]def" in text for text in structure.texts) > 20


def test_half_a_surrogate_pair_does_not_stop_the_report() -> None:
    assert "a[U+D800]b" in page_with("a\ud800b").encode("utf-8").decode("utf-8")


def test_what_people_write_with_stays() -> None:
    for text in ("José\tÅsa\nשלום עולם", "می‌خواهم", "👩‍👧"):
        assert make_visible(text) == text


def test_the_page_asks_for_nothing_from_outside() -> None:
    page = page_with("see https://evil.example/x.png or //evil.example")
    for link in parsed(page).links:
        assert link.startswith(("#", "data:"))
    assert not re.search(r"@import|url\(|<script|<link(?! rel=\"icon\" href=\"data:,\")|<base|<form|<iframe", page)


def test_the_browser_is_told_to_load_nothing_but_the_pages_own_images_and_styles() -> None:
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page_with("x"))
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["img-src"] == "data:"
    assert rules["style-src"] == "'unsafe-inline'"


def test_a_figure_is_inside_the_page_with_its_size_and_text() -> None:
    page = render("t", header(), [Section("s", [Figure("Title", PNG, "what it shows")])])
    assert f'src="data:image/png;base64,{base64.b64encode(PNG).decode()}" width="40" height="20"' in page
    assert 'alt="what it shows"' in page


def test_a_figure_that_is_no_png_is_refused() -> None:
    with pytest.raises(DataError, match="not a PNG"):
        render("t", header(), [Section("s", [Figure("Title", b"<svg onload=alert(1)>", "alt")])])


def test_a_table_has_scoped_headers_and_numbers_on_the_right() -> None:
    made = DataTable("Ratios", ("Group", "Ratio"), [("White", "1.29")], "By domain.", frozenset({"Ratio"}))
    page = render("t", header(), [Section("s", [made])])
    assert '<th scope="col" class="num">Ratio</th>' in page
    assert '<th scope="row">White</th>' in page
    assert '<td class="num">1.29</td>' in page
    assert "<caption><div><span>Ratios</span> <small>By domain.</small></div></caption>" in page


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        (DataTable("T", ("a", "b"), [("1",)]), "a row of 1 cells under 2 columns"),
        (DataTable("T", ("a",), [("1",)], numeric=frozenset({"z"})), "numeric names no column"),
        (DataTable("T", ("a",), [("1",), ("2",)], groups=(("x", 1),)), "do not cover its 2 rows"),
    ],
)
def test_a_table_that_does_not_fit_together_is_refused(table: DataTable, problem: str) -> None:
    for block in (table, Folded("f", "one table", [table])):
        with pytest.raises(DataError, match=problem):
            render("t", header(), [Section("s", [block])])


def test_folded_tables_are_closed_and_say_what_is_inside() -> None:
    fold = Folded("Subordination", "84 ratios", [DataTable("Labor", ("Group",), [("White",)])])
    page = render("t", header(), [Section("s", [fold])])
    assert '<details class="fold">\n<summary><strong>Subordination</strong> <span>84 ratios</span></summary>' in page
    assert "<span>Labor</span>" in page


def test_folded_figures_stand_above_the_folded_tables() -> None:
    table = DataTable("Labor", ("Group",), [("White",)])
    fold = Folded("Subordination", "84 ratios", [table], [Figure("By term", PNG, "numbers")])
    page = render("t", header(), [Section("s", [fold])])
    assert page.index("<details") < page.index("<h3>By term</h3>") < page.index("<span>Labor</span>")


def test_every_section_can_be_reached_from_the_contents() -> None:
    sections = [Section("Who appears?", []), Section("Who appears?", []), Section("短い話", [])]
    page = render("t", header(provenance=(("a", "b"),), recompute=("c",)), sections)
    links, ids = re.findall(r'href="#([^"]*)"', page), re.findall(r'<section id="([^"]*)"', page)
    assert links == ids
    assert len(set(ids)) == 5


def test_samples_by_status_are_shown_with_their_shares() -> None:
    page = render("t", header(), [])
    assert "<b>205</b> samples planned" in page
    assert "<b>190</b> ok <span>92.7%</span>" in page
    assert "<b>2</b> missing <span>0.98%</span>" in page


@pytest.mark.parametrize("counts", [{**COUNTS, "missing": 1}, {**COUNTS, "planned": 204, "ok": 188, "lost": 1}])
def test_samples_that_do_not_add_up_are_refused(counts: dict[str, int]) -> None:
    with pytest.raises(DataError, match="do not add up"):
        render("t", header(counts=counts), [])


def test_a_run_of_no_samples_has_a_page() -> None:
    assert "<b>0</b> samples planned" in render("t", header(counts={"planned": 0}), [])


def test_times_are_printed_to_the_minute_and_other_texts_as_they_are() -> None:
    assert "<dd>2026-02-03 08:11 UTC</dd>" in render("t", header(when="2026-02-03T10:11:12+02:00"), [])
    assert "<dd>yesterday</dd>" in render("t", header(when="yesterday"), [])


def test_generated_texts_are_closed_behind_their_warning() -> None:
    page = render("t", header(), [Section("s", [Excerpts("Show", "Content warning", [Excerpt("id1", "A story.")])])])
    inside = re.search(r"<details class=\"excerpts\">(.*?)</details>", page, re.DOTALL)
    assert inside is not None
    assert inside[1].index("Content warning") < inside[1].index("A story.")
    assert page.count("A story.") == 1


def test_the_same_input_gives_the_same_page() -> None:
    assert page_with("x") == page_with("x")


def test_a_paragraph_of_markup_stays_a_paragraph() -> None:
    page = render("t", header(), [Section("s", [Paragraph("<b>bold</b>")])])
    assert "<p>&lt;b&gt;bold&lt;/b&gt;</p>" in page
