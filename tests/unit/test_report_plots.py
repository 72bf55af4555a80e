"""The plots of the paper's figures as pictures, and the pure parts that they are made of."""

import io
import math
from itertools import pairwise

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.image import imread
from matplotlib.text import Text

from raylib.report.canvas import BLUE, NARROW, VERMILION, WIDE, look, new_figure, shortened
from raylib.report.colour_scale import EIGHTFOLD, HUNDREDFOLD
from raylib.report.curves import Curve, curves
from raylib.report.dots import P_COLOURS, Dot, DotPanel, DotRow, dot_plot, p_colour
from raylib.report.heatmap import HeatBlock, HeatCell, HeatMap, heatmap
from raylib.report.histogram import HistogramPanel, histogram
from raylib.report.log_axis import ratio_limits, ratio_ticks
from raylib.report.palette import indexed_png
from raylib.report.placing import Placer
from raylib.report.scatter import ScatterPanel, ScatterPoint, scatter
from tests.unit.test_report_figures import has_colour_below_the_legend, size

NAN = math.nan
DOTS = DotRow("White F", (Dot(0, 0.5, 1e-9, (0.4, 0.6), (0.3, 0.8)), Dot(1, 0.7, 0.2)), 0.6)
POINTS = ScatterPanel("Latine", [ScatterPoint(2.0, 80.0, name="Maria"), ScatterPoint(9.0, 10.0, smoothed=True)])


def draw(kind: str, narrow: bool) -> bytes:
    if kind == "dots of two models":
        return dot_plot([DotPanel("Labor", [DOTS])] * 3, ("one", "two"), "ratio", narrow)
    if kind == "dots of one model":
        return dot_plot([DotPanel("Labor", [DotRow("White F", DOTS.dots[:1], 0.5)])], ("one",), "ratio", narrow)
    if kind == "histogram":
        return histogram([HistogramPanel("White", (5.0, 0.0, 1200.0, 1.0))] * 4, "x", "y", "MENA: not modelled", narrow)
    if kind == "scatter":
        return scatter([POINTS] * 4, "x", "y", ("both", "one role"), "MENA: not modelled", narrow)
    if kind == "curves":
        return curves(
            [Curve("White", 0, (1, 2, 3), (1.0, 2.0, NAN), (0.5, 1.0, NAN), (2.0, 4.0, NAN))], "x", "y", "", narrow
        )
    block = HeatBlock("one", ("Labor", "Love"), [[HeatCell("1%", 2.0)], [HeatCell("not modelled", modelled=False)]])
    return heatmap(HeatMap((("race", "White"),), [block, block], "ratio", "grey"), narrow)


KINDS = ("dots of two models", "dots of one model", "histogram", "scatter", "curves", "heat map")


@pytest.mark.parametrize("kind", KINDS)
def test_a_plot_has_the_same_bytes_every_time_and_fits_page_and_phone(kind: str) -> None:
    wide, narrow = draw(kind, narrow=False), draw(kind, narrow=True)
    assert wide == draw(kind, narrow=False)
    assert size(wide)[0] <= 2 * WIDE
    assert size(narrow)[0] == 2 * NARROW


def test_colours_by_p_value_end_at_their_bounds_and_an_unknown_one_is_grey() -> None:
    strong, middle, weak = (colour for _, colour, _ in P_COLOURS)
    assert [p_colour(p) for p in (1e-300, 0.001, 0.0099, 0.01, 0.049)] == [strong, middle, middle, weak, weak]
    assert p_colour(0.05) == p_colour(None) == p_colour(NAN) == "#b9bcc0"


def test_colours_by_p_value_grow_lighter() -> None:
    lightness = [int(c[1:3], 16) * 0.3 + int(c[3:5], 16) * 0.59 + int(c[5:], 16) * 0.11 for _, c, _ in P_COLOURS]
    assert lightness == sorted(lightness)
    assert all(later - earlier > 40 for earlier, later in pairwise(lightness))


def test_a_row_without_a_dot_says_why_and_draws_nothing() -> None:
    said = {status: dot_plot([DotPanel("Labor", [DotRow("MENA F", status=status)])], ("one", "two"), "ratio") for status in
            ("not modelled", "no data")}  # fmt: skip
    assert said["not modelled"] != said["no data"]
    assert not any(has_colour_below_the_legend(png, P_COLOURS[0][1]) for png in said.values())


def test_one_model_shows_the_bootstrap_and_several_do_not() -> None:
    assert has_colour_below_the_legend(draw("dots of one model", narrow=False), VERMILION)
    assert not has_colour_below_the_legend(draw("dots of two models", narrow=False), VERMILION)


