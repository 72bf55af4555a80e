"""The figures as pictures: same bytes each time, no state left behind, and no number where there is none."""

import io
import struct
import zlib

import matplotlib as mpl
import pytest
from matplotlib._pylab_helpers import Gcf
from matplotlib.image import imread

from raylib.report.canvas import BLUE, NARROW, VERMILION, WIDE, look, new_figure, to_png
from raylib.report.forest import ForestLabels, ForestPanel, ForestRow, forest
from raylib.report.heatmap import HeatBlock, HeatCell, HeatMap, heatmap

LABELS = ForestLabels("ratio", "interval", "bootstrap")
ROW = ForestRow("race", "White", "ok", 1.29, 1.22, 1.34, 1.25, 1.32)


def size(png: bytes) -> tuple[int, int]:
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def chunks(png: bytes) -> list[bytes]:
    names, place = [], 8
    while place < len(png):
        (length,) = struct.unpack(">I", png[place : place + 4])
        names.append(png[place + 4 : place + 8])
        place += 12 + length
    return names


def has_colour_below_the_legend(png: bytes, colour: str) -> bool:
    """Whether a pixel of the panels has exactly this colour."""
    pixels = (imread(io.BytesIO(png))[120:, :, :3] * 255).round().astype(int)
    wanted = [int(colour[place : place + 2], 16) for place in (1, 3, 5)]
    return bool((pixels == wanted).all(axis=2).any())


def grid(*cells: HeatCell) -> HeatMap:
    columns = tuple(("race", f"group {place}") for place in range(len(cells)))
    return HeatMap(columns, [HeatBlock("", ("Labor",), [list(cells)])], "ratio", "grey")


@pytest.mark.parametrize("narrow", [False, True])
def test_figures_have_the_same_bytes_every_time(narrow: bool) -> None:
    panels = [ForestPanel(title, [ROW]) for title in ("Labor", "Love")]
    cells = grid(HeatCell("75.7%", 1.29), HeatCell("not modelled", modelled=False))
    assert forest(panels, LABELS, narrow) == forest(panels, LABELS, narrow)
    assert heatmap(cells, narrow) == heatmap(cells, narrow)


def test_a_picture_holds_no_date_and_no_version() -> None:
    assert set(chunks(forest([ForestPanel("Labor", [ROW])], LABELS))) <= {b"IHDR", b"PLTE", b"pHYs", b"IDAT", b"IEND"}


def test_a_users_own_settings_neither_change_a_figure_nor_are_changed_by_it() -> None:
    before = forest([ForestPanel("Labor", [ROW])], LABELS)
    with mpl.rc_context({"font.size": 30, "axes.facecolor": "black", "savefig.bbox": "tight"}):
        assert forest([ForestPanel("Labor", [ROW])], LABELS) == before
        assert mpl.rcParams["font.size"] == 30


def test_no_global_figure_is_left_behind() -> None:
    forest([ForestPanel("Labor", [ROW])], LABELS)
    assert Gcf.get_all_fig_managers() == []


def test_figures_are_as_wide_as_the_page_at_two_pixels_a_css_pixel() -> None:
    panels = [ForestPanel(title, [ROW]) for title in ("Labor", "Learning", "Love")]
    assert size(forest(panels, LABELS))[0] == 2 * WIDE
    assert size(forest(panels, LABELS, narrow=True))[0] == 2 * NARROW
    assert size(heatmap(grid(HeatCell("1%", 1.0)), narrow=True))[0] == 2 * NARROW


def test_a_row_with_a_number_draws_both_intervals() -> None:
    png = forest([ForestPanel("Labor", [ROW])], LABELS)
    assert has_colour_below_the_legend(png, BLUE)
    assert has_colour_below_the_legend(png, VERMILION)


@pytest.mark.parametrize(
    "row",
    [
        ForestRow("race", "MENA", "not modelled"),
        ForestRow("race", "White", "no data"),
        ForestRow("race", "White", "ok", float("nan"), 1.0, 2.0, 1.0, 2.0),
        ForestRow("race", "White", "ok", None, 1.0, 2.0, 1.0, 2.0),
    ],
)
def test_a_row_without_a_number_draws_no_dot_and_no_interval(row: ForestRow) -> None:
    png = forest([ForestPanel("Labor", [row])], LABELS)
    assert not has_colour_below_the_legend(png, BLUE)
    assert not has_colour_below_the_legend(png, VERMILION)


def test_a_bootstrap_without_spread_is_not_drawn() -> None:
    flat = ForestRow("race", "NB", "ok", 1.0, 0.5, 2.0, 1.3, 1.3)
    png = forest([ForestPanel("Labor", [flat])], LABELS)
    assert has_colour_below_the_legend(png, BLUE)
    assert not has_colour_below_the_legend(png, VERMILION)


def test_zero_and_endless_intervals_have_a_picture() -> None:
    rows = [
        ForestRow("race", "zero", "ok", 0.0, 0.0, 3.5, 0.0, 0.0),
        ForestRow("race", "wide", "ok", 1.0, 1e-9, 1e9, None, None),
        ForestRow("race", "far", "ok", 5000.0, 400.0, float("inf"), 300.0, 9000.0),
    ]
    assert size(forest([ForestPanel("Labor", rows)], LABELS))[1] > 0


def test_a_grey_cell_is_grey_and_a_coloured_one_is_not() -> None:
    grey = heatmap(grid(HeatCell("75.7%", None)))
    assert grey != heatmap(grid(HeatCell("75.7%", 1.29)))
    assert heatmap(grid(HeatCell("0%", 0.0))) == heatmap(grid(HeatCell("0%", 0.01)))  # beyond the scale's low end


def test_the_png_is_a_valid_one() -> None:
    with look():
        png = to_png(new_figure(10, 10))
    start = png.index(b"IDAT")
    (length,) = struct.unpack(">I", png[start - 4 : start])
    assert len(zlib.decompress(png[start + 4 : start + 4 + length])) == 20 * (
        1 + 3
    )  # a byte a line, a bit a pixel of one colour
