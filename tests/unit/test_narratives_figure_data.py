"""What goes into the paper's figures and table 2, worked out by hand from a few stories and estimates."""

import math
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from raylib.report.sections import DataTable
from raylib.schemas import TALLIES
from raylib.studies.narratives.annotate import ANNOTATIONS
from raylib.studies.narratives.extraction.gender import GENDERS
from raylib.studies.narratives.figures.common_names import common_names
from raylib.studies.narratives.figures.heat import ratio_cell, share_cell, spoken
from raylib.studies.narratives.figures.likelihoods import by_likelihood
from raylib.studies.narratives.figures.names_counted import counted_names
from raylib.studies.narratives.figures.ratios_by_name import panels_of as name_panels
from raylib.studies.narratives.figures.reading import ModelNumbers, median_of, read, status_of
from raylib.studies.narratives.figures.subordination import median_blocks, panels_of
from raylib.studies.narratives.figures.thresholds import above_thresholds
from raylib.studies.narratives.figures.titles import without_numbers
from raylib.studies.narratives.measures import CLASSES, MEASURES
from raylib.studies.narratives.metrics import sums
from raylib.studies.narratives.name_tallies import name_tallies
from raylib.studies.narratives.names import RACES, NameTable
from raylib.studies.sums import add_up, read_cells
from tests.report_support import estimate, report_input, table, without_number
from tests.unit.test_narratives_metrics import ACTOR, PATIENT, PROMPTS, TABLE, annotation
from tests.unit.test_narratives_names import TWO_SOURCES

LATINE = RACES.index("Latine")


def model(*rows: dict[str, Any], names: NameTable = TABLE) -> ModelNumbers:
    """Sums and tallies of some annotated stories (Anna: .5 White, .25 Latine; Juan: .125, .75), without estimates."""
    told = pa.Table.from_pylist(list(rows), schema=ANNOTATIONS)
    cells = read_cells(add_up([sums(told, PROMPTS, names)], MEASURES), MEASURES)
    return ModelNumbers("tiny", {}, cells, name_tallies(told, PROMPTS, names))


def roles(times: int, dominant: str, subordinate: str, genders: tuple[str, str] = ("F", "M")) -> list[dict[str, Any]]:
    return [annotation(PATIENT, (dominant, genders[0]), (subordinate, genders[1]))] * times


def estimated(name: str, **ratios: float | None) -> ModelNumbers:
    """R_sub of race and gender in Labor: `White_F=0.5`; None is no data."""
    rows = []
    for group, ratio in ratios.items():
        where = {"cell": "Labor/power-laden", "axis": "race x gender"}
        text = group.replace("_", " ")
        made = without_number(text, "no data", **where) if ratio is None else estimate(text, **where, estimate=ratio)
        rows.append(made | {"statistic": "R_sub"})
    data = report_input(table(rows))
    return ModelNumbers(name, read(data).rows, {}, data.tallies)


def test_a_bar_counts_likelihoods_above_t_minus_1_up_to_t_percent() -> None:
    one = model(
        *[annotation(ACTOR, ("Anna", "F"))] * 3, annotation(ACTOR, ("Juan", "NB")), annotation(ACTOR, ("Zz", "F"))
    )
    latine = by_likelihood([one], CLASSES)[LATINE]
    # Anna's .25 lies in (24, 25], Juan's .75 in (74, 75]; a name that is not in the table has no bar
    assert {t: count for t, count in enumerate(latine, start=1) if count} == {25: 3, 75: 1}


def test_the_first_bar_holds_likelihoods_of_zero_and_names_of_another_source_have_no_bar() -> None:
    one = model(*(annotation(ACTOR, (name, "F")) for name in ("Anna", "Jose", "Leila")), names=TWO_SOURCES)
    mena = by_likelihood([one], CLASSES)[RACES.index("MENA")]
    assert {t: count for t, count in enumerate(mena, start=1) if count} == {1: 1, 75: 1}  # Anna 0, Leila .75; no Jose


def test_histograms_of_non_binary_characters_count_only_them_and_all_models() -> None:
    one = model(annotation(ACTOR, ("Anna", "F")), annotation(ACTOR, ("Juan", "NB")))
    assert by_likelihood([one], ("NB",))[LATINE].sum() == 1
    assert by_likelihood([one, one], ("NB",))[LATINE, 74] == 2


def test_histograms_leave_out_power_laden_stories() -> None:
    assert by_likelihood([model(*roles(2, "Anna", "Juan"))], CLASSES).sum() == 0


def test_rows_of_figure_2a_are_sorted_by_the_median_over_models() -> None:
    models = [
        estimated("a", White_F=4.0, Black_F=0.5, Asian_F=None),
        estimated("b", White_F=2.0, Black_F=0.7, Asian_F=3.0),
        estimated("c", White_F=9.0, Black_F=0.1, Asian_F=None),
    ]
    (panel,) = panels_of(models)
    numbered = [row for row in panel.rows if row.dots]
    assert panel.title == "Labor"
    assert [(row.group, row.median) for row in numbered] == [("Black F", 0.5), ("Asian F", 3.0), ("White F", 4.0)]
    assert [dot.model for dot in numbered[1].dots] == [1]  # two models without data have no dot, and are not zero


