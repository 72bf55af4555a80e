"""Matrices of numbers: where their cells stand, how large the text is, what is hatched; linear scales."""

import math
from itertools import pairwise

import numpy as np
import pytest

from raylib.report import numbers
from raylib.report.canvas import BLUE, NARROW, VERMILION, WIDE
from raylib.report.colour_scale import LinearScale, growing, shade
from raylib.report.forest import ForestLabels, ForestPanel, ForestRow, forest
from raylib.report.linear_axis import LinearAxis, linear_ticks
from raylib.report.matrix import Matrix, MatrixPanel, matrices, matrix
from raylib.report.matrix_layout import Layout, Names, in_lines, lay_out
from tests.unit.test_report_figures import has_colour_below_the_legend, size

SCALE = LinearScale((-2, -1, 0, 1, 2), open_ends=(False, False))
TERMS = tuple(f"term number {place}" for place in range(18))


def grid(number: int, panels: int = 1, asked: np.ndarray | None = None) -> Matrix:
    values = np.linspace(-1, 2, number * number).reshape(number, number)
    names = TERMS[:number]
    every = ~np.eye(number, dtype=np.bool_) if asked is None else asked
    titles = [f"run {place}" if panels > 1 else "" for place in range(panels)]
    return Matrix(names, names, [MatrixPanel(title, values) for title in titles], every, SCALE, "F")


def layout(number: int, narrow: bool, panels: int = 1, asked: np.ndarray | None = None) -> Layout:
    titles = tuple(f"run {place}" if panels > 1 else "" for place in range(panels))
    every = ~np.eye(number, dtype=np.bool_) if asked is None else asked
    return lay_out(Names(TERMS[:number], TERMS[:number], titles, "↓ better than →"), every, narrow)


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("number", [2, 3, 4, 10, 11, 12, 18])
@pytest.mark.parametrize("panels", [1, 3])
def test_numbers_are_large_enough_and_fit_into_their_cells(number: int, narrow: bool, panels: int) -> None:
    made = layout(number, narrow, panels)
    assert made.font_size >= 7  # points: 9.3 CSS pixels
    assert 3.1 * made.font_size * 96 / 72 <= made.cell[0]  # "−0.28" is 3.1 ems wide
    assert made.width <= (NARROW if narrow else WIDE) + 2
    for tile in made.tiles:
        assert tile.corner[0] + len(tile.columns) * made.cell[0] <= made.width + 1e-6


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize(("number", "panels"), [(2, 6), (12, 3), (18, 1)])
def test_every_column_of_every_matrix_stands_in_exactly_one_tile(number: int, panels: int, narrow: bool) -> None:
    made = layout(number, narrow, panels)
    shown = sorted((tile.panel, column) for tile in made.tiles for column in tile.columns)
    assert shown == [(panel, column) for panel in range(panels) for column in range(number)]


def test_tiles_do_not_overlap() -> None:
    made = layout(12, narrow=False, panels=3)
    for one, other in pairwise(made.tiles):
        right, low = (one.corner[0] + len(one.columns) * made.cell[0], one.corner[1] + len(one.rows) * made.cell[1])
        assert other.corner[0] >= right or other.title_at[1] > low


def test_a_phone_leaves_out_the_rows_that_a_block_asks_nothing_about() -> None:
    aligned = np.roll(np.eye(18, dtype=np.bool_), 9, axis=1)  # as gender: each term with its counterpart
    made = layout(18, narrow=True, asked=aligned)
    assert len(made.tiles) > 1
    for tile in made.tiles:
        assert tile.rows == tuple(sorted((column + 9) % 18 for column in tile.columns))
        assert tile.title.startswith("Columns ")
    assert all(len(tile.rows) == 18 for tile in layout(18, narrow=False, asked=aligned).tiles)


def test_small_matrices_are_drawn_once_for_desktop_and_phone() -> None:
    wide, narrow = matrices(grid(3))
    assert (size(wide)[0], narrow) == (2 * NARROW, b"")
    assert size(matrices(grid(12))[1])[0] == 2 * NARROW


def test_a_matrix_has_the_same_bytes_every_time() -> None:
    assert matrix(grid(4, panels=2)) == matrix(grid(4, panels=2))