def test_ratio_axes_reach_a_half_to_two_at_least_and_leave_out_what_is_no_ratio() -> None:
    assert ratio_limits([1.1, None, NAN, 0.0, math.inf]) == (0.4, 2.5)
    assert ratio_limits([0.01, 1000.0]) == (0.008, 200.0)
    assert ratio_limits([1e5], widest=(0, math.inf)) == (0.4, 1.25e5)


@pytest.mark.parametrize(
    ("ends", "ticks"),
    [
        ((0.4, 2.5), [0.5, 1, 2]),
        ((0.02, 25), [0.03, 0.1, 0.3, 1, 3, 10]),
        ((0.002, 250), [0.01, 0.1, 1, 10, 100]),
        ((1e-4, 1e4), [1e-4, 1e-2, 1, 1e2, 1e4]),
    ],
)
def test_ratio_axes_have_few_round_ticks(ends: tuple[float, float], ticks: list[float]) -> None:
    assert ratio_ticks(*ends) == pytest.approx(ticks)


def test_heat_scales_are_even_in_doublings_and_end_at_their_last_tick() -> None:
    assert [EIGHTFOLD.position(ratio) for ratio in (0, 1 / 99, 1 / 8, 1, 2, 8, 99)] == pytest.approx(
        [0, 0, 0, 0.5, 2 / 3, 1, 1]
    )
    assert HUNDREDFOLD.position(10) == pytest.approx(0.75)
    assert EIGHTFOLD.labels() == ["≤ 1/8", "1/4", "1/2", "1", "2", "4", "≥ 8"]


def test_a_histogram_knows_its_highest_bin_with_anything_in_it() -> None:
    assert HistogramPanel("White", (5.0, 0.0, 1.0, 0.0)).highest == 75
    assert HistogramPanel("White", (0.0, 0.0)).highest == 0


def test_an_empty_panel_has_no_bar_and_no_point() -> None:
    assert not has_colour_below_the_legend(histogram([HistogramPanel("NB", (0.0, 0.0))], "x", "y"), BLUE)
    nothing = scatter([ScatterPanel("Asian")], "x", "y", ("both", "one"))
    assert nothing != scatter([ScatterPanel("Asian", [ScatterPoint(1.0, 50.0)])], "x", "y", ("both", "one"))


def test_labels_are_never_placed_over_each_other() -> None:
    with look():
        figure = new_figure(300, 200)
        plot = figure.add_axes((0, 0, 1, 1))
        plot.set_xlim(0, 3)
        plot.set_ylim(0, 2)
        placer = Placer(plot, (300, 200))
        assert placer.pixels(1.5, 0.5) == pytest.approx((150, 50))
        placed = [placer.place(1.5, 1.0, f"name {place}") for place in range(40)]
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        boxes = [
            Text.get_window_extent(text, canvas.get_renderer()) for text in plot.texts
        ]  # without the line to the point
    assert placed[0]
    assert not all(placed)
    assert len(boxes) == sum(placed) >= 6
    assert not any(one.padded(-3).overlaps(other.padded(-3)) for n, one in enumerate(boxes) for other in boxes[:n])


def test_a_label_that_fits_nowhere_is_left_out() -> None:
    with look():
        plot = new_figure(30, 20).add_axes((0, 0, 1, 1))
        assert not Placer(plot, (30, 20)).place(0.5, 0.5, "a long name")
    assert len(plot.texts) == 0


def test_a_picture_of_few_colours_keeps_each_and_one_of_many_its_common_ones() -> None:
    rng = np.random.default_rng(0)
    few = rng.integers(0, 256, (4, 8, 4), dtype=np.uint8)
    few[..., 3] = 255
    assert (read_png(indexed_png(few, 192)) == few[..., :3]).all()
    many = rng.integers(0, 256, (40, 40, 4), dtype=np.uint8)
    many[:20] = (0, 114, 178, 255)
    back = read_png(indexed_png(many, 192))
    assert (back[:20] == (0, 114, 178)).all()
    assert np.abs(back[20:].astype(int) - many[20:, :, :3]).mean() < 40  # 800 random colours on 56
    assert indexed_png(many, 192) == indexed_png(many, 192)


def read_png(png: bytes) -> np.ndarray:
    return (imread(io.BytesIO(png))[..., :3] * 255).round().astype(np.uint8)


@pytest.mark.parametrize(
    ("text", "most", "shown"), [("model", 5, "model"), ("a-long-model", 7, "a-l…del"), ("abcd", 2, "a…")]
)
def test_long_names_lose_their_middle(text: str, most: int, shown: str) -> None:
    assert shortened(text, most) == shown