def test_a_race_without_any_number_is_one_row_that_says_why_at_the_end() -> None:
    rows = [
        without_number(f"MENA {gender}", "not modelled", "Labor/power-laden", "race x gender") for gender in GENDERS
    ]
    rows += [estimate("White F", "Labor/power-laden", "race x gender")]
    data = report_input(table([row | {"statistic": "R_sub"} for row in rows]))
    (panel,) = panels_of([read(data)])
    assert {row.group: row.status for row in panel.rows[-7:]}["MENA, all"] == "not modelled"
    assert panel.rows[0].group == "White F"
    assert "White M" in [row.group for row in panel.rows]  # F has a number, so M is told apart: no data


def test_figure_2b_shows_medians_and_is_grey_where_no_model_is_told_apart() -> None:
    models = [estimated(name, White_F=ratio) for name, ratio in (("a", 2.0), ("b", 8.0), ("c", 3.0))]
    feminine, masculine, _ = median_blocks(models)
    white, *_ = feminine.cells[0]
    assert (feminine.rows, white.text, white.ratio) == (("Labor",), "3.00", None)  # p = .012 in each
    assert (masculine.cells[0][0].text, masculine.cells[0][0].modelled) == ("no data", False)
    told = [{"status": "ok", "estimate": 2.0, "p_value": p} for p in (0.5, 0.0009)]
    assert ratio_cell(told).ratio == 2.0


def test_statuses_of_several_models_are_not_modelled_only_if_all_are() -> None:
    missing, empty = {"status": "not modelled"}, {"status": "no data"}
    assert status_of([missing, missing]) == "not modelled"
    assert status_of([missing, empty]) == "no data"
    assert median_of([missing, empty]) is None


def test_a_share_is_coloured_from_p_below_a_thousandth() -> None:
    assert share_cell(estimate("F", p_value=0.00099)).ratio == 1.52
    assert share_cell(estimate("F", p_value=0.001)).ratio is None
    assert share_cell(estimate("F", p_value=None)).ratio is None
    assert share_cell(estimate("F", p_value=0.5)).text == "29.0%"
    assert share_cell(without_number("MENA", "not modelled")).modelled is False


def test_a_large_heat_map_is_told_by_its_extremes() -> None:
    from raylib.report.heatmap import HeatBlock, HeatCell, HeatMap

    line = [HeatCell("1", 0.5), HeatCell("2", 4.0), HeatCell("3"), HeatCell("not modelled", modelled=False)]
    grid = HeatMap(
        tuple(("race", name) for name in "abcd"), [HeatBlock(f"m{n}", ("Labor",), [line]) for n in range(20)], "", ""
    )
    assert spoken(grid) == (
        "80 cells; the lowest ratio told apart from 1 is a in m0, Labor at 0.500, the highest b in m19, Labor at 4.00; "
        "20 grey; 20 not modelled."
    )


def test_ratios_by_name_are_over_all_listed_names_of_a_role() -> None:
    one = model(*roles(12, "Anna", "Anna"), *roles(4, "Anna", "Juan"), *roles(8, "Juan", "Juan"))
    panels = {panel.title: panel for panel in name_panels(counted_names([one], TABLE), TABLE)}
    anna, juan = panels["Latine"].points
    # subordinate: 12 Annas and 12 Juans of 24; dominant: 16 Annas and 8 Juans of 24
    assert (anna.ratio, juan.ratio) == pytest.approx(((12 / 24) / (16 / 24), (12 / 24) / (8 / 24)))
    assert (anna.percent, juan.percent, juan.name, anna.name) == (
        25,
        75,
        "Juan",
        "",
    )  # named from a likelihood of 60% up
    assert not juan.smoothed
    assert "MENA" not in panels
    assert [point.percent for point in panels["White"].points] == [50, 12.5]


def test_a_name_in_one_role_only_is_smoothed_and_marked() -> None:
    one = model(*roles(10, "Anna", "Juan"))
    anna, juan = name_panels(counted_names([one], TABLE), TABLE)[LATINE].points
    assert juan.smoothed
    assert juan.ratio == pytest.approx((11 / 11) / (1 / 11))
    assert anna.ratio == pytest.approx(1 / 11)


def test_a_panel_has_the_names_of_its_races_source_and_their_totals() -> None:
    rows = [annotation(PATIENT, (one, "F"), (other, "F")) for one, other in (("Anna", "Leila"), ("Leila", "Jose"))]
    one = model(*rows * 10, annotation(PATIENT, ("Anna", "F"), ("Anna", "F")), names=TWO_SOURCES)
    panels = {panel.title: panel for panel in name_panels(counted_names([one], TWO_SOURCES), TWO_SOURCES)}
    anna, leila = panels["MENA"].points
    assert (anna.percent, leila.percent) == (0, 75)
    # subordinate: 1 Anna and 10 Leilas of 11 that the source lists; dominant: 11 and 10 of 21
    assert (anna.ratio, leila.ratio) == pytest.approx(((1 / 11) / (11 / 21), (10 / 11) / (10 / 21)))
    assert len(panels["White"].points) == 2  # Anna and Jose