def test_what_was_never_asked_looks_other_than_what_has_no_number() -> None:
    values = np.array([[np.nan, 1.0], [np.nan, np.nan]])
    pictures = []
    for lower in (True, False):
        asked = np.array([[False, True], [lower, False]])
        pictures.append(matrix(Matrix(("a", "b"), ("a", "b"), [MatrixPanel("", values)], asked, SCALE, "F")))
    assert pictures[0] != pictures[1]


def test_long_names_are_broken_into_three_lines_at_most() -> None:
    assert in_lines("people with intellectual disabilities", 15) == "people with\nintellectual\ndisabilities"
    assert in_lines("men", 15) == "men"
    assert in_lines("a b c d e f g h", 3).count("\n") == 2
    assert in_lines("x" * 40, 15).replace("\n", "").startswith("x" * 15)


def test_a_linear_scale_is_even_and_ends_at_its_last_tick() -> None:
    assert [SCALE.position(value) for value in (-9, -2, -1, 0, 1, 2, 9)] == [0, 0, 0.25, 0.5, 0.75, 1, 1]
    assert SCALE.labels() == ["−2", "−1", "0", "1", "2"]
    assert growing(0, 0.5, 1).labels() == ["≤ 0", "0.5", "≥ 1"]
    assert shade(SCALE, 0).face == "#f7f7f7"
    assert shade(SCALE, 2).ink == shade(SCALE, -2).ink == "white"


def test_equal_distances_from_zero_are_equally_strong() -> None:
    def distance(value: float) -> int:
        return sum(255 - int(shade(SCALE, value).face[place : place + 2], 16) for place in (1, 3, 5))

    assert distance(1) == pytest.approx(distance(-1), rel=0.2)
    assert distance(0) < distance(0.5) < distance(1) < distance(2)


@pytest.mark.parametrize(
    ("ends", "ticks"),
    [
        ((-0.1, 1.1), [0, 0.5, 1]),
        ((-2.1, 2.1), [-2, -1, 0, 1, 2]),
        ((0, 0.03), [0, 0.01, 0.02, 0.03]),
        ((-1.0, 7.0), [0, 2, 4, 6]),
    ],
)
def test_linear_axes_have_few_round_ticks(ends: tuple[float, float], ticks: list[float]) -> None:
    assert linear_ticks(*ends) == pytest.approx(ticks)


def test_a_linear_axis_holds_zero_and_all_known_values() -> None:
    low, high = LinearAxis().limits([0.4, None, math.nan, math.inf])
    assert low < 0 < 0.4 < high < 0.5
    low, high = LinearAxis(symmetric=True).limits([-0.5, 0.2])
    assert low == -high
    assert high > 0.5


def test_a_linear_forest_plot_draws_negative_numbers_and_their_intervals() -> None:
    labels = ForestLabels("GroupFav", "", "bootstrap")
    row = ForestRow("", "man", "ok", -0.4, None, None, -0.6, -0.2)
    png = forest([ForestPanel("", [row])], labels, scale=LinearAxis(symmetric=True))
    assert has_colour_below_the_legend(png, BLUE) or has_colour_below_the_legend(png, VERMILION)
    assert png != forest([ForestPanel("", [row], mark=0.1)], labels, scale=LinearAxis(symmetric=True))


def test_fixed_and_signed_numbers() -> None:
    assert [numbers.fixed(value, 2) for value in (0.56, -0.28, -0.001, 1234.5, None)] == [
        "0.56", "−0.28", "0.00", "1,234.50", "unknown",
    ]  # fmt: skip
    assert [numbers.signed(value, 3) for value in (0.078, -0.144, 0.0, 0.0001, math.nan)] == [
        "+0.078", "−0.144", "0.000", "0.000", "unknown",
    ]  # fmt: skip


def test_the_colour_bar_keeps_its_colours_in_a_picture_of_many() -> None:
    # Edges of hundreds of numbers on coloured cells are more colours than a palette holds; no cell is near -2.
    rng = np.random.default_rng(0)
    many = Matrix(
        TERMS[:12], TERMS[:12], [MatrixPanel(f"run {place}", rng.uniform(-1, 2, (12, 12))) for place in range(6)],
        ~np.eye(12, dtype=np.bool_), SCALE, "F",
    )  # fmt: skip
    assert has_colour_below_the_legend(matrix(many, narrow=True), shade(SCALE, -2).face)