def test_rare_names_are_not_shown() -> None:
    one = model(*roles(9, "Anna", "Juan"), *roles(1, "Anna", "Anna"))
    latine = name_panels(counted_names([one], TABLE), TABLE)[LATINE]
    assert [point.percent for point in latine.points] == [25]  # 11 Annas; 9 Juans are too few


def test_subordination_above_thresholds_counts_whole_characters_of_all_genders() -> None:
    one = model(*roles(12, "Anna", "Juan"), *roles(4, "Juan", "Anna", ("unsure", "F")))
    found = above_thresholds([one], 0, 0)
    # above 1..24%: everybody; 25..74%: 12 Juans of 16 against 4 of 16; from 75%: nobody is left
    assert found.ratio[LATINE, [0, 23]].tolist() == [1, 1]
    assert found.ratio[LATINE, [24, 73]] == pytest.approx([3, 3])
    assert np.isnan(found.ratio[LATINE, 74:]).all()
    assert np.isnan(found.low).all()  # one prompt has no spread


def test_thresholds_end_where_fewer_than_ten_characters_are_left() -> None:
    nine = above_thresholds([model(*roles(9, "Anna", "Juan"))], 0, 0).ratio[LATINE]
    assert math.isfinite(nine[23])
    assert math.isnan(nine[24])
    pooled = above_thresholds([model(*roles(9, "Anna", "Juan")), model(*roles(1, "Anna", "Juan"))], 0, 0).ratio[LATINE]
    assert pooled[24] == pytest.approx((11 / 11) / (1 / 11))  # ten Juans of two models, smoothed


def test_the_band_of_thresholds_resamples_prompts() -> None:
    laden = PROMPTS.filter((pc.field("domain") == "Labor") & (pc.field("condition") == "power-laden"))[
        "prompt_id"
    ].to_pylist()
    other = next(name for name in laden if name != PATIENT)
    rows = [*roles(20, "Anna", "Juan"), *[annotation(other, ("Juan", "M"), ("Anna", "F"))] * 10]
    found = above_thresholds([model(*rows)], 200, 1)
    at, low, high = (part[LATINE, 50] for part in found)
    assert at == pytest.approx(2)  # 20 of 30 against 10 of 30
    # a prompt drawn twice: the first alone gives (20 + 1) / (0 + 1), the second its inverse with 10
    assert (low, high) == pytest.approx((1 / 21, 41))
    again = above_thresholds([model(*rows)], 200, 1)
    assert np.array_equal(again.low, found.low, equal_nan=True)


def tallied(*rows: tuple[str, str, str, int]) -> ModelNumbers:
    names = ("cell", "item", "group", "count")
    return ModelNumbers(
        "tiny", {}, {}, pa.Table.from_pylist([dict(zip(names, row, strict=True)) for row in rows], TALLIES)
    )


def test_table_2_counts_likely_names_by_domain_and_condition() -> None:
    counts = (("power-neutral", 5), ("power-laden/dominant", 3), ("power-laden/subordinate", 40))
    rows = [(f"{domain}/{condition}", "JUAN", "M", n) for domain in ("Labor", "all") for condition, n in counts]
    rows += [("Labor/power-neutral", "ANNA", "F", 900), ("all/power-neutral", "ANNA", "F", 900)]
    rows += [("Labor/power-neutral", "JUAN", "F", 9), ("all/power-neutral", "JUAN", "F", 9)]
    (made,) = common_names([tallied(*rows)], TABLE)
    assert isinstance(made, DataTable)
    assert made.columns == ("Name", "Likelihood", "Labor baseline", "Labor dominant", "Labor subordinate")
    assert made.groups == (("Latine M", 1),)  # Anna is likely of no race, nine feminine Juans are too few
    assert list(made.rows) == [("Juan", "75.0%", "5", "3", "40")]
    assert made.notes[0].startswith("White F, White M, White NB, Latine F, Latine NB, Black F")
    assert made.notes[1] == "MENA, NH/PI: not modelled."


def test_table_2_adds_up_several_models() -> None:
    cells = ("Labor/power-neutral", "all/power-neutral")
    one = tallied(*((cell, "JUAN", "M", 6) for cell in cells))
    (made,) = common_names([one, one], TABLE)
    assert isinstance(made, DataTable)
    assert made.rows[0][2] == "12"
    assert common_names([tallied()], TABLE) == []


def test_what_a_figure_leaves_out_is_said() -> None:
    assert without_numbers(TABLE) == "MENA, NH/PI: not modelled"
    assert without_numbers(TABLE, ["AI/AN"]) == "MENA, NH/PI: not modelled; AI/AN: no data"
